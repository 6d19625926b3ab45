"""Formats of answers: text for programs, a table for people, drawn by rich, and files of Parquet and Arrow."""

from __future__ import annotations

import io
import json
import math
from collections.abc import Mapping
from typing import Any, ClassVar

from simdocs.errors import OutputError
from simdocs.extras import SinkFile, needs
from simdocs.model.result import GROUPED, KEYED, NUMBER, SIMILARITY, ArrowColumns, Cell, Row, TableHead, plain
from simdocs.names import display_name, escape_controls
from simdocs.options.recipes import RECORDED
from simdocs.options.values import FLAG
from simdocs.views.messages import columns_of_output

_TSV_ESCAPES = ((b"\\", b"\\\\"), (b"\t", b"\\t"), (b"\n", b"\\n"), (b"\r", b"\\r"))


class Format:
    """Draws an answer: its beginning, its rows in blocks, and its end. By default, it draws one row after the other.

    head: the columns.
    header: whether TSV begins with the names of the columns.
    colored: whether tables have colours.
    is_harmless: whether what it draws is safe on a terminal. If not, control characters are escaped there.
    is_json: whether they are escaped as in JSON.
    """

    is_harmless: ClassVar[bool] = False
    is_json: ClassVar[bool] = False

    def __init__(self, head: TableHead, *, header: bool = False, colored: bool = False) -> None:
        self.names, self.header, self.colored = [name for name, _ in head.columns], header, colored

    def begin(self) -> bytes:
        """The bytes before all rows."""
        return b""

    def rows(self, rows: list[Row]) -> bytes:
        """The bytes of some rows."""
        return b"".join(map(self.row, rows))

    def row(self, row: Row) -> bytes:
        """The bytes of one row, with its end."""
        raise NotImplementedError

    def end(self) -> bytes:
        """The bytes after all rows."""
        return b""


class Tsv(Format):
    """Fields between tabs, names escaped; a header only if it is asked for."""

    def begin(self) -> bytes:
        """The header, if it was asked for."""
        return b"\t".join(map(str.encode, self.names)) + b"\n" if self.header else b""

    def rows(self, rows: list[Row]) -> bytes:
        """Some lines. Rows of names and numbers are drawn at once, and looked at for characters to escape."""
        pattern = _pattern(rows)
        if pattern:
            drawn = b"".join([pattern % row for row in rows])
            as_many = all(drawn.count(mark) == len(rows) * pattern.count(mark) for mark in (b"\n", b"\t"))
            if as_many and b"\\" not in drawn and b"\r" not in drawn:
                return drawn
        return super().rows(rows)

    def row(self, row: Row) -> bytes:
        """One line."""
        return b"\t".join(escaped(plain(cell)) for cell in row) + b"\n"


class Csv(Format):
    """RFC 4180: lines end with CRLF, quotes are doubled, and there is always a header."""

    def begin(self) -> bytes:
        """The header."""
        return b",".join(map(str.encode, self.names)) + b"\r\n"

    def row(self, row: Row) -> bytes:
        """One record."""
        return b",".join(_quoted(plain(cell)) for cell in row) + b"\r\n"


class Jsonl(Format):
    """One JSON object a line; a name that is not UTF-8 stands under its key and `_b64`."""

    is_json: ClassVar[bool] = True

    def row(self, row: Row) -> bytes:
        """One object."""
        return b"{" + b", ".join(_member(key, cell) for key, cell in zip(self.names, row, strict=True)) + b"}\n"


class NulEnded(Format):
    """Raw names, each ended by NUL."""

    def row(self, row: Row) -> bytes:
        """The name, and its end."""
        return plain(row[0]) + b"\0"


_DIRECTIVES: Mapping[type, bytes] = {bytes: b"%b", int: b"%d", float: b"%.6f"}
"""How a line shows cells of these types, if they are not NaN."""


def _pattern(rows: list[Row]) -> bytes:
    """The pattern of lines whose cells have the same types in each row; empty if there is none."""
    directives = list[bytes]()
    for column in zip(*rows, strict=True):
        (kind, *others) = set(map(type, column))
        if others or kind not in _DIRECTIVES or (kind is float and any(map(math.isnan, column))):
            return b""
        directives.append(_DIRECTIVES[kind])
    return b"\t".join(directives) + b"\n" if directives else b""


def escaped(name: bytes) -> bytes:
    r"""A name for TSV: backslash, tab, line feed and carriage return as \\ \t \n \r, reversibly."""
    for raw, escape in _TSV_ESCAPES:
        if raw in name:
            name = name.replace(raw, escape)
    return name


def _quoted(field: bytes) -> bytes:
    if any(mark in field for mark in (b",", b'"', b"\n", b"\r")):
        return b'"' + field.replace(b'"', b'""') + b'"'
    return field


def _member(key: str, cell: Cell) -> bytes:
    if isinstance(cell, str | bytes):
        name = plain(cell)
        try:
            value = json.dumps(name.decode("utf-8"), ensure_ascii=False)
        except UnicodeDecodeError:
            import base64

            key, value = f"{key}_b64", json.dumps(base64.b64encode(name).decode("ascii"))
        return f'"{key}": {value}'.encode()
    return f'"{key}": '.encode() + (plain(cell) or b"null")


def harmless(drawn: bytes, *, json: bool) -> bytes:
    """The same for a terminal: what `escape_controls` escapes and raw bytes are escaped; line ends and tabs stay."""
    lines = drawn.decode("utf-8", "backslashreplace").replace("\r\n", "\n").split("\n")
    return "\n".join(
        "\t".join(escape_controls(field, json=json) for field in line.split("\t")) for line in lines
    ).encode()


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
        columns = max(columns_of_output(), least * (self.head.layout != GROUPED))
        drawn = by_rich(self._drawn, columns, colored=self.colored)
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

    NAME: of the format. MODULE: the module of pyarrow that writes it.
    """

    NAME, MODULE = "Arrow", "pyarrow.ipc"

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
        return self._module.new_file(self._file, schema)


class Parquet(Arrow):
    """A Parquet file."""

    NAME, MODULE = "Parquet", "pyarrow.parquet"

    def _begun(self, schema: Any) -> Any:
        return self._module.ParquetWriter(self._file, schema)
