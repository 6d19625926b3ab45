"""A common subsequence of long sequences: runs that each has once are matched first, and then what is between them.

This is the idea of "patience diff" by Bram Cohen, with runs of several symbols instead of lines.
"""

from __future__ import annotations

from bisect import bisect_left

import numpy as np

from simdocs.kernels.compare.subsequence import lcs_places
from simdocs.model.ragged import Array, Index

RUN = 8
"""Symbols in a run, a power of 2. Runs of so many words hardly ever stand by chance in two places."""

_APART = 256
"""Symbols of `a` in which one run is matched. More would make what is between them shorter, and its LCS less good."""


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
    numbers = np.unique(np.concatenate((a, b)), return_inverse=True)[1].astype(np.int64)
    sides = [numbers[: len(a)], numbers[len(a) :]]
    size = 1
    while size < RUN:
        # Runs of twice the size are pairs of runs. Equal ones get the same number again, so that no two are mixed up.
        most = int(max(side.max(initial=0) for side in sides)) + 1
        pairs = [side[:-size] * most + side[size:] if len(side) > size else side[:0] for side in sides]
        numbers = np.unique(np.concatenate(pairs), return_inverse=True)[1].astype(np.int64)
        sides = [numbers[: len(pairs[0])], numbers[len(pairs[0]) :]]
        size *= 2
    kinds = int(numbers.max(initial=-1)) + 1
    first, counts = np.zeros((2, kinds), np.int64), [np.bincount(side, minlength=kinds) for side in sides]
    for places, side in zip(first, sides, strict=True):
        places[side] = np.arange(len(side))
    once = np.flatnonzero((counts[0] == 1) & (counts[1] == 1))
    order = np.argsort(first[0][once])
    return first[0][once][order], first[1][once][order]


def _in_order(left: Index, right: Index) -> tuple[Index, Index]:
    """The longest part of these pairs of places in which `right` ascends, too. left: ascending."""
    smallest, last = list[int](), list[int]()
    before = np.full(len(left), -1, np.int64)
    for at, place in enumerate(right.tolist()):
        length = bisect_left(smallest, place)
        before[at] = last[length - 1] if length else -1
        smallest[length : length + 1] = [place]
        last[length : length + 1] = [at]
    chain = list[int]()
    at = last[-1] if last else -1
    while at >= 0:
        chain.append(at)
        at = int(before[at])
    chain.reverse()
    return left[chain], right[chain]
