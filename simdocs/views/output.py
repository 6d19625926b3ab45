"""The stream and the format of an answer."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from simdocs.errors import UsageError
from simdocs.model.answers import NAME, NAMES, QUOTING, REPEATING, Look
from simdocs.options.declaration import loaded
from simdocs.options.file_formats import ELSEWHERE, FORMATS, ON_TERMINAL, compression_of
from simdocs.views.wrapping import columns_of_output

if TYPE_CHECKING:
    from simdocs.model.answers import Answer, Block, Row, TableHead
    from simdocs.storage.output_stream import OutputStream
    from simdocs.views.messages import ProgressBar
    from simdocs.views.output_formats import Format


_WIDE = 60
"""Columns from which on a table has room for the meaning of its rows."""


def path_of(output: object) -> str | None:
    """The path that an output names, or None for standard output."""
    return None if output is None or output == b"-" else os.fsdecode(output)  # type: ignore[arg-type]


def stream_of(path: str | None, drawn: Any = None) -> AbstractContextManager[OutputStream]:
    """The stream to write to. It is opened before the work, so that an output that cannot be written fails at once.

    drawn: says how an answer is drawn, which may have parts.
    """
    from simdocs.storage.output_stream import stdout

    if drawn is not None and drawn.has_parts:
        return _parts(drawn)
    return stdout() if path is None else file_of(path)


def _parts(drawn: Any) -> AbstractContextManager[OutputStream]:
    from simdocs.artifacts.recognise import is_artifact
    from simdocs.storage.atomic_tree import atomic_parts

    chosen = _format_of(drawn)
    end_mark = b"" if FORMATS[chosen].binary else b"\0" if getattr(drawn, "nul", False) else b"\n"
    path = os.fsdecode(drawn.output or b"")
    return atomic_parts(path, drawn.ending, end_mark, is_artifact, quoted=chosen == "csv")


def file_of(path: str, before: str = "") -> AbstractContextManager[OutputStream]:
    """The stream that becomes a file. before: what was published before it, for the error if it cannot be, too."""
    from simdocs.artifacts.recognise import is_artifact
    from simdocs.storage.atomic_file import atomic_file

    file = atomic_file(path, is_artifact, before)
    return _compressed(file, os.fsencode(path)) if compression_of(os.fsencode(path)) else file


@contextmanager
def _compressed(file: AbstractContextManager[OutputStream], name: bytes) -> Iterator[OutputStream]:
    """The same file, compressed as its name says. MissingExtraError: the library is not installed."""
    from simdocs.corpora.compression import CompressedSink
    from simdocs.storage.output_stream import EncodedStream

    CompressedSink(name, lambda _: None)  # fails now if it ever does, before the file is created
    with file as stream:
        encoded = EncodedStream(stream, CompressedSink(name, stream.write))
        yield encoded
        encoded.prepare()


class Drawing:
    """Draws the blocks of an answer into a stream, in the requested format.

    progress: the progress bar, which is closed before anything is written to a terminal. With --strict nothing is
    written before `finish`, because an error may still forbid the answer.
    """

    def __init__(self, options: Any, stream: OutputStream, progress: ProgressBar | None = None) -> None:
        self._options, self._stream, self._progress = options, stream, progress
        hold = getattr(options, "strict", False)
        self.look = look_of(options)
        if options.file_format is not None:
            options.file_format.ready()
            if self.look.terminal:
                named = f"-o NAME.{options.file_format.suffix}"
                what = f"a .{options.file_format.suffix} file is not for a terminal"
                raise UsageError(f"{what}: use {named}, or redirect the output")
        elif FORMATS[_format_of(options)].binary:
            _begin_binary(options, self.look)
        self._head: TableHead | None = None
        self._format: Format | None = None
        self._is_cut = options.has_parts and FORMATS[_format_of(options)].binary
        # Parts are not published before the end either.
        self._held: list[bytes] | None = [] if hold and not self._is_cut else None
        self._rows_of_part = 0

    @property
    def has_begun(self) -> bool:
        """Whether a block was drawn."""
        return self._head is not None

    def complete(self, result: Answer) -> None:
        """Draw the result, unless it was drawn in blocks, and write everything, so that it only has to be published."""
        if not self.has_begun:
            self.draw(result)
        self._stream.prepare()

    def draw(self, result: Answer) -> None:
        """Draw a whole result: as a view of its own draws it, or its tables."""
        own = result.view(self.look)
        if self.look.as_file:
            assert self._options.file_format is not None
            drawn = self._options.file_format.load()(result)
            for piece in (drawn,) if isinstance(drawn, bytes) else drawn:
                self.write(piece)
        elif own:
            loaded(own)(result, self.look, self)
        else:
            for block in result.blocks(self.look):
                self.take(block)
        self.finish()

    def take(self, block: Block) -> None:
        """Draw a block of the answer. With another head than before, it begins another table."""
        if self._is_cut:
            self._take_in_parts(block)
        else:
            self._take(block)

    def _take_in_parts(self, block: Block) -> None:
        """Draw a block in a binary format, of which each part is a whole file with the same number of rows."""
        from simdocs.storage.atomic_tree import PART_ROWS, PartedStream

        assert isinstance(self._stream, PartedStream)
        rows = block.rows
        while True:
            if rows and self._rows_of_part == PART_ROWS:
                self._end_table()
                self._stream.next_part()
                self._rows_of_part = 0
            some = rows[: PART_ROWS - self._rows_of_part]
            self._take(block._replace(rows=some))
            self._rows_of_part += len(some)
            rows = rows[len(some) :]
            if not rows:
                return

    def _take(self, block: Block) -> None:
        if self._format is None or block.head != self._head:
            if self._format is not None:
                self._end_table()
                self._write(b"\n" if self.look.for_people else b"")
            self._head, self._format = block.head, _format(self._options, self.look, block.head)
            self._write(self._format.begin())
        self._write(self._format.rows(block.rows))

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
        if self.look.terminal and self._progress is not None:
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
        if self.look.terminal:
            from simdocs.views.output_formats import harmless

            if self._progress is not None:
                self._progress.close()
            if self._format is None or not self._format.is_harmless:
                drawn = harmless(drawn, json=self._format is not None and self._format.is_json)
        self._stream.write(drawn)


def write(result: Answer, options: Any) -> None:
    """Write a result that is complete to a file, in the format that it asks for.

    Names of texts in memory are written as str. OutputError: the file cannot be written.
    """
    with stream_of(options.path, options) as stream:
        drawing = Drawing(options, stream)
        look = drawing.look
        if look.as_file or (look.for_people and result.view(look)):
            drawing.draw(result)
        else:
            blocks = list(result.blocks(look))
            of_first = takewhile(lambda block: block.head == blocks[0].head, blocks)
            for block in blocks if look.holds_all else of_first:
                drawing.take(block._replace(rows=[_with_names(row, block.head) for row in block.rows]))
            drawing.finish()
        stream.prepare()


def _with_names(row: Row, head: TableHead) -> Row:
    """A row in which all names, which may be of any type, are text or bytes."""
    return tuple(
        str(cell) if column.kind == NAME and not isinstance(cell, str | bytes | None) else cell
        for cell, column in zip(row, head.columns, strict=True)
    )


def _format(options: Any, look: Look, head: TableHead) -> Format:
    """The format that draws a table with this head."""
    from simdocs.views.output_formats import NulEnded, Tsv

    if getattr(options, "nul", False):
        return Tsv(head) if look.terminal else NulEnded(head)  # nobody sees a NUL, nor that a name has two lines
    if head.layout == QUOTING:
        from simdocs.views.quoted_passages import QuotedPassages

        return QuotedPassages(look)
    if head.layout == REPEATING:
        from simdocs.views.quoted_passages import RepeatedTexts

        return RepeatedTexts(look)
    implementation: type[Format] = FORMATS[_format_of(options)].load()
    return implementation(head, header=options.header, colored=look.colored)


def _begin_binary(options: Any, look: Look) -> None:
    """Find out before the work whether a binary format can be written.

    UsageError: a terminal cannot show it. MissingExtraError: the library that writes it is missing.
    """
    name = _format_of(options)
    if look.terminal:
        elsewhere = f"use -o NAME.{name}, or redirect the output"
        raise UsageError(f"--format {name} is not for a terminal: {elsewhere}")
    _format(options, look, NAMES)


def look_of(options: Any) -> Look:
    """How an answer is wanted to be drawn."""
    form, terminal = FORMATS[_format_of(options)], options.path is None and is_terminal()
    return Look(
        for_people=form.for_people,
        nested=form.nested or (options.file_format is not None and options.file_format.nested),
        explained=form.for_people and columns_of_output() >= _WIDE,
        verbose=options.verbose,
        diff=getattr(options, "diff", None),
        listing=getattr(options, "list", None),
        as_file=options.file_format is not None,
        colored=_colored(to_stdout=options.path is None, terminal=terminal),
        terminal=terminal,
    )


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
