"""Texts as arrays of code points, tables of a number for each code point, and the kinds of characters as bit flags.

The kinds come from Python's own Unicode tables. `unicodedata.unidata_version` names their version.
"""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Callable
from functools import cache

import numpy as np
from numpy.typing import DTypeLike

from simdocs.model.ragged import Array, Bytes, Index


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


SPACE = 1
"""Whitespace, as str.isspace defines it."""
WORD = 2
r"""Word characters, \w of Python's re: str.isalnum, or the underscore."""
MARK = 4
"""Combining marks that belong to the word around them: categories Mn and Mc."""
UNSPACED = 8
"""Word characters of scripts written without spaces: each is a word of its own."""
NONSPACING = 16
"""Category Mn: the marks that `strip_accents` drops."""
PUNCTUATION = 32
"""Categories P and S."""
DIGIT = 64
"""Category Nd: decimal digits."""
KNOWN = 128
"""Set for every code point, so that no entry of a table of kinds is 0."""

UNSPACED_BLOCKS = (
    # Ascending. From Unicode 14.0, Blocks.txt: the scripts that do not put spaces between words (UAX #14, class SA,
    # and ideographs).
    (0x0E00, 0x0E7F),  # Thai
    (0x0E80, 0x0EFF),  # Lao
    (0x1000, 0x109F),  # Myanmar
    (0x1780, 0x17FF),  # Khmer
    (0x19E0, 0x19FF),  # Khmer Symbols
    (0x2E80, 0x2EFF),  # CJK Radicals Supplement
    (0x2F00, 0x2FDF),  # Kangxi Radicals
    (0x3000, 0x303F),  # CJK Symbols and Punctuation: the iteration mark and ideographic zero
    (0x3040, 0x309F),  # Hiragana
    (0x30A0, 0x30FF),  # Katakana
    (0x31F0, 0x31FF),  # Katakana Phonetic Extensions
    (0x3400, 0x4DBF),  # CJK Unified Ideographs Extension A
    (0x4E00, 0x9FFF),  # CJK Unified Ideographs
    (0xA9E0, 0xA9FF),  # Myanmar Extended-B
    (0xAA60, 0xAA7F),  # Myanmar Extended-A
    (0xF900, 0xFAFF),  # CJK Compatibility Ideographs
    (0xFF66, 0xFF9F),  # Halfwidth Katakana (of Halfwidth and Fullwidth Forms)
    (0x1AFF0, 0x1AFFF),  # Kana Extended-B
    (0x1B000, 0x1B0FF),  # Kana Supplement
    (0x1B100, 0x1B12F),  # Kana Extended-A
    (0x1B130, 0x1B16F),  # Small Kana Extension
    (0x20000, 0x2FA1F),  # CJK Unified Ideographs Extensions B to F, Compatibility Supplement
    (0x30000, 0x323AF),  # CJK Unified Ideographs Extensions G and H
)


_FIRST, _LAST = np.array(UNSPACED_BLOCKS).T

_OF_CATEGORY = dict.fromkeys(("Pc", "Pd", "Pe", "Pf", "Pi", "Po", "Ps", "Sc", "Sk", "Sm", "So"), PUNCTUATION)
_OF_CATEGORY |= {"Mn": MARK | NONSPACING, "Mc": MARK, "Nd": DIGIT}
"""The kinds of the characters of a category."""


def kinds_of(codepoints: Array) -> Bytes:
    """The kinds of code points, and KNOWN, computed: uint8 (n,)."""
    characters, size = list(map(chr, codepoints.tolist())), len(codepoints)
    kinds = np.array([_OF_CATEGORY.get(each, 0) for each in map(unicodedata.category, characters)], np.uint8)
    words = np.fromiter(map(str.isalnum, characters), bool, size) | (codepoints == ord("_"))
    words &= kinds & MARK == 0
    block = np.searchsorted(_FIRST, codepoints, side="right") - 1
    unspaced = words & (block >= 0) & (codepoints <= _LAST[block])
    kinds[np.fromiter(map(str.isspace, characters), bool, size)] |= SPACE
    kinds[words] |= WORD
    kinds[unspaced] |= UNSPACED
    return kinds | np.uint8(KNOWN)


@cache
def kinds_table() -> CodepointTable:
    """The kinds of each code point, and KNOWN: uint8."""
    return CodepointTable(kinds_of, np.uint8)


def character_kinds(codepoints: Array) -> Bytes:
    """The kinds of each code point, and KNOWN: uint8, same shape as `codepoints`."""
    return kinds_table()(codepoints)
