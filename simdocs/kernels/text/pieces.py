"""Normalised texts in pieces of a batch's size, cut where no unit is broken."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from simdocs.model.ragged import Array, Index, Mask, Ragged
from simdocs.model.texts import STRIDE, Texts

PIECE = 16 * STRIDE
"""Code points in a piece."""

_LOOK = 256
"""Code points in which a place to cut is looked for first."""


@dataclass(frozen=True, slots=True)
class Piece:
    """The code points from `at` on of some texts: Ragged, a row for each text, the first of which has the number
    `first`. That one may begin, and the last may end, in other pieces."""

    first: int
    at: int
    points: Ragged


def pieces(texts: Texts, ends: Callable[[Array], Mask]) -> Iterator[Piece]:
    """Texts in pieces of at least PIECE code points, each cut between two texts or before a code point of which
    `ends` says that no unit goes on there."""
    points, offsets = texts.codepoints.values, texts.codepoints.offsets
    at = 0
    while at < len(points):
        stop = _cut(points, offsets, at + PIECE, ends)
        first = int(np.searchsorted(offsets, at, side="right")) - 1
        last = int(np.searchsorted(offsets, stop, side="left"))
        cuts: Index = np.clip(offsets[first : last + 1], at, stop) - at
        yield Piece(first, at, Ragged(points[at:stop], cuts))
        at = stop


def _cut(points: Array, offsets: Index, wanted: int, ends: Callable[[Array], Mask]) -> int:
    """The first place from the wanted one where texts can be cut."""
    if wanted >= len(points):
        return len(points)
    between = int(offsets[np.searchsorted(offsets, wanted)])
    look = _LOOK
    while wanted < between:
        found = ends(points[wanted : min(wanted + look, between)])
        if found.any():
            return wanted + int(found.argmax())
        wanted, look = wanted + look, 2 * look
    return between
