"""The difference of two texts or documents: their longest common subsequence of words or of lines.

A word or line is stored as its place and a hash of 64 bits, so that many short ones take little memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from simdocs.kernels.characters import to_codepoints
from simdocs.kernels.murmur import hash_byte_strings
from simdocs.kernels.shinglers import normalised_texts
from simdocs.kernels.subsequence import RUN, alike_ends, anchored_places, cells, lcs_places
from simdocs.kernels.units import words_in
from simdocs.model.comparison import (
    CHARACTERS_A_PASSAGE,
    CHARACTERS_A_UNIT,
    MOST_CELLS,
    MOST_PASSAGES,
    MOST_UNITS,
    Difference,
    Passage,
)
from simdocs.model.ragged import GrowingArray, Index, Keys, Mask, Ragged, joined, row_blocks, separate
from simdocs.options.recipes import Shingling

_CHARACTERS_AT_ONCE = 1 << 17
"""Characters whose words or lines are Python objects at the same time."""

_LF, _CR = 10, 13


class _Units(NamedTuple):
    """The words or lines of a text. Joined, they are the text.

    begins: int64 (U+1,), the beginning of each unit, and the end of the text.
    numbers: uint64 (U,), equal for equal units.
    """

    text: str
    begins: Index
    numbers: Keys

    def joined(self, first: int, end: int) -> str:
        """The text of units first to end - 1."""
        return self.text[self.begins[first] : self.begins[end]]


def difference(a: bytes, b: bytes, shingling: Shingling, unit: str) -> Difference:
    """The passages that two texts share, and those in which they differ.

    a, b: UTF-8. unit: `words` or `lines`, which are equal if they are equal when normalised. In texts that are too long
    and different for a longest common subsequence, runs that each has once are matched first. If the passages between
    them are too long, or too many short units would take too much memory, lines are compared instead of words, and then
    only the beginnings and ends.
    """
    texts = [text.decode("utf-8", "surrogateescape") for text in (a, b)]
    if not any(texts):
        return Difference(unit, unit, ())
    characters, excess = sum(map(len, texts)), ""
    most_units = max(MOST_UNITS, characters // CHARACTERS_A_UNIT)
    most_passages = max(MOST_PASSAGES, characters // CHARACTERS_A_PASSAGE)
    for finest in ("words", "lines") if unit == "words" else ("lines",):
        begins = [_word_begins(text) if finest == "words" else line_begins(text) for text in texts]
        if sum(len(each) - 1 for each in begins) > most_units:
            excess = excess or f"more than {most_units:,} {finest}"
            continue
        left, right = (_units(text, at, shingling, finest) for text, at in zip(texts, begins, strict=True))
        pairs = f"more than {MOST_CELLS:,} pairs of {finest}"
        if cells(left.numbers, right.numbers) <= MOST_CELLS:
            places, run = lcs_places(left.numbers, right.numbers), 0
        elif anchored := anchored_places(left.numbers, right.numbers, MOST_CELLS):
            places, run, excess = anchored, RUN, excess or pairs
        else:
            excess = excess or pairs
            continue
        if len(_cuts(*places)) <= most_passages:
            return Difference(unit, finest, tuple(_passages(left, right, *places)), run=run, excess=excess)
        excess = excess or f"more than {most_passages:,} passages that differ"
    return Difference(unit, "text", tuple(_alike_ends(*texts)), excess=excess)


def _alike_ends(a: str, b: str) -> Iterator[Passage]:
    """Yield the common beginning of two texts, what differs, and the common end, by characters."""
    begin, end = alike_ends(to_codepoints(a), to_codepoints(b))
    for shared, parts in (
        (True, (a[:begin], b[:begin])),
        (False, (a[begin : len(a) - end], b[begin : len(b) - end])),
        (True, (a[len(a) - end :], b[len(b) - end :])),
    ):
        if any(parts):
            yield Passage(shared, *parts)


def _units(text: str, begins: Index, shingling: Shingling, unit: str) -> _Units:
    """The words or lines that begin at these places of a text. They are normalised some at a time."""
    hashes, blank = GrowingArray(np.uint64), GrowingArray(bool)
    for first, end in row_blocks(begins, _CHARACTERS_AT_ONCE):
        some = [text[begin:stop] for begin, stop in pairwise(begins[first : end + 1].tolist())]
        encoded = joined([unit.encode("utf-8", "surrogateescape") for unit in some])
        normalised = separate(normalised_texts(encoded, shingling).encoded)
        hashes.add(_hashes(normalised))
        blank.add(np.fromiter((not each.strip() for each in normalised), bool, len(normalised)))
    if unit == "lines" or (len(begins) > 1 and not blank.all().any()):
        return _Units(text, begins, hashes.all())
    return _with_blanks(text, begins, hashes.all(), blank.all())


def _word_begins(text: str) -> Index:
    """The beginnings of the words of a text and of the signs between them, with the spaces after each; and its end."""
    points = to_codepoints(text)
    words = words_in(Ragged(points, np.array([0, len(points)])))
    depth = np.zeros(len(points) + 1, np.int8)
    depth[words.starts] += 1
    depth[words.stops] -= 1
    signs = (np.cumsum(depth, dtype=np.int8)[:-1] == 0) & ~np.fromiter(map(str.isspace, text), bool, len(text))
    begins = signs.copy()
    begins[1:] &= ~signs[:-1]
    begins[words.starts] = True
    return _with_ends(np.flatnonzero(begins)[1:], len(text))


def line_begins(text: str) -> Index:
    """The beginnings of the lines of a text, which end with LF, CRLF or CR; and its end."""
    points = to_codepoints(text)
    ends = points == _CR
    ends[:-1] &= points[1:] != _LF
    ends |= points == _LF
    return _with_ends(np.flatnonzero(ends[:-1]) + 1, len(text))


def _with_ends(inner: Index, size: int) -> Index:
    return np.concatenate(([0], inner, [size])) if size else np.zeros(1, np.int64)


def _hashes(units: list[bytes]) -> Keys:
    """Hashes of 64 bits: uint64 (n,)."""
    held = joined(units)
    high, low = (hash_byte_strings(held.values, held.offsets[:-1], held.lengths, seed) for seed in (0, 1))
    return high.astype(np.uint64) << np.uint64(32) | low


def _with_blanks(text: str, begins: Index, hashes: Keys, blank: Mask) -> _Units:
    """The units that are not blank when normalised, each with the blank ones after it.

    So signs are not compared with --strip-punctuation. The first unit also has the blank ones before it. If all are
    blank, the whole text is one unit, so that an empty text equals spaces.
    """
    some = np.flatnonzero(~blank)
    ends = np.concatenate(([0], begins[some[1:]], [len(text)]))
    return _Units(text, ends, hashes[some] if len(some) else _hashes([b""]))


def _cuts(left: Index, right: Index) -> Index:
    """The places where a run of shared units ends, and the next one begins."""
    cuts: Index = np.flatnonzero((np.diff(left) != 1) | (np.diff(right) != 1)) + 1
    return cuts


def _passages(a: _Units, b: _Units, left: Index, right: Index) -> Iterator[Passage]:
    """Yield the runs of shared units, a[left[i]] and b[right[i]], and the passages between them."""
    at_a = at_b = 0
    for begin, end in pairwise([0, *_cuts(left, right).tolist(), len(left)]):
        if begin == end:
            continue
        from_a, from_b, size = int(left[begin]), int(right[begin]), end - begin
        if from_a > at_a or from_b > at_b:
            yield Passage(False, a.joined(at_a, from_a), b.joined(at_b, from_b))
        at_a, at_b = from_a + size, from_b + size
        yield Passage(True, a.joined(from_a, at_a), b.joined(from_b, at_b))
    if at_a < len(a.numbers) or at_b < len(b.numbers):
        yield Passage(False, a.joined(at_a, len(a.numbers)), b.joined(at_b, len(b.numbers)))
