"""The windows of a fixed number of symbols in sequences: their hashes, and which of them occur in several texts.

Text that occurs once costs little: only *anchors* are looked at before it is known what is repeated. Two equal windows
have the same anchors. Definition: Schleimer, Wilkerson, Aiken, Winnowing: local algorithms for document fingerprinting
(2003), with all of several equal minima.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from simdocs.model.ragged import Array, Index, Keys, Mask, Ragged, ranges

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


class Anchors(NamedTuple):
    """Some places of texts, and a hash of the symbols there. places: int64 (n,), ascending. keys: uint64 (n,)."""

    places: Index
    keys: Keys


def anchors(texts: Ragged, opens: Mask, least: int) -> Anchors:
    """The anchors of texts, of which every window has at least one. Equal windows have anchors at the same places.

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
    return Anchors(every, np.concatenate(keys)[first])


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
