"""The stream and the format of an answer."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any

from simdocs.errors import UsageError
from simdocs.extras import needs
from simdocs.model.result import NAME, NAMES, QUOTING, REPEATING, Look, Row, Table, TableHead, tables_of
from simdocs.options.declaration import loaded
from simdocs.options.families import ELSEWHERE, FORMATS, ON_TERMINAL, compression_of

if TYPE_CHECKING:
    from simdocs.model.result import Result
    from simdocs.storage.atomic_file import OutputStream
    from simdocs.views.messages import ProgressBar
    from simdocs.views.output_formats import Format


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
        if page:
            if page == "html":
                needs("jinja2", "writing HTML")
            if self.terminal:
                raise UsageError(f"a .{page} file is not for a terminal: use -o NAME.{page}, or redirect the output")
        elif form.binary:
            if self.terminal:
                name = _format_of(options)
                elsewhere = f"use -o NAME.{name}, or redirect the output"
                raise UsageError(f"--format {name} is not for a terminal: {elsewhere}")
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

            self.write(figure_file(view))
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
        self._take(table.head, [])
        for rows in table.blocks():
            self._take(table.head, rows)

    def _take(self, head: TableHead, rows: list[Row]) -> None:
        if self._format is None or head != self._head:
            if self._format is not None:
                self._end_table()
                self._write(b"\n" if self.look.for_people else b"")
            self._head, self._format = head, self._format_for(head)
            self._write(self._format.begin())
        self._write(self._format.rows(rows))

    def _format_for(self, head: TableHead) -> Format:
        """The format that draws a table with this head."""
        from simdocs.views.output_formats import NulEnded, Tsv

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
            from simdocs.views.output_formats import harmless

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
        drawing = Drawing(options, stream)
        drawing.draw_all(result)
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
