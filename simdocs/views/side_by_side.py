"""The rows of a difference, of which a page shows the texts side by side."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from simdocs.model.passages import Difference, lines_in
from simdocs.views.output_formats import harmless

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
    shown = [_harmless(piece) for piece in pieces]
    shown[-1] = shown[-1].removesuffix("\n")
    return shown


def _harmless(text: str) -> str:
    """The text with escapes for what would be invisible or turn the direction of writing. Lines end with LF."""
    return harmless(_LINE_END.sub("\n", text).encode("utf-8", "surrogateescape"), json=False).decode()
