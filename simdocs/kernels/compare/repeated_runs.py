"""How far the occurrences of symbols in one sequence agree, before and after them.

Two stretches are compared by polynomial hashes modulo a prime of 61 bits, so the time grows with n log n whatever the
sequence is: Karp, Rabin, Efficient randomized pattern-matching algorithms (1987).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from simdocs.kernels.lsh.buckets import equal_runs
from simdocs.model.ragged import Index, Keys, Mask, offsets_of, ranges

_PRIME = np.uint64((1 << 61) - 1)

_BASE = np.uint64(0x1C9A5E36B7D2F0A3)
"""The base of the hashes, below the prime."""

_LOW31, _LOW30 = np.uint64((1 << 31) - 1), np.uint64((1 << 30) - 1)


def _reduced(values: Keys) -> Keys:
    """Numbers below 2^64 modulo the prime."""
    values = (values & _PRIME) + (values >> np.uint64(61))
    return np.where(values >= _PRIME, values - _PRIME, values)


def _times(a: Keys, b: Keys) -> Keys:
    """Products modulo the prime of numbers below it."""
    a_high, a_low, b_high, b_low = a >> np.uint64(31), a & _LOW31, b >> np.uint64(31), b & _LOW31
    middle = a_low * b_high + a_high * b_low
    high = a_high * b_high * np.uint64(2) + (middle >> np.uint64(30))
    return _reduced(_reduced(high + ((middle & _LOW30) << np.uint64(31))) + a_low * b_low)


def _running_sums(values: Keys) -> Keys:
    """0, and the running sums modulo the prime of numbers below it: (n + 1,)."""
    low, high = (np.append(np.uint64(0), np.cumsum(each)) for each in (values & _LOW31, values >> np.uint64(31)))
    return _reduced(_times(_reduced(high), np.full_like(high, 1 << 31)) + _reduced(low))


def _powers(count: int) -> Keys:
    """The first powers of the base."""
    found = np.ones(1, np.uint64)
    while len(found) < count:
        step = _times(found[-1:], np.full(1, _BASE))
        found = np.append(found, _times(found, np.full_like(found, step[0])))
    return found[:count]


class _Hashes:
    """Hashes of the stretches of a sequence, of integers from 0."""

    def __init__(self, sequence: Index) -> None:
        spread = _reduced((sequence.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9FB21C651E98DF25))
        self._powers = _powers(len(sequence) + 1)
        self._sums = _running_sums(_times(spread, self._powers[:-1]))

    def of(self, begins: Index, lengths: Index) -> Keys:
        """The hashes of these stretches."""
        sums = self._sums[begins + lengths] + (_PRIME - self._sums[begins])
        return _times(_reduced(sums), self._powers[len(self._powers) - 1 - begins])


class Reach(NamedTuple):
    """How many symbols the occurrences of each symbol have in common, with it and before it, with it and after it.

    Both int64 (S,), at least 1.
    """

    before: Index
    after: Index


def common_reach(
    sequence: Index, steps: Index, occurrences: Index, offsets: Index, *, before: Mask, after: Mask
) -> Reach:
    """How far all occurrences of each of S symbols agree.

    sequence: (n,), the symbols. steps: (n,), how far it is to the next symbol, 1 or 2, which must be the same, too; 0:
    a stretch ends here, and no symbol after it counts.
    occurrences: (n,), the places of the first symbol, ascending, then those of the next symbol, and so on; offsets:
    (S + 1,), where those of each symbol begin. before, after: (S,), for which symbols this is asked; 1 for others.
    """
    places = np.arange(len(sequence))
    ends = np.append(np.flatnonzero(steps == 0), len(sequence) - 1)
    stretch = np.searchsorted(ends, places)
    first, last = np.append(0, ends + 1)[stretch], ends[stretch]
    reach = []
    for asked, side, room in (
        (before, -1, places - first),
        (after, 1, last - places),
    ):
        found = np.ones(len(offsets) - 1, np.int64)
        some = np.flatnonzero(asked)
        if len(some):
            between = steps if side < 0 else np.append(0, steps[:-1])
            hashes = _Hashes(3 * sequence + between)
            sizes = np.diff(offsets)[some]
            these, heads = occurrences[ranges(offsets[some], sizes)], np.repeat(occurrences[offsets[some]], sizes)
            low, high = np.zeros(len(these), np.int64), np.minimum(room[these], room[heads])
            while (low < high).any():
                middle = (low + high + 1) // 2
                begin = -middle if side < 0 else 1
                equal = hashes.of(these + begin, middle) == hashes.of(heads + begin, middle)
                low, high = np.where(equal, middle, low), np.where(equal, high, middle - 1)
            found[some] += np.minimum.reduceat(low, offsets_of(sizes)[:-1])
        reach.append(found)
    return Reach(*reach)


def dense(keys: Keys) -> tuple[Index, Index, Index]:
    """Numbers of keys in the order of their first places: (n,); the places by number, ascending; and their offsets."""
    order = np.argsort(keys, kind="stable")
    begins, sizes = equal_runs(keys[order])
    by_first = np.argsort(order[begins], kind="stable")
    number = np.empty(len(begins), np.int64)
    number[by_first] = np.arange(len(begins))
    numbers = np.empty(len(keys), np.int64)
    numbers[order] = np.repeat(number, sizes)
    return numbers, np.argsort(numbers, kind="stable"), offsets_of(sizes[by_first])
