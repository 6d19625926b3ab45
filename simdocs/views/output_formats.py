"""Formats of answers beside lines of text: a table for people, drawn by rich, and files of Parquet and Arrow."""

from __future__ import annotations

import io
from typing import Any, ClassVar

from simdocs.errors import OutputError
from simdocs.extras import SinkFile, needs
from simdocs.model.result import GROUPED, KEYED, NUMBER, SIMILARITY, ArrowColumns, Cell, Row, TableHead, plain
from simdocs.names import display_name
from simdocs.options.recipes import RECORDED
from simdocs.options.values import FLAG
from simdocs.views.messages import columns_of_output
from simdocs.views.output import Format


class DrawnTable(Format):
    """The whole answer as one table; nothing when it has no rows.

    In a grouped answer the first name stands once, above those that belong to it, and all names have the full width.
    Counts by name have a comma between thousands.
    """

    is_harmless: ClassVar[bool] = True

    def __init__(self, head: TableHead, *, header: bool = False, colored: bool = False) -> None:  # noqa: ARG002
        from rich import box
        from rich.table import Table as Drawn

        self.head, self.colored = head, colored
        self._drawn = Drawn(box=box.SIMPLE_HEAD, pad_edge=False)
        self._last: Cell = None
        self._widths = [len(name) for name, _ in head.columns]
        if head.layout == GROUPED:
            (first, _), (member, _), *others = head.columns
            for name, _ in others:
                self._drawn.add_column(name, justify="right", no_wrap=True)
            self._drawn.add_column(f"{first}, {member}", overflow="fold")
        else:
            for name, kind in head.columns:
                number = kind in _NUMERIC
                justify = "right" if number else "left"
                self._drawn.add_column(name, justify=justify, overflow="fold", no_wrap=number)  # type: ignore[arg-type]

    def rows(self, rows: list[Row]) -> bytes:
        """Nothing yet."""
        from rich.text import Text

        for row in rows:
            if self.head.layout == GROUPED:
                if row[0] != self._last:
                    self._last = row[0]
                    self._drawn.add_row(*[""] * len(row[2:]), Text(_text(row[0]), style="bold"))
                self._drawn.add_row(*map(_text, row[2:]), Text("  " + _text(row[1])))
            else:
                texts = [_text(cell) for cell in row]
                if self.head.layout == KEYED and isinstance(row[1], int):
                    declared = RECORDED.get(texts[0])  # its value may be copied into a command
                    texts[1] = texts[1] if declared is not None and declared.values is not FLAG else f"{row[1]:,}"
                self._widths = [max(width, len(text)) for width, text in zip(self._widths, texts, strict=True)]
                self._drawn.add_row(*map(Text, texts))
        return b""

    def end(self) -> bytes:
        """The table."""
        if not self._drawn.row_count:
            return b""
        # A number that is cut in two cannot be read. Names can be folded.
        each = zip(self.head.columns, self._widths, strict=True)
        least = sum(_GAP + (width if kind in _NUMERIC else min(width, _LEAST_NAME)) for (_, kind), width in each)
        least = 0 if self.head.layout == GROUPED else least
        drawn = by_rich(self._drawn, max(columns_of_output(), least), colored=self.colored)
        return "".join(f"{line}\n" for line in drawn.split("\n") if line).encode("utf-8", "backslashreplace")


def by_rich(drawing: Any, columns: int, *, colored: bool) -> str:
    """What rich draws of this in so many columns, without spaces at the ends of lines."""
    from rich.console import Console

    out, colors = io.StringIO(), "standard" if colored else None
    console = Console(file=out, width=columns, force_terminal=colored, color_system=colors, highlight=False)  # type: ignore[arg-type]
    console.print(drawing)
    return "".join(f"{line.rstrip()}\n" for line in out.getvalue().removesuffix("\n").split("\n"))


_NUMERIC = (SIMILARITY, NUMBER)

_GAP = 3
"""Spaces between two columns."""

_LEAST_NAME = 8
"""Names are folded to this width where there are many numbers."""


def _text(cell: Cell) -> str:
    return display_name(plain(cell)) if isinstance(cell, str | bytes) else plain(cell).decode()


_AT_ONCE = 1 << 16
"""Rows in a row group or record batch. It is always this number, so that the bytes do not depend on how rows come."""


class Arrow(Format):
    """An Arrow IPC file, and the base of other files of record batches.

    NAME: of the format. MODULE: the module of pyarrow that writes it. WRITER: what writes it there.
    """

    NAME, MODULE, WRITER = "Arrow", "pyarrow.ipc", "new_file"

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
            self._writer = getattr(self._module, self.WRITER)(self._file, self._columns.schema)
        try:
            batch = self._columns.batch(rows)
        except UnicodeError as error:
            raise OutputError(
                f"{error}, and none of the first {_AT_ONCE:,} rows has one, so there is no column for it: use"
                f" --format jsonl"
            ) from None
        self._writer.write_batch(batch)


class Parquet(Arrow):
    """A Parquet file."""

    NAME, MODULE, WRITER = "Parquet", "pyarrow.parquet", "ParquetWriter"
