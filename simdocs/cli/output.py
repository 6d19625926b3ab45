"""The stream and the format of an answer."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any

from simdocs.model.answers import DIFFERING, EXPLAINING, LINES_LAYOUT
from simdocs.model.names import display_name
from simdocs.parameters.families import ELSEWHERE, FORMATS, ON_TERMINAL
from simdocs.requests.report_requests import DrawRequest, FormatRequest

if TYPE_CHECKING:
    from simdocs.model.answers import Block, TableHead
    from simdocs.storage.output_stream import OutputStream
    from simdocs.views.output_formats import Format


_WIDE = 60
"""Columns from which on a table has room for the meaning of its rows."""


def path_of(output: object) -> str | None:
    """The path that an output names, or None for standard output."""
    return None if output is None or output == b"-" else os.fsdecode(output)  # type: ignore[arg-type]


def stream_of(path: str | None) -> AbstractContextManager[OutputStream]:
    """The stream to write to. It is opened before the work, so that an output that cannot be written fails at once."""
    from simdocs.storage.output_stream import stdout

    return stdout() if path is None else _file(path)


def summary_of(output: str | None, path: str | None) -> AbstractContextManager[OutputStream | None]:
    """A stream that becomes the summary of what `output` holds, after that was published; None if there is no path."""
    if path is None:
        return nullcontext()
    answer = "the answer was printed" if output is None else f"{display_name(os.fsencode(output))} was published"
    return _file(path, answer)


def _file(path: str, before: str = "") -> AbstractContextManager[OutputStream]:
    from simdocs.artifacts.recognise import is_artifact
    from simdocs.storage.atomic_file import atomic_file

    return atomic_file(path, is_artifact, before)


class Drawing:
    """Draws the blocks of an answer into a stream, in the requested format.

    before: is called before anything is written to a terminal.
    announce: is called before a whole table is laid out.
    hold: write nothing before `finish`.
    """

    def __init__(
        self,
        request: FormatRequest,
        stream: OutputStream,
        *,
        before: Callable[[], None] = lambda: None,
        announce: Callable[[], None] = lambda: None,
        hold: bool = False,
    ) -> None:
        self._request, self._stream, self._before, self._announce = request, stream, before, announce
        self._terminal = request.path is None and is_terminal()
        self._head: TableHead | None = None
        self._format: Format | None = None
        self._held: list[bytes] | None = [] if hold else None

    def take(self, block: Block) -> None:
        """Draw a block of the answer. With another head than before, it begins another table."""
        if self._format is None or block.head != self._head:
            if self._format is not None:
                self._write(self._format.end() + (b"\n" if is_for_people(self._request) else b""))
            self._head, self._format = block.head, _format(self._request, block.head)
            self._write(self._format.begin())
        self._write(self._format.rows(block.rows))

    def finish(self) -> None:
        """Draw the end of the answer, and write everything that was held."""
        if self._terminal:
            self._announce()
        if self._format is not None:
            self._write(self._format.end())
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
        if self._terminal:
            from simdocs.views.output_formats import harmless

            self._before()
            drawn = (
                drawn
                if getattr(self._format, "is_harmless", False)
                else harmless(drawn, json=getattr(self._format, "is_json", False))
            )
        self._stream.write(drawn)


def _format(request: FormatRequest, head: TableHead) -> Format:
    """The format that draws a table with this head."""
    from simdocs.views.output_formats import NulEnded, RawLines, Tsv

    terminal = request.path is None and is_terminal()
    if isinstance(request, DrawRequest) and request.nul:
        return Tsv(head) if terminal else NulEnded(head)  # nobody sees a NUL, nor that a name has two lines
    if head.layout == LINES_LAYOUT:
        return RawLines(head)
    if head.layout == DIFFERING and not FORMATS[format_of(request)].nested:
        from simdocs.views.explained_groups import MarkedPairs

        assert isinstance(request, DrawRequest)
        assert request.diff is not None
        header, color = bool(request.header), colored(request)
        return MarkedPairs(head, request.diff, header=header, colored=color, terminal=terminal)
    if head.layout == EXPLAINING and is_for_people(request):
        from simdocs.views.explained_groups import ExplainedGroups

        return ExplainedGroups(head, colored=colored(request))
    implementation: type[Format] = FORMATS[format_of(request)].load()
    return implementation(head, header=bool(request.header), colored=colored(request))


def format_of(request: FormatRequest) -> str:
    """The name of the format."""
    if request.format is not None:
        return request.format
    if request.path is not None:
        suffix = request.suffix
        return suffix if suffix in FORMATS else ELSEWHERE
    return ON_TERMINAL if is_terminal() else ELSEWHERE


def is_for_people(request: FormatRequest) -> bool:
    """Whether people read the format."""
    return FORMATS[format_of(request)].for_people


def is_explained(request: FormatRequest) -> bool:
    """Whether an answer also says what each of its rows means: a table that has room for this."""
    return is_for_people(request) and get_terminal_size().columns >= _WIDE


def colored(request: FormatRequest) -> bool:
    """Whether tables are coloured."""
    if request.color not in (None, "auto"):
        return request.color == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR") and request.path is None and is_terminal():
        return True
    return request.path is None and is_terminal() and os.environ.get("TERM") != "dumb"


def is_terminal() -> bool:
    """Whether standard output is a terminal."""
    return sys.stdout is not None and sys.stdout.isatty()


def is_read_from(source: Any, output: str) -> bool:
    """Whether the output is the file that holds the text."""
    try:
        there = os.stat(output)
        return stat.S_ISREG(there.st_mode) and os.path.samestat(there, os.stat(0 if source == b"-" else source))
    except OSError:
        return False
