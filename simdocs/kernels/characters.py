"""Characters: texts as code points, their kinds as bit flags, and the steps of normalisation that look at one alone.

The kinds come from Python's own Unicode tables. `unicodedata.unidata_version` names their version.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Callable
from functools import cache

import numpy as np
from numpy.typing import DTypeLike

from simdocs.model.ragged import Array, Bytes, Index, Mask, Ragged, count_true_in_rows, offsets_of
from simdocs.options.recipes import Normalisation


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
        found = np.empty(len(codepoints), self.numbers.dtype)
        for at in range(0, len(codepoints), _BLOCK):
            indices, some = codepoints[at : at + _BLOCK].astype(np.intp), found[at : at + _BLOCK]
            self.numbers.take(indices, out=some, mode="wrap")  # cheaper than "raise", and no index is out of range
            if some.min() == 0:
                self.fill(np.flatnonzero(np.bincount(indices[some == 0] >> 8)))
                self.numbers.take(indices, out=some, mode="wrap")
        return found

    def fill(self, pages: Array) -> None:
        """Compute and store these pages. Page p begins at the code point 256 p."""
        for some in np.split(pages, range(_PAGES, len(pages), _PAGES)):
            points = (some[:, None] << 8 | np.arange(256)).ravel()
            self.numbers[points] = self._numbers_of(points)


def one_by_one(number_of: Callable[[int], int]) -> Callable[[Index], list[int]]:
    """A function for a table that computes the number of each code point by itself."""
    return lambda points: list(map(number_of, points.tolist()))


WHITE = 1
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
    kinds[np.fromiter(map(str.isspace, characters), bool, size)] |= WHITE
    kinds[words] |= WORD
    kinds[unspaced] |= UNSPACED
    return kinds | np.uint8(KNOWN)


character_kinds = CodepointTable(kinds_of, np.uint8)
"""The kinds of each code point, and KNOWN: uint8."""


SPACE, NEWLINE = 32, 10


def is_space(codepoints: Array, lines: bool) -> Mask:
    """Which of these mapped code points (n,) are SPACE or, with `lines`, NEWLINE: bool (n,).

    No other whitespace is left once the characters are mapped.
    """
    space: Mask = codepoints == SPACE
    if lines:
        space |= codepoints == NEWLINE
    return space


def collapse_whitespace(codepoints: Array, space: Mask, offsets: Index, lines: bool) -> Ragged:
    """N rows of code points with each run of whitespace made one character, and none at the ends of a row.

    codepoints (T,) are the rows end to end, offsets (N+1,) say where they begin, and space (T,) is
    `is_space(codepoints, lines)`. A run becomes SPACE or, with `lines`, NEWLINE if it contains one. The result has the
    dtype of `codepoints`.
    """
    starts, nonempty = offsets[:-1], np.diff(offsets) > 0
    after = np.empty(len(codepoints), bool)  # follows a space, or begins a row
    after[:1] = True
    after[1:] = space[:-1]
    after[starts[nonempty]] = True
    if lines:
        codepoints = _with_newlines_first(codepoints, space, after, starts[nonempty])
    keep = np.logical_and(space, after, out=after)
    np.logical_not(keep, out=keep)
    ends = offsets[1:][nonempty] - 1
    keep[ends] &= ~space[ends]  # most texts end with one line feed, which then need not be deleted below
    values = codepoints[keep]
    kept = count_true_in_rows(keep, offsets)
    if not len(values):
        return Ragged.from_lengths(values, kept)
    ends = offsets_of(kept)[1:]
    last = (kept > 0) & is_space(values[np.maximum(ends, 1) - 1], lines)
    if last.any():
        values = np.delete(values, ends[last] - 1)
    return Ragged.from_lengths(values, kept - last)


def _with_newlines_first(codepoints: Array, space: Mask, after: Mask, starts: Index) -> Array:
    """The code points with NEWLINE at the beginning of every whitespace run that contains a NEWLINE."""
    first = space & ~after
    first[starts] = space[starts]
    late = np.flatnonzero((codepoints == NEWLINE) & ~first)
    if not len(late):
        return codepoints
    runs = np.flatnonzero(first)
    codepoints = codepoints.copy()
    codepoints[runs[np.searchsorted(runs, late, side="right") - 1]] = NEWLINE
    return codepoints


_SEPARATORS = bytes([*range(9), *range(14, 28), 127])
"""Control characters that no step changes, moves or combines with others. One that occurs in no text of a batch can
separate the texts of that batch."""

IGNORABLE = re.compile(
    "[\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""The characters that are dropped from every text: Default_Ignorable_Code_Point of Unicode 14.0, such as soft hyphens,
zero-width spaces and variation selectors. But U+200C and U+200D stay, which tell words apart in some scripts."""

_PLAIN = {"Æ": "AE", "Ð": "D", "Ø": "O", "Þ": "TH", "ẞ": "SS", "Đ": "D", "Ħ": "H", "Ł": "L", "Œ": "OE", "Ŧ": "T"}
_PLAIN |= {letter.lower(): plain.lower() for letter, plain in _PLAIN.items()} | {"ı": "i", "\u0640": ""}
"""What `strip_accents` makes of letters that Unicode does not decompose. U+0640, tatweel, stretches Arabic words."""

CODEPOINT_CUTS = re.compile(rb"[\x00-\x7f\xc0-\xff]")
"""Bytes that begin a code point. A text can be cut before them if every code point is mapped by itself."""

CONTEXT_FREE_CUTS = re.compile(
    rb"[\t\n\r ,;()0-9A-Za-z\xd0\xd1\xe4-\xe9]|\xce[\x91-\xbf]|\xcf[\x80-\x89]"
    rb"|\xe0\xb8[\x81-\xae]|\xf0\x9f[\x90-\xab]|\xef\xb7[\xb0-\xbb]"
)
"""Bytes before which a text can be cut so that str maps the parts as it maps the whole.

The characters that begin here do not combine with the character before them in any form of Unicode. The first line has
ASCII, Cyrillic (U+0400 to U+047F), ideographs (U+4000 to U+9FFF, whose first byte is e4 to e9), and Greek without
accents. The second has Thai consonants (like ideographs, they are written without spaces), pictures such as faces, and
Arabic words in one character, of which U+FDFA becomes 18."""


def depends_on_context(switches: Normalisation) -> bool:
    """Whether what a character becomes may depend on the characters around it."""
    return switches.nfkc or switches.strip_accents


def is_utf8(text: bytes) -> bool:
    """Whether a text is valid UTF-8, so that all its characters can be looked up in a table."""
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def map_characters(raw: Ragged, switches: Normalisation, *, lines: bool) -> list[Ragged]:
    """The mapped code points of N texts given as UTF-8 bytes (Ragged uint8): N rows in one or more parts, in order.

    Each part is Ragged uint8 if all its texts are ASCII, and Ragged uint32 otherwise. All whitespace becomes SPACE, but
    with `lines`, line feeds and carriage returns become NEWLINE. If there are several rows, a row may end with one
    extra SPACE. Never fails: a byte that is not valid UTF-8 becomes a lone surrogate (PEP 383).
    """
    data = raw.values.tobytes()
    if data.isascii():
        return [Ragged(np.frombuffer(data.translate(ascii_table(switches, lines)), np.uint8), raw.offsets)]
    decoded = None if depends_on_context(switches) else _decoded(raw, data)
    if decoded is not None:
        entries = _character_table(switches, lines)(decoded.values)
        if entries.max(initial=0) < _SEVERAL:
            return [Ragged(entries - np.uint32(1), decoded.offsets)]
    return _map_with_str(raw, data, switches, lines)


@cache
def ascii_table(switches: Normalisation, lines: bool) -> bytes:
    """The byte that each of 256 bytes becomes. Those that are not ASCII become 0."""
    return "".join(mapped_alone(np.arange(128), switches, lines)).encode() + bytes(128)


_SEVERAL = 1 << 21
"""The number in a table of characters of one that becomes none, or more than one."""


@cache
def _character_table(switches: Normalisation, lines: bool) -> CodepointTable:
    """For each code point, 1 + the one that it becomes by itself, or _SEVERAL: uint32."""

    def entries(codepoints: Index) -> list[int]:
        return [1 + ord(made) if len(made) == 1 else _SEVERAL for made in mapped_alone(codepoints, switches, lines)]

    return CodepointTable(entries, np.uint32)


def mapped_alone(codepoints: Index, switches: Normalisation, lines: bool) -> list[str]:
    """What each code point becomes by all steps but `nfkc` and `strip_accents`: up to three characters."""
    alone = switches.but(nfkc=False, strip_accents=False)
    made = [after_str_steps(chr(codepoint), alone) for codepoint in codepoints.tolist()]
    mapped = np.array([ord(each) if len(each) == 1 else 0 for each in made])
    found = kinds_of(mapped)
    digits = found & DIGIT * switches.mask_digits
    spaces = found & (WHITE | PUNCTUATION * switches.strip_punctuation)
    line_ends = lines & ((mapped == ord("\n")) | (mapped == ord("\r")))
    for which, becomes in ((digits, "0"), (spaces, chr(SPACE)), (line_ends, chr(NEWLINE))):
        for place in np.flatnonzero(which).tolist():
            made[place] = becomes
    return made


def _decoded(raw: Ragged, data: bytes) -> Ragged | None:
    """The code points of texts that are valid UTF-8 and not all ASCII (Ragged uint32), or None if one is not valid."""
    try:
        codepoints = to_codepoints(data.decode())
    except UnicodeDecodeError:
        return None
    if len(raw) == 1:
        return Ragged(codepoints, np.array([0, len(codepoints)]))
    leads = (raw.values & 0xC0) != 0x80
    if not leads[raw.offsets[:-1][raw.lengths > 0]].all():
        return None  # a character is split between two texts
    return Ragged.from_lengths(codepoints, count_true_in_rows(leads, raw.offsets))


def _map_with_str(raw: Ragged, data: bytes, switches: Normalisation, lines: bool) -> list[Ragged]:
    """The same as map_characters, by way of str. All texts are joined by a separator that occurs in none of them."""
    separator = next((chr(byte) for byte in _SEPARATORS if byte not in data), None) if len(raw) > 1 else ""
    if separator is None:
        halves = raw.cut(0, len(raw) // 2), raw.cut(len(raw) // 2, len(raw))
        return [each for half in halves for each in map_characters(half, switches, lines=lines)]
    if separator:
        data = np.insert(raw.values, raw.offsets[1:], ord(separator)).tobytes()
    codepoints = to_codepoints(after_str_steps(data.decode("utf-8", "surrogateescape"), switches))
    ends = np.flatnonzero(codepoints == ord(separator)) + 1 if separator else np.array([len(codepoints)])
    codepoints = _character_table(switches.but(keep_case=True), lines)(codepoints) - np.uint32(1)
    if separator:
        codepoints[ends - 1] = SPACE
    return [Ragged(codepoints, np.concatenate((np.zeros(1, np.int64), ends)))]


def after_str_steps(text: str, switches: Normalisation) -> str:
    """The text without ignorable characters, after `nfkc`, folding of case and `strip_accents`, in this order."""
    text = IGNORABLE.sub("", text)
    if switches.nfkc:
        text = unicodedata.normalize("NFKC", text)
    if not switches.keep_case:
        text = text.casefold()
    if switches.strip_accents:
        codepoints = to_codepoints(unicodedata.normalize("NFD", text))
        codepoints = codepoints[(character_kinds(codepoints) & NONSPACING) == 0]
        text = unicodedata.normalize("NFC", from_codepoints(codepoints))
        for letter, plain in _PLAIN.items():
            text = text.replace(letter, plain)
    return text
