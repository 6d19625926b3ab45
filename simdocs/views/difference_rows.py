"""The difference of two texts as rows of a page: the lines of both side by side, with what differs marked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from simdocs.model.passages import Difference
from simdocs.views.drawn_difference import COLORS
from simdocs.views.output_formats import harmless
from simdocs.views.side_by_side import NO_MARK, Segment, blocks


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


def _harmless(text: str) -> str:
    """The text with escapes for what would be invisible or turn the direction of writing. Lines end with LF."""
    ends = text.replace("\r\n", "\n").replace("\r", "\n")
    return harmless(ends.encode("utf-8", "surrogateescape"), json=False).decode()
