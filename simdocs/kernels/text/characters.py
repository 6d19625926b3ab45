"""What kind of character a code point is, for whole arrays of code points.

The kinds come from Python's own Unicode tables (`unicodedata.unidata_version` names their version).
"""

from __future__ import annotations

import sys
import unicodedata
from bisect import bisect_right
from collections.abc import Callable
from functools import cache

import numpy as np
from numpy.typing import DTypeLike

from simdocs.model.ragged import Array, Bytes

SPACE = 1
"""str.isspace"""
WORD = 2
r"""\w of Python's re: str.isalnum, or the low line"""
MARK = 4
"""a combining mark that stays in its word: categories Mn and Mc"""
UNSPACED = 8
"""a word by itself: of a script written without spaces"""
NONSPACING = 16
"""category Mn: what --strip-accents drops"""
PUNCTUATION = 32
"""categories P and S"""
DIGIT = 64
"""category Nd"""
KNOWN = 128
"""set for every code point"""

UNSPACED_BLOCKS = (
    # Ascending. Unicode 14.0, Blocks.txt: scripts whose words are not set apart by spaces (UAX #14, class SA, and
    # ideographs).
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


def kind(point: int) -> int:
    """The kinds of one code point: the flags above, added up."""
    character = chr(point)
    category = unicodedata.category(character)
    kinds = SPACE * character.isspace() + DIGIT * (category == "Nd")
    kinds += PUNCTUATION * (category[0] in "PS") + NONSPACING * (category == "Mn")
    if category in ("Mn", "Mc"):
        kinds += MARK
    elif character.isalnum() or character == "_":
        block = bisect_right(UNSPACED_BLOCKS, (point, sys.maxunicode)) - 1
        kinds += WORD + UNSPACED * (block >= 0 and point <= UNSPACED_BLOCKS[block][1])
    return kinds


_AT_ONCE = 1 << 18
"""Code points looked up at once: their places take 8 bytes each."""


class Lookup:
    """A number for every code point, looked up for whole arrays.

    `of` gives the number of one; one that is 0 is asked for every time. Others are asked for 256 at a time when the
    first of them is looked up, and not again: a script has few such pages, and the rest of the table takes no memory.
    """

    def __init__(self, of: Callable[[int], int], dtype: DTypeLike) -> None:
        self._of = of
        self._table = np.zeros(sys.maxunicode + 1, dtype)

    def __call__(self, points: Array) -> Array:
        """The number of each: (n,) as points, the table's dtype."""
        if len(points) <= _AT_ONCE:
            return self._some(points)
        found = np.empty(len(points), self._table.dtype)
        for at in range(0, len(points), _AT_ONCE):
            found[at : at + _AT_ONCE] = self._some(points[at : at + _AT_ONCE])
        return found

    def _some(self, points: Array) -> Array:
        places = points.astype(np.intp)
        found = self._table.take(places, mode="wrap")  # which costs less than "raise"; none lies outside
        if found.min(initial=1) == 0:
            for page in np.unique(places[found == 0] >> 8).tolist():
                span = range(page << 8, (page + 1) << 8)
                self._table[span.start : span.stop] = [self._of(point) for point in span]
            found = self._table.take(places, mode="wrap")
        return found


@cache
def _kinds() -> Lookup:
    return Lookup(lambda point: kind(point) | KNOWN, np.uint8)


def kinds(points: Array) -> Bytes:
    """Kinds of each code point, and KNOWN: uint8, shape of points."""
    return _kinds()(points)
