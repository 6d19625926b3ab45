"""Pieces of normalised texts, of about a batch's size, cut where no unit is split."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from simdocs.model.ragged import Array, Index, Mask, Ragged
from simdocs.model.texts import STRIDE, Texts

PIECE = 16 * STRIDE
"""Smallest number of code points in a piece, except for the last one."""

_LOOK_AHEAD = 256
"""Code points that are searched first for a place to cut."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of the code points of some texts.

    first: the row of the first text in it, whose beginning may lie in an earlier piece. at: the position of its first
    code point among the code points of all texts. codepoints: Ragged, one row for each text in it; the end of the last
    one may lie in a later piece.
    """

    first: int
    at: int
    codepoints: Ragged


def pieces(texts: Texts, cuts: Callable[[Array], Mask]) -> Iterator[Piece]:
    """Pieces of at least PIECE code points that together are all the texts, in order.

    A piece begins where a text begins, or at a code point for which `cuts`, called with code points (n,), is true: no
    unit contains both that code point and the one before it.
    """
    codepoints, offsets = texts.codepoints.values, texts.codepoints.offsets
    at = 0
    while at < len(codepoints):
        stop = _next_cut(codepoints, offsets, at + PIECE, cuts)
        first = int(np.searchsorted(offsets, at, side="right")) - 1
        last = int(np.searchsorted(offsets, stop, side="left"))
        bounds: Index = np.clip(offsets[first : last + 1], at, stop) - at
        yield Piece(first, at, Ragged(codepoints[at:stop], bounds))
        at = stop


def _next_cut(codepoints: Array, offsets: Index, wanted: int, cuts: Callable[[Array], Mask]) -> int:
    """The first position, from `wanted` on, where the texts can be cut."""
    if wanted >= len(codepoints):
        return len(codepoints)
    end_of_text = int(offsets[np.searchsorted(offsets, wanted)])
    look_ahead = _LOOK_AHEAD
    while wanted < end_of_text:
        found = cuts(codepoints[wanted : min(wanted + look_ahead, end_of_text)])
        if found.any():
            return wanted + int(found.argmax())
        wanted, look_ahead = wanted + look_ahead, 2 * look_ahead
    return end_of_text
