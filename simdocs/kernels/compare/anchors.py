"""A common subsequence of long sequences: runs that each has once are matched first, and then what is between them.

This is the idea of "patience diff" by Bram Cohen, with runs of several symbols instead of lines.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left

import numpy as np

from simdocs.kernels.compare.subsequence import lcs_places
from simdocs.model.ragged import Array, Index, Keys

RUN = 8
"""Symbols in a run, a power of 2. Runs of so many words hardly ever stand by chance in two places."""

_APART = 256
"""Symbols of `a` in which one run is matched. More would make what is between them shorter, and its LCS less good."""

_FACTORS = np.uint64(0x9FB21C651E98DF25), np.uint64(0xD6E8FEB86659FD93)
"""Odd numbers with about as many bits set as not."""

_AT_ONCE = 1 << 16
"""Places that are Python objects at the same time."""


def anchored_places(a: Array, b: Array, most_cells: int) -> tuple[Index, Index] | None:
    """The places of a common subsequence in a and in b: two ascending arrays of int64. a[left] equals b[right].

    Runs of 8 symbols that a and b both have exactly once are matched if they come in the same order, in most cases.
    Between them, a longest common subsequence is found. None if that would take tables of more than `most_cells` cells.
    The result is seldom shorter than the longest common subsequence, but may be.
    """
    left, right = _in_order(*_runs_of_both(a, b))
    some = np.unique(left // _APART, return_index=True)[1]
    left, right = left[some], right[some]
    begins = [np.concatenate(([0], places + 1)) for places in (left, right)]
    ends = [np.append(left, len(a)), np.append(right, len(b))]
    sizes = [end - begin for begin, end in zip(begins, ends, strict=True)]
    if float(np.dot(sizes[0].astype(float), sizes[1])) > most_cells:
        return None
    found: list[tuple[Index, Index]] = [(left, right)]
    for gap in np.flatnonzero((sizes[0] > 0) & (sizes[1] > 0)).tolist():
        (from_a, from_b), (to_a, to_b) = (each[gap] for each in begins), (each[gap] for each in ends)
        between = lcs_places(a[from_a:to_a], b[from_b:to_b])
        found.append((between[0] + from_a, between[1] + from_b))
    in_a, in_b = (np.concatenate(side) for side in zip(*found, strict=True))
    return np.sort(in_a), np.sort(in_b)


def _runs_of_both(a: Array, b: Array) -> tuple[Index, Index]:
    """Where the runs begin that each sequence has exactly once: places in a, ascending, and those in b."""
    runs = _runs(a), _runs(b)
    once = _once(runs[0])
    once = once[_are_among(once, _once(runs[1]))]
    left, right = (np.flatnonzero(_are_among(side, once)) for side in runs)
    places = np.empty(len(once), np.int64)
    places[np.searchsorted(once, runs[1][right])] = right
    right = places[np.searchsorted(once, runs[0][left])]
    # Runs that only have the same hash are dropped.
    equal = np.ones(len(left), bool)
    for at in range(RUN):
        equal &= a[left + at] == b[right + at]
    return left[equal], right[equal]


def _runs(symbols: Array) -> Keys:
    """A hash of each run: uint64 (n - RUN + 1,), or none if there are fewer symbols."""
    runs, size = symbols.astype(np.uint64), 1
    while size < RUN:
        # A run of twice the size is a pair of runs.
        first, second = runs[:-size], runs[size:]
        runs = first * _FACTORS[0]
        runs ^= runs >> np.uint64(32)
        runs += second
        runs *= _FACTORS[1]
        runs ^= runs >> np.uint64(32)
        size *= 2
    return runs


def _once(runs: Keys) -> Keys:
    """Those that occur once, ascending."""
    ordered = np.sort(runs)
    new = np.ones(len(ordered) + 1, bool)
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:-1])
    return ordered[new[:-1] & new[1:]]


def _are_among(runs: Keys, ordered: Keys) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Which runs are among these, which ascend."""
    among = np.zeros(len(runs), bool)
    for at in range(0, len(runs) if len(ordered) else 0, _AT_ONCE):
        some = runs[at : at + _AT_ONCE]
        among[at : at + _AT_ONCE] = ordered[np.minimum(np.searchsorted(ordered, some), len(ordered) - 1)] == some
    return among


def _in_order(left: Index, right: Index) -> tuple[Index, Index]:
    """The longest part of these pairs of places in which `right` ascends, too. left: ascending."""
    if (right[1:] > right[:-1]).all():
        return left, right
    smallest, last = array("q"), array("q")
    before = np.full(len(left), -1, np.int64)
    for begin in range(0, len(right), _AT_ONCE):
        for at, place in enumerate(right[begin : begin + _AT_ONCE].tolist(), begin):
            length = bisect_left(smallest, place)
            before[at] = last[length - 1] if length else -1
            smallest[length : length + 1] = array("q", (place,))
            last[length : length + 1] = array("q", (at,))
    chain = np.empty(len(last), np.int64)
    at = last[-1]
    for place in range(len(last) - 1, -1, -1):
        chain[place] = at
        at = int(before[at])
    return left[chain], right[chain]
