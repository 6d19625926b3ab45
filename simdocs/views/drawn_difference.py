"""The difference of two texts, with marks in the text, as a unified diff, or as rows of a page; and quoted passages."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import groupby
from operator import itemgetter
from typing import Any, ClassVar, NamedTuple, cast

from simdocs.model.comparison import Comparison, Difference, Excerpt, lines_in
from simdocs.model.result import QUOTING, Cell, Row, TableHead, plain, tables_of
from simdocs.names import display_name
from simdocs.views.messages import columns_of_output
from simdocs.views.output import Drawing, Format, harmless
from simdocs.views.output_formats import by_rich

PLAIN = "\x1b[0m"
"""The end of a colour."""

_REMOVED, _ADDED, _DIM, _BOLD = "\x1b[31;9m", "\x1b[32;4m", "\x1b[2m", "\x1b[1m"


class Marks(NamedTuple):
    """The marks around passages of the first text alone, of the second alone, and around a note on what is left out;
    and around a passage that both have, if others are around it."""

    removed: tuple[str, str] = ("[-", "-]")
    added: tuple[str, str] = ("{+", "+}")
    left_out: tuple[str, str] = ("[... ", " ...]")
    both: tuple[str, str] = ("[=", "=]")


COLORS = Marks((_REMOVED, PLAIN), (_ADDED, PLAIN), (f"{_DIM}[... ", f" ...]{PLAIN}"), (_BOLD, PLAIN))
"""Marks for a terminal with colours."""


Pieces = Iterator[tuple[str, bool]]
"""Pieces of an answer, and whether each comes from a text, so that it may do harm to a terminal."""


_MOST_PLACES = 20
"""Places that differ that are shown if the difference was not asked for: about two screens."""

_LONGEST = 600
"""Characters of a passage that differs that are shown of each text if the rest is left out ..."""

_ENDS = 150
"""... and of a longer one at its beginning, and at its end."""

_SHOWN_AROUND = 40
"""Characters of a long shared passage that are shown before and after a difference when the rest is left out."""


def marked(difference: Difference, marks: Marks, *, whole: bool = True) -> Pieces:
    """Yield both texts as one, with marks around the passages that only one of them has.

    Shared passages are those of the first text. Where a passage that differs begins or ends, there are spaces if either
    text has some there, so that no mark makes one word of two.

    whole: show all of them. Otherwise shared passages are shown near differences, and long ones without their middle.
    """
    for at, passage in enumerate(difference.passages):
        if passage.shared:
            more = at < len(difference.passages) - 1
            text = passage.a + (_spaces_after(passage.b) if more and not _spaces_after(passage.a) else "")
            yield from [(text, True)] if whole else _shortened(text, marks, at > 0, more)
        else:
            for text, around in ((passage.a, marks.removed), (passage.b, marks.added)):
                if text.strip():
                    yield from _between(text.rstrip(), around, marks, brief=not whole)
            yield _spaces_after(passage.b) or _spaces_after(passage.a), True


def _between(text: str, around: tuple[str, str], marks: Marks, *, brief: bool) -> Pieces:
    """Yield a text between marks. brief: leave out the middle of a long one."""
    parts = ends_of(text) if brief else (text,)
    for number, part in enumerate(parts):
        if number:
            count = len(text) - sum(map(len, parts))
            yield f"{marks.left_out[0]}{count:,} more characters{marks.left_out[1]}", False
        yield from ((around[0], False), (part, True), (around[1], False))


def ends_of(text: str) -> tuple[str, ...]:
    """The beginning and the end of a long text, cut between words if possible; another text as it is."""
    if len(text) <= _LONGEST:
        return (text,)
    head, tail = text[:_ENDS], text[-_ENDS:]
    return head.rpartition(" ")[0] or head, tail.partition(" ")[2] or tail


def _spaces_after(text: str) -> str:
    """The spaces and ends of lines that a text ends with."""
    return text[len(text.rstrip()) :]


def _shortened(text: str, marks: Marks, after: bool, before: bool) -> Pieces:
    """Yield a shared passage without its middle if it is long. after, before: whether a difference is next to it."""
    head, tail = _SHOWN_AROUND * after, _SHOWN_AROUND * before
    if len(text) <= head + tail + _SHOWN_AROUND:
        yield text, True
        return
    begin = text[:head].rpartition(" ")[0] if head else ""
    end = text[len(text) - tail :].partition(" ")[2] if tail else ""
    count = len(text) - len(begin) - len(end)
    yield from ((begin.rstrip(), True), ("\n" if begin else "", False))
    yield f"{marks.left_out[0]}{count:,} equal characters{marks.left_out[1]}\n", False
    yield end.lstrip(), True


_AROUND = 3
"""Lines around a difference."""


def unified(difference: Difference, names: Sequence[str], *, colored: bool) -> Pieces:
    """Yield a unified diff: the lines that differ, with three lines around them. Nothing if none differs.

    Differences with up to six lines between them are in one hunk, as of diff.
    """
    a, b, passages = list[str](), list[str](), list[tuple[str, int, int, int, int]]()
    for passage in difference.passages:
        begins = len(a), len(b)
        a += map(sys.intern, lines_in(passage.a))  # short lines, of which there may be millions, are held once
        b += map(sys.intern, lines_in(passage.b))
        passages.append(("equal" if passage.shared else "replace", begins[0], len(a), begins[1], len(b)))
    matcher = SequenceMatcher[str]()
    matcher.opcodes = passages  # type: ignore[attr-defined]  # what it would find itself, much slower
    for number, hunk in enumerate(matcher.get_grouped_opcodes(_AROUND) if passages else ()):
        if not number:
            for sign, name in zip(("---", "+++"), names, strict=True):
                yield from ((f"{sign} ", False), (name, True), ("\n", False))
        yield f"@@ -{_span(hunk[0][1], hunk[-1][2])} +{_span(hunk[0][3], hunk[-1][4])} @@\n", False
        for tag, *places in hunk:
            of_a, of_b = a[slice(*places[:2])], b[slice(*places[2:])]
            for sign, lines in ((" ", of_a),) if tag == "equal" else (("-", of_a), ("+", of_b)):
                color = {"-": "\x1b[31m", "+": "\x1b[32m"}.get(sign, "") if colored else ""
                for line in lines:
                    text = sign + line.rstrip("\n"), True
                    yield from ((color, False), text, (PLAIN, False)) if color else (text,)
                    yield "\n" if line.endswith("\n") else "\n\\ No newline at end of file\n", False


def _span(begin: int, end: int) -> str:
    """The lines of one text in a hunk, as the head of the hunk states them."""
    return f"{begin + 1 if end > begin else begin},{end - begin}"


def drawn_as(
    diff: str | None, difference: Difference, names: Sequence[str], *, colored: bool = False, terminal: bool = False
) -> bytes:
    """A difference as bytes. If nothing differs, one line says so.

    diff: how it is drawn, a member of `DIFFS`; None: with marks in the text, without what both have, the middle of long
    passages, and all but the first places. terminal: escape what could do harm to a terminal, and wrap texts with marks
    between words.
    """
    if same := difference.equality if diff == "unified" else difference.likeness:
        return f"[{same}]\n".encode()
    if diff == "unified":
        return drawn(unified(difference, names, colored=colored), terminal=terminal, colored=colored)
    shown = difference if diff else difference.first_places(_MOST_PLACES)
    pieces = marked(shown, COLORS if colored else Marks(), whole=diff is not None)
    text = drawn(pieces, terminal=terminal, colored=colored, wrapped=True)
    if more := difference.places - shown.places:
        of = f"{more:,} of {difference.places:,} places that differ are not shown"
        text += f"[{of}: --diff words shows all]\n".encode()
    return text


def harmless_text(text: str) -> str:
    """The text with escapes for what would be invisible or turn the direction of writing."""
    return harmless(text.encode("utf-8", "surrogateescape"), json=False).decode()


def drawn(pieces: Pieces, *, terminal: bool, colored: bool, wrapped: bool = False) -> bytes:
    """The pieces as bytes, with a line end.

    terminal: escape what could do harm to a terminal in pieces of texts. wrapped: wrap lines between words there.
    """
    whole = bytearray()  # of many short pieces, which would take more memory as objects
    for text, given in pieces:
        whole += (harmless_text(text) if given and terminal else text).encode("utf-8", "surrogateescape")
    if whole and not whole.endswith(b"\n"):
        whole += b"\n"
    if not (terminal and wrapped):
        return bytes(whole)
    from rich.text import Text

    return by_rich(Text.from_ansi(whole.decode().rstrip("\n")), columns_of_output(), colored=colored).encode()


def draw_comparison(result: Comparison, drawing: Drawing, diff: str | None) -> None:
    """Draw the sentence, the difference and the measures for people, or else the difference alone.

    diff: how the difference is drawn, a member of DIFFS; None: it was not asked for. Then equal texts have none.
    """
    found = result.difference
    assert found is not None
    names = [str(name) for name in result.names]
    different = drawn_as(diff, found, names, colored=drawing.colored, terminal=drawing.terminal)
    if not drawing.look.for_people:
        # A patch that changes nothing is empty.
        drawing.write(b"" if diff == "unified" and found.equality else different)
        return
    drawing.write("".join(f"{line}\n" for line in (*result.verdict, "")).encode())
    if diff is not None or not result.sameness:
        drawing.write(different + b"\n")
    for table in tables_of(result, drawing.look):
        drawing.draw(table)


_LINE_END = re.compile(r"\r\n?")

_Segment = tuple[str, bool]
"""Some text, and whether only this text has it."""


class DifferenceRow(NamedTuple):
    """What stands side by side: pieces of each text, in turn plain and marked, from a plain one on."""

    left: list[str]
    right: list[str]
    differs: bool


def difference_rows(difference: Difference) -> Iterator[DifferenceRow]:
    """Yield the rows of a difference. A row ends as soon as both texts end a line."""
    left, right, differs = list[_Segment](), list[_Segment](), False
    for passage in difference.passages:
        lines = list(lines_in(passage.a)), list(lines_in(passage.b))
        if not passage.shared:
            left += [segment for line in lines[0] for segment in _marked(line)]
            right += [segment for line in lines[1] for segment in _marked(line)]
            differs = True
            continue
        if differs and _at_line_end(left) and _at_line_end(right):
            yield DifferenceRow(_pieces(left), _pieces(right), differs)
            left, right, differs = [], [], False
        # Both have the same words; but lines may be broken elsewhere, as where paragraphs were filled again.
        in_step = len(lines[0]) == len(lines[1])
        for a, b in zip(*lines, strict=True) if in_step else [(passage.a, passage.b)]:
            left.append((a, False))
            right.append((b, False))
            if _at_line_end(left) and _at_line_end(right):
                yield DifferenceRow(_pieces(left), _pieces(right), differs)
                left, right, differs = [], [], False
    if left or right:
        yield DifferenceRow(_pieces(left), _pieces(right), differs)


def _marked(line: str) -> Iterator[_Segment]:
    """Yield a line that only one text has, with a mark, and then its end without."""
    body = line.rstrip()
    if body:
        yield body, True
    yield line[len(body) :], False


def _at_line_end(segments: Sequence[_Segment]) -> bool:
    return not segments or segments[-1][0].endswith(("\n", "\r"))


def _pieces(segments: Sequence[_Segment]) -> list[str]:
    pieces = [""]
    for is_marked, some in groupby(segments, key=itemgetter(1)):
        text = "".join(text for text, _ in some)
        if is_marked == (len(pieces) % 2 == 1):
            pieces.append("")
        pieces[-1] += text
    shown = [harmless_text(_LINE_END.sub("\n", piece)) for piece in pieces]
    shown[-1] = shown[-1].removesuffix("\n")
    return shown


class QuotedPassages(Format):
    """Draws each row as a line, below it the passage that is its last cell with what is around it, and an empty line.

    The line has both places. If a row has several, it has the number of the passage, its length and its counts, and the
    first places are below it. terminal: escape what could do harm to a terminal, and wrap between words.
    """

    is_harmless: ClassVar[bool] = True

    def __init__(self, head: TableHead, *, colored: bool, terminal: bool) -> None:
        self._layout, self._colored, self._terminal = head.layout, colored, terminal

    def row(self, row: Row) -> bytes:
        """One passage."""
        excerpt = cast("Excerpt", row[-1])
        if self._layout == QUOTING:
            line, below = f"{excerpt.length}: {_place(*row[:4])} = {_place(*row[4:8])}", ""
        else:
            number, length, own, documents, count, places, _ = cast("tuple[Any, ...]", row)
            new = "" if own is None else f", {own:,} of them its own,"
            at = f", {count:,} places" if count > documents else ""
            line = f"{number}: {length}{new} in {documents:,} documents{at}"
            below = "".join(f"  {_place(*each)}\n" for each in places)
            below += f"  and {count - len(places):,} more\n" if count > len(places) else ""
        if self._colored:
            line = f"{_BOLD}{line}{PLAIN}"
        marks = COLORS if self._colored else Marks()
        passage = _between(excerpt.passage, marks.both, marks, brief=True)
        pieces = iter([(excerpt.before, True), *passage, (excerpt.after, True)])
        quoted = drawn(pieces, terminal=self._terminal, colored=self._colored, wrapped=True)
        return f"{line}\n{below}".encode() + quoted + b"\n"


def _place(name: Cell, begin: object, end: object, line: object) -> str:
    """A place as compilers print it, and the characters that it has."""
    return f"{display_name(plain(name))}:{line} ({begin}-{end})"
