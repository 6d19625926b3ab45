"""Texts as arrays of code points, and tables that look up a number for each code point."""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np
from numpy.typing import DTypeLike

from simdocs.model.ragged import Array, Index


def to_codepoints(text: str) -> Array:
    """The code points of a text: (n,) uint32. Lone surrogates are kept."""
    return np.array([text]).view(np.uint32)[: len(text)]


def from_codepoints(codepoints: Array) -> str:
    """The text with these code points, given as (n,) uint32."""
    if not len(codepoints):
        return ""
    text: str = codepoints.view(f"U{len(codepoints)}").item()
    return text + "\0" * (len(codepoints) - len(text))  # NumPy drops NULs at the end


_BLOCK = 1 << 18
"""Code points that are looked up at once: their indices take 8 bytes each."""


_PAGES = 16
"""Pages that are filled at once."""


class CodepointTable:
    """A table from code points to numbers that is filled when code points are looked up.

    `numbers_of` computes the numbers of some code points. The first time that a code point is looked up, its whole page
    of 256 code points is computed and stored. A script uses few pages, and the rest of the table takes no memory. A
    stored 0 means "not computed yet": a code point whose number is 0 is computed again at every lookup.

    numbers: what is stored, for each code point.
    """

    def __init__(self, numbers_of: Callable[[Index], Array | list[int]], dtype: DTypeLike) -> None:
        self._numbers_of = numbers_of
        self.numbers = np.zeros(sys.maxunicode + 1, dtype)

    def __call__(self, codepoints: Array) -> Array:
        """The number of each code point: same shape (n,), dtype of the table."""
        if len(codepoints) <= _BLOCK:
            return self._look_up(codepoints)
        found = np.empty(len(codepoints), self.numbers.dtype)
        for at in range(0, len(codepoints), _BLOCK):
            found[at : at + _BLOCK] = self._look_up(codepoints[at : at + _BLOCK])
        return found

    def _look_up(self, codepoints: Array) -> Array:
        indices = codepoints.astype(np.intp)
        found = self.numbers.take(indices, mode="wrap")  # cheaper than mode="raise", and no index is out of range
        if found.min(initial=1) == 0:
            self.fill(np.flatnonzero(np.bincount(indices[found == 0] >> 8)))
            found = self.numbers.take(indices, mode="wrap")
        return found

    def fill(self, pages: Array) -> None:
        """Compute and store these pages. Page p begins at the code point 256 p."""
        for some in np.split(pages, range(_PAGES, len(pages), _PAGES)):
            points = (some[:, None] << 8 | np.arange(256)).ravel()
            self.numbers[points] = self._numbers_of(points)


def one_by_one(number_of: Callable[[int], int]) -> Callable[[Index], list[int]]:
    """A function for a table that computes the number of each code point by itself."""
    return lambda points: list(map(number_of, points.tolist()))
