"""The kinds of each code point as bit flags: space, word character, mark, digit and others.

The kinds come from Python's own Unicode tables. `unicodedata.unidata_version` names their version.
"""

from __future__ import annotations

import sys
import unicodedata
from bisect import bisect_right
from functools import cache

from simdocs.kernels.text.codepoints import CodepointTable
from simdocs.model.ragged import Array, Bytes

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


def kinds_of(codepoint: int) -> int:
    """The kinds of one code point: the sum of its flags, without KNOWN."""
    character = chr(codepoint)
    category = unicodedata.category(character)
    kinds = SPACE * character.isspace() + DIGIT * (category == "Nd")
    kinds += PUNCTUATION * (category[0] in "PS") + NONSPACING * (category == "Mn")
    if category in ("Mn", "Mc"):
        kinds += MARK
    elif character.isalnum() or character == "_":
        block = bisect_right(UNSPACED_BLOCKS, (codepoint, sys.maxunicode)) - 1
        kinds += WORD + UNSPACED * (block >= 0 and codepoint <= UNSPACED_BLOCKS[block][1])
    return kinds


@cache
def kinds_table() -> CodepointTable:
    """The kinds of each code point, and KNOWN: uint8."""
    return CodepointTable(lambda codepoint: kinds_of(codepoint) | KNOWN, "uint8")


def character_kinds(codepoints: Array) -> Bytes:
    """The kinds of each code point, and KNOWN: uint8, same shape as `codepoints`."""
    return kinds_table()(codepoints)
