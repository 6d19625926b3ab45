"""The difference of two texts side by side, in two columns of a terminal."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby, zip_longest
from operator import itemgetter
from typing import NamedTuple

from rich.cells import cell_len

from simdocs.model.names import display_name, text_to_name
from simdocs.model.passages import Difference, lines_of
from simdocs.views.drawn_difference import COLORS, Marks
from simdocs.views.output_formats import harmless

_AROUND = 3
"""Lines that are shown before and after a difference when the rest is left out."""

_GUTTER = 3
"""Columns between the texts."""

_LINE_END = re.compile(r"\r\n?")

_WORDS = re.compile(r"\n|[^\S\n]+|\S+")

_TAB = "    "

NO_MARK = ("", "")
"""What is drawn around text that both have: nothing."""

Segment = tuple[str, tuple[str, str]]
"""Some text, and what is drawn before and after it, which takes no columns: a colour, and its end."""


def side_by_side(
    difference: Difference, names: Sequence[str], marks: Marks, width: int, *, whole: bool = True
) -> Iterator[str]:
    """Yield lines of at most `width` columns, with the first text on the left and the second on the right.

    Between them stands | where both differ, and < or > where only one of them has text. Lines that both have at the
    same place are on one height. whole: with all shared lines.
    """
    column = (width - _GUTTER) // 2
    left_name, right_name = ([(display_name(text_to_name(name)), NO_MARK)] for name in names)
    yield from _drawn(left_name, right_name, " ", column)
    yield "─" * width
    every = list(blocks(difference, marks))
    near = {at + by for at, block in enumerate(every) if block[2] for by in range(-_AROUND, _AROUND + 1)}
    left_out = 0
    for at, (left, right, differs) in enumerate(every):
        if not whole and at not in near:
            left_out += 1
            continue
        if left_out:
            yield _equal_lines(left_out, marks)
            left_out = 0
        sign = " " if not differs else "|" if left and right else "<" if left else ">"
        yield from _drawn(left, right, sign, column)
    if left_out:
        yield _equal_lines(left_out, marks)


def blocks(difference: Difference, marks: Marks) -> Iterator[tuple[list[Segment], list[Segment], bool]]:
    """Yield what stands side by side, and whether it differs. A block ends as soon as both texts end a line."""
    left, right, differs = list[Segment](), list[Segment](), False
    for passage in difference.passages:
        lines = lines_of(passage.a), lines_of(passage.b)
        if not passage.shared:
            left += [segment for line in lines[0] for segment in _segments(line, marks.removed)]
            right += [segment for line in lines[1] for segment in _segments(line, marks.added)]
            differs = True
            continue
        if differs and _at_line_end(left) and _at_line_end(right):
            yield left, right, differs
            left, right, differs = [], [], False
        # Both have the same words; but lines may be broken elsewhere, as where paragraphs were filled again.
        in_step = len(lines[0]) == len(lines[1])
        for a, b in zip(*lines, strict=True) if in_step else [(passage.a, passage.b)]:
            left.append((a, NO_MARK))
            right.append((b, NO_MARK))
            if _at_line_end(left) and _at_line_end(right):
                yield left, right, differs
                left, right, differs = [], [], False
    if left or right:
        yield left, right, differs


def _segments(line: str, mark: tuple[str, str]) -> Iterator[Segment]:
    """Yield a line that only one text has, with its mark, and then its end without."""
    body = line.rstrip()
    if body:
        yield (body, mark) if mark[0].startswith("\x1b") else (f"{mark[0]}{body}{mark[1]}", NO_MARK)
    yield line[len(body) :], NO_MARK


def _at_line_end(segments: Sequence[Segment]) -> bool:
    return not segments or segments[-1][0].endswith(("\n", "\r"))


def _equal_lines(count: int, marks: Marks) -> str:
    before, after = marks.left_out
    return f"{before}{count:,} equal line{'s' * (count > 1)}{after}"


def _drawn(left: Sequence[Segment], right: Sequence[Segment], sign: str, column: int) -> Iterator[str]:
    """Yield the lines of a block."""
    nothing = list[Segment]()
    for a, b in zip_longest(_wrapped(left, column), _wrapped(right, column), fillvalue=nothing):
        blank = " " * (column - sum(cell_len(text) for text, _ in a))
        yield f"{_with_marks(a)}{blank} {sign} {_with_marks(b)}".rstrip()


def _with_marks(line: Sequence[Segment]) -> str:
    runs = ((mark, "".join(text for text, _ in run)) for mark, run in groupby(line, key=itemgetter(1)))
    return "".join(f"{mark[0]}{text}{mark[1]}" for mark, text in runs)


def _wrapped(segments: Sequence[Segment], column: int) -> list[list[Segment]]:
    """The segments in lines of at most `column` columns, broken between words where that is possible."""
    lines, room, continued = [list[Segment]()], column, False
    for text, mark in segments:
        for word in _WORDS.findall(_harmless(text.replace("\t", _TAB))):
            if word == "\n":
                lines.append([])
                room, continued = column, False
                continue
            for part in _cut(word, column):
                if cell_len(part) > room:
                    lines.append([])
                    room, continued = column, True
                if continued and room == column and part.isspace():
                    continue
                lines[-1].append((part, mark))
                room -= cell_len(part)
    return lines if lines[-1] else lines[:-1]


def _harmless(text: str) -> str:
    """The text with escapes for what would be invisible or turn the direction of writing. Lines end with LF."""
    return harmless(_LINE_END.sub("\n", text).encode("utf-8", "surrogateescape"), json=False).decode()


def _cut(word: str, column: int) -> Iterator[str]:
    """Yield a word in parts of at most `column` columns. East Asian characters take two columns each."""
    if cell_len(word) <= column:
        yield word
        return
    begin = used = 0
    for at, character in enumerate(word):
        size = cell_len(character)
        if used + size > column:
            yield word[begin:at]
            begin, used = at, 0
        used += size
    yield word[begin:]


class DifferenceRow(NamedTuple):
    """What stands side by side: pieces of each text, in turn plain and marked, from a plain one on."""

    left: list[str]
    right: list[str]
    differs: bool


def difference_rows(difference: Difference) -> Iterator[DifferenceRow]:
    """Yield the rows of a difference. A row ends where both texts end a line."""
    for left, right, differs in blocks(difference, COLORS):
        yield DifferenceRow(_pieces(left), _pieces(right), differs)


def _pieces(segments: Sequence[Segment]) -> list[str]:
    pieces = [""]
    for is_marked, some in groupby(segments, key=lambda segment: segment[1] != NO_MARK):
        text = "".join(text for text, _ in some)
        if is_marked == (len(pieces) % 2 == 1):
            pieces.append("")
        pieces[-1] += text
    shown = [_harmless(piece) for piece in pieces]
    shown[-1] = shown[-1].removesuffix("\n")
    return shown
