"""Answers as Parquet and Arrow files, with typed columns, which are written while the rows come."""

from __future__ import annotations

from typing import Any, ClassVar

from simdocs.errors import OutputError
from simdocs.extras import SinkFile, needs
from simdocs.model.arrow_tables import ArrowColumns
from simdocs.model.result import Row, TableHead
from simdocs.views.output_formats import Format

_AT_ONCE = 1 << 16
"""Rows in a row group or record batch. It is always this number, so that the bytes do not depend on how rows come."""


class _ArrowFile(Format):
    """A file of record batches.

    NAME: of the format. MODULE: the module of pyarrow that writes it.
    """

    NAME: ClassVar[str]
    MODULE: ClassVar[str]

    def __init__(self, head: TableHead, *, header: bool = False, colored: bool = False) -> None:  # noqa: ARG002
        """MissingExtraError: there is no pyarrow."""
        self._arrow, self._module = (needs(name, f"writing {self.NAME}") for name in ("pyarrow", self.MODULE))
        self._head, self._pieces = head, list[bytes]()
        self._file = SinkFile(self._pieces.append)
        self._rows = list[Row]()
        self._columns: ArrowColumns | None = None
        self._writer: Any = None

    def rows(self, rows: list[Row]) -> bytes:
        """The row groups that are full."""
        self._rows += rows
        while len(self._rows) >= _AT_ONCE:
            self._write(self._rows[:_AT_ONCE])
            del self._rows[:_AT_ONCE]
        return self._taken()

    def end(self) -> bytes:
        """The last row group, and the end of the file."""
        if self._rows or self._columns is None:
            self._write(self._rows)
        self._rows = []
        self._writer.close()
        return self._taken()

    def _taken(self) -> bytes:
        """The bytes that were written since the last call."""
        written = b"".join(self._pieces)
        self._pieces.clear()
        return written

    def _write(self, rows: list[Row]) -> None:
        if self._columns is None:
            self._columns = ArrowColumns(self._arrow, self._head, rows)
            self._writer = self._begun(self._columns.schema)
        try:
            batch = self._columns.batch(rows)
        except UnicodeError as error:
            raise OutputError(
                f"{error}, and none of the first {_AT_ONCE:,} rows has one, so there is no column for it: use"
                f" --format jsonl"
            ) from None
        self._writer.write_batch(batch)

    def _begun(self, schema: Any) -> Any:
        raise NotImplementedError


class Parquet(_ArrowFile):
    """A Parquet file."""

    NAME, MODULE = "Parquet", "pyarrow.parquet"

    def _begun(self, schema: Any) -> Any:
        return self._module.ParquetWriter(self._file, schema)


class Arrow(_ArrowFile):
    """An Arrow IPC file."""

    NAME, MODULE = "Arrow", "pyarrow.ipc"

    def _begun(self, schema: Any) -> Any:
        return self._module.new_file(self._file, schema)
