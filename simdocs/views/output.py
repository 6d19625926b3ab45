"""The stream and the format of an answer; and the formats that are text for programs."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any, ClassVar

from simdocs.errors import UsageError
from simdocs.extras import needs
from simdocs.model.result import NAME, NAMES, QUOTING, REPEATING, Cell, Look, Row, Table, TableHead, plain, tables_of
from simdocs.names import escape_controls
from simdocs.options.declaration import loaded
from simdocs.options.families import ELSEWHERE, FORMATS, ON_TERMINAL, compression_of

if TYPE_CHECKING:
    from simdocs.model.result import Result
    from simdocs.storage.atomic_file import OutputStream
    from simdocs.views.messages import ProgressBar


def path_of(output: object) -> str | None:
    """The path that an output names, or None for standard output."""
    return None if output is None or output == b"-" else os.fsdecode(output)  # type: ignore[arg-type]


def stream_of(path: str | None) -> AbstractContextManager[OutputStream]:
    """The stream to write to. It is opened before the work, so that an output that cannot be written fails at once."""
    from simdocs.storage.atomic_file import stdout

    return stdout() if path is None else file_of(path)


@contextmanager
def file_of(path: str, before: str = "") -> Iterator[OutputStream]:
    """The stream that becomes a file, compressed if its name says so.

    before: what was published before it, for the error if it cannot be, too. MissingExtraError: the library that
    compresses is not installed.
    """
    from simdocs.storage.atomic_file import EncodedStream, atomic_file

    name = os.fsencode(path)
    if compressed := compression_of(name):
        from simdocs.reading.compression import CompressedSink

        CompressedSink(name, lambda _: None)  # fails now if it ever does, before the file is created
    with atomic_file(path, before) as file:
        stream = EncodedStream(file, CompressedSink(name, file.write)) if compressed else file
        yield stream
        stream.prepare()


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
        import json

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


class Drawing:
    """Draws tables into a stream, in the requested format.

    progress: the progress bar, which is closed before anything is written to a terminal. With --strict nothing is
    written before `finish`, because an error may still forbid the answer.

    look: how the answer is drawn. colored, terminal: whether there are colours, and whether a terminal shows it.
    """

    def __init__(self, options: Any, stream: OutputStream, progress: ProgressBar | None = None) -> None:
        self._options, self._stream, self._progress = options, stream, progress
        form, page = FORMATS[_format_of(options)], options.page
        self.terminal = options.path is None and is_terminal()
        self.colored = _colored(to_stdout=options.path is None, terminal=self.terminal)
        self.look = Look(for_people=form.for_people, nested=form.nested or page == "html", verbose=options.verbose)
        if page == "html":
            needs("jinja2", "writing HTML")
        if self.terminal and (page or form.binary):
            name = page or _format_of(options)
            what = f"a .{name} file" if page else f"--format {name}"
            raise UsageError(f"{what} is not for a terminal: use -o NAME.{name}, or redirect the output")
        if form.binary and not page:
            self._format_for(NAMES)  # fails now if its library is missing
        self._head: TableHead | None = None
        self._format: Format | None = None
        self._held: list[bytes] | None = [] if getattr(options, "strict", False) else None

    @property
    def has_begun(self) -> bool:
        """Whether a table was begun."""
        return self._head is not None

    def complete(self, result: Result) -> None:
        """Draw the result, unless it was drawn while it was found, and write everything, so that it only has to be
        published."""
        if not self.has_begun:
            self.draw_all(result)
        self._stream.prepare()

    def draw_all(self, result: Result) -> None:
        """Draw a whole result: as a view of its own draws it, or its tables."""
        if not self._draw_view(result):
            for table in tables_of(result, self.look, getattr(self._options, "list", None)):
                self.draw(_with_names(table))
                if not self.look.holds_all:
                    break
        self.finish()

    def _draw_view(self, result: Result) -> bool:
        """Draw a result as the view of its own does, and return whether it has one for this look."""
        diff = getattr(self._options, "diff", None)
        command, page = self._options.command or self._options.asked, self._options.page
        view: Any = result
        if page == "answer":
            from simdocs.artifacts.answer_file import lines_of

            for line in lines_of(view):
                self.write(line)
        elif page == "svg":
            from simdocs.views.svg import figure_file

            self.write(figure_file(view, view.figure_name))
        elif page == "html":
            from simdocs.views.report_page import compared_page, report_page

            self.write(compared_page(result) if command == "compare" else report_page(view))
        elif command in ("info", "tune") and self.look.for_people:
            from simdocs.views.svg import draw_info, draw_tuning

            (draw_info if command == "info" else draw_tuning)(view, self)
        elif getattr(result, "difference", None) and (self.look.for_people or diff) and not self.look.nested:
            from simdocs.views.drawn_difference import draw_comparison

            draw_comparison(view, self, diff)
        else:
            return False
        return True

    def draw(self, table: Table) -> None:
        """Draw a table, block by block. If its head is that of the table before, its rows belong to that."""
        if self._format is None or table.head != self._head:
            if self._format is not None:
                self._end_table()
                self._write(b"\n" if self.look.for_people else b"")
            self._head, self._format = table.head, self._format_for(table.head)
            self._write(self._format.begin())
        for rows in table.blocks():
            self._write(self._format.rows(rows))

    def _format_for(self, head: TableHead) -> Format:
        """The format that draws a table with this head."""
        if getattr(self._options, "nul", False):
            return Tsv(head) if self.terminal else NulEnded(head)  # nobody sees a NUL, nor that a name has two lines
        if head.layout in (QUOTING, REPEATING):
            from simdocs.views.drawn_difference import QuotedPassages

            return QuotedPassages(head, colored=self.colored, terminal=self.terminal)
        implementation: type[Format] = loaded(FORMATS[_format_of(self._options)].implementation)
        return implementation(head, header=self._options.header, colored=self.colored)

    def write(self, drawn: bytes) -> None:
        """Write what a view has drawn."""
        self._end_table()
        self._stream.write(drawn)

    def _end_table(self) -> None:
        if self._format is not None:
            self._write(self._format.end())
            self._format = None

    def finish(self) -> None:
        """Draw the end of the answer, and write everything that was held."""
        if self.terminal and self._progress is not None:
            self._progress("drawing", 0, 0)
        self._end_table()
        held, self._held = self._held, None
        for piece in held or ():
            self._write(piece)
        self._stream.flush()

    def _write(self, drawn: bytes) -> None:
        if not drawn:
            return
        if self._held is not None:
            self._held.append(drawn)
            return
        if self.terminal:
            if self._progress is not None:
                self._progress.close()
            if self._format is None or not self._format.is_harmless:
                drawn = harmless(drawn, json=self._format is not None and self._format.is_json)
        self._stream.write(drawn)


def write(result: Result, options: Any) -> None:
    """Write a result that is complete to a file, in the format that it asks for.

    Names of texts in memory are written as str. OutputError: the file cannot be written.
    """
    with stream_of(options.path) as stream:
        Drawing(options, stream).draw_all(result)
        stream.prepare()


def _with_names(table: Table) -> Table:
    """The table with all names, which may be of any type in Python, as text or bytes."""
    of_names = [kind == NAME for _, kind in table.head.columns]

    def shown(row: Row) -> Row:
        each = zip(row, of_names, strict=True)
        return tuple(str(cell) if name and not isinstance(cell, str | bytes | None) else cell for cell, name in each)

    return Table(table.head, lambda: (list(map(shown, rows)) for rows in table.blocks()))


def _format_of(options: Any) -> str:
    """The name of the format."""
    if options.format is not None:
        return str(options.format)
    if options.path is not None:
        suffix = options.suffix
        return suffix if suffix in FORMATS else ELSEWHERE
    return ON_TERMINAL if is_terminal() else ELSEWHERE


def _colored(*, to_stdout: bool, terminal: bool) -> bool:
    """Whether tables are coloured: on a terminal, or on standard output if FORCE_COLOR is set."""
    if os.environ.get("NO_COLOR"):
        return False
    return (terminal and os.environ.get("TERM") != "dumb") or (to_stdout and bool(os.environ.get("FORCE_COLOR")))


def is_terminal() -> bool:
    """Whether standard output is a terminal."""
    return sys.stdout is not None and sys.stdout.isatty()
