"""The windows of a fixed number of symbols in sequences: which several texts have, and what is alike around them.

Text that occurs once costs little: only *anchors* are looked at before it is known what is repeated. Two equal windows
have the same anchors. Definition: Schleimer, Wilkerson, Aiken, Winnowing: local algorithms for document fingerprinting
(2003), with all of several equal minima.

What is around windows is compared by polynomial hashes modulo a prime of 61 bits, so the time grows with n log n
whatever the sequence is: Karp, Rabin, Efficient randomized pattern-matching algorithms (1987).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from simdocs.kernels.buckets import equal_runs
from simdocs.model.ragged import Array, Index, Keys, Mask, Ragged, offsets_of, ranges

_FACTORS = np.uint64(0x9FB21C651E98DF25), np.uint64(0xD6E8FEB86659FD93)
"""Odd numbers with about as many bits set as not."""

_AT_ONCE = 1 << 18
"""Symbols whose windows are looked at together."""

NONE = np.uint64(0)
"""The key of no window."""


def window_keys(symbols: Array, size: int) -> Keys:
    """A hash of every `size` consecutive symbols: uint64 (n - size + 1,)."""
    keys, width = symbols.astype(np.uint64), 1
    while width < size:
        more = min(width, size - width)
        first, second = keys[:-more], keys[more:]
        keys = first * _FACTORS[0]
        keys ^= keys >> np.uint64(32)
        keys += second
        keys *= _FACTORS[1]
        keys ^= keys >> np.uint64(32)
        width += more
    return keys


def _mixed(keys: Keys) -> Keys:
    """Other hashes of the same, which are never NONE. Each bit depends on all bits."""
    keys = (keys ^ (keys >> np.uint64(29))) * _FACTORS[0]
    keys ^= keys >> np.uint64(32)
    keys *= _FACTORS[1]
    keys ^= keys >> np.uint64(32)
    keys |= np.uint64(1)
    return keys


def _sliding(choose: Callable[[Array, Array], Array], values: Array, size: int) -> Array:
    """The least, or the largest, of every `size` consecutive values."""
    width = 1
    while width < size:
        more = min(width, size - width)
        values = choose(values[:-more], values[more:])
        width += more
    return values


def anchors(texts: Ragged, opens: Mask, least: int) -> tuple[Index, Keys]:
    """The anchors of texts, of which every window has at least one. Equal windows have anchors at the same places.

    Their places, ascending, int64 (n,), and a hash of the symbols at each, uint64 (n,).

    texts: N rows of integers. opens: (T,), whether a window may begin with a symbol. least: the symbols of a window.
    """
    size = (least + 1) // 2
    count, total = least - size + 1, len(texts.values)
    places, keys = [np.empty(0, np.int64)], [np.empty(0, np.uint64)]
    for at in range(0, total, _AT_ONCE):
        stop = min(at + _AT_ONCE, total)
        grams = _mixed(window_keys(texts.values[at : stop + least - 1], size))
        lows = _sliding(np.minimum, grams, count)
        if not len(lows):
            break
        fits = opens[at : at + len(lows)] & _within(texts.offsets, at, len(lows), least)
        around = np.zeros(len(lows) + 2 * (count - 1), np.uint64)
        around[count - 1 : count - 1 + len(lows)] = np.where(fits, lows, NONE)
        found = np.flatnonzero(_sliding(np.maximum, around, count) == grams[: len(lows) + count - 1])
        places.append(at + found)
        keys.append(grams[found])
    every, first = np.unique(np.concatenate(places), return_index=True)
    return every, np.concatenate(keys)[first]


def _within(offsets: Index, at: int, count: int, least: int) -> Mask:
    """Which of `count` windows of `least` symbols, from place `at` on, lie within one row."""
    within = np.ones(count, bool)
    first, last = np.searchsorted(offsets, (at, at + count + least))
    ends = offsets[first:last]
    begins = np.maximum(ends - least + 1, at)
    if first < len(offsets):
        begins = np.maximum(begins, offsets[np.maximum(np.arange(first, last) - 1, 0)])
    crossing = ranges(begins - at, np.maximum(np.minimum(ends, at + count) - begins, 0))
    within[crossing] = False
    return within


class Windows(NamedTuple):
    """W windows in the order of the texts.

    places: int64 (W,), where they begin.
    keys: uint64 (W,), hashes of their symbols.
    nexts, befores: uint64 (W,), hashes of the windows that begin next, and before; NONE if there is none in the text.
    gaps: int64 (W,), how many symbols later the next one begins; 0 if there is none.
    longer: bool (W,), whether it has one more symbol, because it would end with one that cannot end it.
    """

    places: Index
    keys: Keys
    nexts: Keys
    befores: Keys
    gaps: Index
    longer: Mask


def windows(symbols: Array, ends: Index, opens: Mask, least: int) -> Windows:
    """All windows of some texts, or parts of them, which are end to end. Places are counted from the first symbol.

    A window begins with a symbol that opens it, and has `least` symbols, or one more if it would end with a symbol that
    does not open any. Of two symbols that follow each other in a text, one does open. ends: (T,), for each symbol where
    its text ends.
    """
    keys = window_keys(symbols, least)
    longer = ~opens[least - 1 : least - 1 + len(keys)]
    after = np.append(symbols[least:], symbols[:1]).astype(np.uint64)[: len(keys)]
    keys = _mixed(np.where(longer, _mixed(keys) * _FACTORS[0] + _mixed(after), keys))
    begins = np.arange(len(keys))
    stops = begins + least + longer
    found = np.flatnonzero(opens[: len(keys)] & (stops <= np.minimum(ends[: len(keys)], len(symbols))))
    follows = np.append(ends[found[1:]] == ends[found[:-1]], False)[: len(found)]
    gaps = np.where(follows, np.append(np.diff(found), 0)[: len(found)], 0)
    shifted = _mixed(np.append(keys[found[1:]], NONE)[: len(found)] + gaps.astype(np.uint64))
    nexts = np.where(follows, shifted, NONE)
    back = np.append(0, gaps[:-1])[: len(found)]
    earlier = _mixed(np.append(NONE, keys[found[:-1]])[: len(found)] + back.astype(np.uint64))
    return Windows(found, keys[found], nexts, np.where(back > 0, earlier, NONE), gaps, longer[found])


def covered(begins: Index, stops: Index, size: int) -> Mask:
    """Which of `size` places one of these intervals has: bool (size,). begins, stops: int64 (n,), from 0 to size."""
    edges = np.bincount(begins, minlength=size + 1) - np.bincount(stops, minlength=size + 1)
    has: Mask = np.cumsum(edges)[:size] > 0
    return has


def alike(begins: Index, values: Keys) -> Mask:
    """Which runs of values are equal and not NONE. begins: where each run begins, (R,)."""
    low, high = np.minimum.reduceat(values, begins), np.maximum.reduceat(values, begins)
    same: Mask = (low == high) & (low != NONE)
    return same


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


def _hashes_of(sequence: Index) -> Callable[[Index, Index], Keys]:
    """A function from where stretches of a sequence of integers begin, and their lengths, to their hashes."""
    spread = _reduced((sequence.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9FB21C651E98DF25))
    powers = np.ones(1, np.uint64)
    while len(powers) <= len(sequence):
        step = _times(powers[-1:], np.full(1, _BASE))
        powers = np.append(powers, _times(powers, np.full_like(powers, step[0])))
    powers = powers[: len(sequence) + 1]
    terms = _times(spread, powers[:-1])
    # Running sums of both halves of the numbers, which do not overflow.
    low, high = (np.append(np.uint64(0), np.cumsum(each)) for each in (terms & _LOW31, terms >> np.uint64(31)))
    sums = _reduced(_times(_reduced(high), np.full_like(high, 1 << 31)) + _reduced(low))

    def hashes(begins: Index, lengths: Index) -> Keys:
        between = sums[begins + lengths] + (_PRIME - sums[begins])
        return _times(_reduced(between), powers[len(powers) - 1 - begins])

    return hashes


def common_reach(
    sequence: Index, steps: Index, occurrences: Index, offsets: Index, *, before: Mask, after: Mask
) -> tuple[Index, Index]:
    """How many symbols all occurrences of each of S symbols have in common, with it and before it, and with it and
    after it: two arrays of int64 (S,), at least 1.

    sequence: (n,), the symbols. steps: (n,), how far it is to the next symbol, 1 or 2, which must be the same, too; 0:
    a stretch ends here, and no symbol after it counts.
    occurrences: (n,), the places of the first symbol, ascending, then those of the next symbol, and so on; offsets:
    (S + 1,), where those of each symbol begin. before, after: (S,), for which symbols this is asked; 1 for others.
    """
    places = np.arange(len(sequence))
    ends = np.append(np.flatnonzero(steps == 0), len(sequence) - 1)
    stretch = np.searchsorted(ends, places)
    first, last = np.append(0, ends + 1)[stretch], ends[stretch]
    reach = list[Index]()
    for asked, side, room in (
        (before, -1, places - first),
        (after, 1, last - places),
    ):
        found = np.ones(len(offsets) - 1, np.int64)
        some = np.flatnonzero(asked)
        if len(some):
            between = steps if side < 0 else np.append(0, steps[:-1])
            hashes = _hashes_of(3 * sequence + between)
            sizes = np.diff(offsets)[some]
            these, heads = occurrences[ranges(offsets[some], sizes)], np.repeat(occurrences[offsets[some]], sizes)
            low, high = np.zeros(len(these), np.int64), np.minimum(room[these], room[heads])
            while (low < high).any():
                middle = (low + high + 1) // 2
                begin = -middle if side < 0 else 1
                equal = hashes(these + begin, middle) == hashes(heads + begin, middle)
                low, high = np.where(equal, middle, low), np.where(equal, high, middle - 1)
            found[some] += np.minimum.reduceat(low, offsets_of(sizes)[:-1])
        reach.append(found)
    return reach[0], reach[1]


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
