"""The longest common subsequence of two sequences, many cells of its table at a time.

The table is computed by rows, and a row is one large integer with a bit for each symbol of the longer sequence: Hyyrö,
Bit-parallel LCS-length computation revisited (2004); Crochemore et al., A fast and practical bit-vector algorithm for
the longest common subsequence problem (2001). Symbols in order are recovered by dividing the shorter sequence in two:
Hirschberg, A linear space algorithm for computing maximal common subsequences (1975).
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Iterator
from functools import lru_cache

import numpy as np

from simdocs.kernels.buckets import equal_runs
from simdocs.kernels.windows import window_keys
from simdocs.model.ragged import Array, Index, distinct

_STORED_CELLS = 1 << 28
"""Cells of the largest table whose rows are held, one bit each: 32 MiB."""

_MASK_BITS = 1 << 29
"""Bits of masks that are kept for symbols that come again: 64 MiB."""


def alike_ends(a: Array, b: Array) -> tuple[int, int]:
    """How many symbols two sequences begin with alike, and how many of the others they end with alike: two ints."""
    most = min(len(a), len(b))
    first = _equal_run(a[:most], b[:most])
    most -= first
    return first, _equal_run(a[len(a) - most :][::-1], b[len(b) - most :][::-1])


def cells(a: Array, b: Array) -> int:
    """How many cells the table of two sequences has, without what they begin and end with alike."""
    first, last = alike_ends(a, b)
    return (len(a) - first - last) * (len(b) - first - last)


def lcs_length(a: Array, b: Array) -> int:
    """The length of a longest common subsequence.

    Equals the last cell of the table L[i][j] = L[i-1][j-1] + 1 if a[i] == b[j], else max(L[i-1][j], L[i][j-1]). a, b:
    one-dimensional arrays of integers, which stand for symbols. The time grows with `cells`.
    """
    first, last = alike_ends(a, b)
    a, b = a[first : len(a) - last], b[first : len(b) - last]
    long, short = (a, b) if len(a) >= len(b) else (b, a)
    return first + last + len(long) - _last_row(long, short).bit_count()


def lcs_places(a: Array, b: Array) -> tuple[Index, Index]:
    """The places of a longest common subsequence in a and in b: two ascending arrays of int64 with `lcs_length` places.

    a[left] equals b[right]. Takes twice the time of `lcs_length`.
    """
    first, last = alike_ends(a, b)
    left, right = _shared(a[first : len(a) - last], b[first : len(b) - last])
    begins, ends = np.arange(first), np.arange(last)
    return (
        np.concatenate((begins, left + first, ends + len(a) - last)),
        np.concatenate((begins, right + first, ends + len(b) - last)),
    )


def _shared(a: Array, b: Array) -> tuple[Index, Index]:
    """The places of a longest common subsequence. Symbols that only one of the sequences has are left out first."""
    in_a, in_b = np.flatnonzero(np.isin(a, b)), np.flatnonzero(np.isin(b, a))
    if not len(in_a):
        return in_a, in_b
    long_a = len(in_a) >= len(in_b)
    long, short = (a[in_a], b[in_b]) if long_a else (b[in_b], a[in_a])
    places = _traced(long, short) if len(long) * len(short) <= _STORED_CELLS else _divided(long, short)
    left, right = places if long_a else places[::-1]
    return in_a[left], in_b[right]


def _divided(long: Array, short: Array) -> tuple[Index, Index]:
    """The places of a longest common subsequence, found in the two halves of `short` one after the other."""
    half = len(short) // 2
    through = _growth(long, short[:half]) + _growth(long[::-1], short[half:][::-1])[::-1]
    cut = int(through.argmax())
    before, after = lcs_places(long[:cut], short[:half]), lcs_places(long[cut:], short[half:])
    return np.concatenate((before[0], after[0] + cut)), np.concatenate((before[1], after[1] + half))


def _growth(long: Array, short: Array) -> Index:
    """The length of a longest common subsequence of each beginning of `long` with `short`: int64 (len(long)+1,)."""
    row = np.frombuffer(_as_bytes(_last_row(long, short), len(long)), np.uint8)
    bits = np.unpackbits(row, bitorder="little", count=len(long))
    return np.concatenate(([0], np.cumsum(bits == 0)))


def _traced(long: Array, short: Array) -> tuple[Index, Index]:
    """The places of a longest common subsequence, found by going back through all rows of the table."""
    rows = [_as_bytes(row, len(long)) for row in _rows(long, short)]
    left, right = list[int](), list[int]()
    i, j = len(long), len(short)
    while i and j:
        byte, bit = divmod(i - 1, 8)
        if rows[j - 1][byte] >> bit & 1:
            i -= 1
        elif j > 1 and not rows[j - 2][byte] >> bit & 1:
            j -= 1
        else:
            i, j = i - 1, j - 1
            left.append(i)
            right.append(j)
    return np.array(left[::-1], np.int64), np.array(right[::-1], np.int64)


def _rows(long: Array, short: Array) -> Iterator[int]:
    """Yield a row of the table for each symbol of `short`. Bit i is 0 if the length grows with symbol i of `long`."""
    every = (1 << len(long)) - 1
    row, mask_of = every, _masks(long, short)
    for symbol in short.tolist():
        matches = row & mask_of(symbol)
        row = ((row + matches) | (row - matches)) & every
        yield row


def _last_row(long: Array, short: Array) -> int:
    """The last row of the table."""
    last = deque(_rows(long, short), maxlen=1)
    return last.pop() if last else (1 << len(long)) - 1


def _masks(long: Array, short: Array) -> Callable[[int], int]:
    """A function from a symbol of `short` to an integer whose bits are 1 where `long` has the symbol."""
    order, wanted = np.argsort(long, kind="stable"), distinct(short)
    begins, ends = (np.searchsorted(long, wanted, side, order) for side in ("left", "right"))
    spans = dict(zip(wanted.tolist(), zip(begins.tolist(), ends.tolist(), strict=True), strict=True))

    @lru_cache(_MASK_BITS // max(1, len(long)))
    def mask_of(symbol: int) -> int:
        begin, end = spans[symbol]
        if begin == end:
            return 0
        bits = np.zeros(len(long), np.uint8)
        bits[order[begin:end]] = 1
        return int.from_bytes(np.packbits(bits, bitorder="little").tobytes(), "little")

    return mask_of


def _as_bytes(row: int, size: int) -> bytes:
    return row.to_bytes((size + 7) // 8, "little")


def _equal_run(a: Array, b: Array) -> int:
    """How many symbols are equal before the first that differs."""
    differs = a != b
    return int(differs.argmax()) if differs.any() else len(a)


RUN = 8
"""Symbols in a run, a power of 2. Runs of this many words hardly ever stand by chance in two places."""

_APART = 256
"""Symbols of `a` in which one run is matched. More would make what is between them shorter, and its LCS less good."""

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
    keys = np.concatenate((window_keys(a, RUN), window_keys(b, RUN)))
    order, of_a = np.argsort(keys, kind="stable"), max(0, len(a) - RUN + 1)
    begins, sizes = equal_runs(keys[order])
    places = order[begins[sizes == 2, np.newaxis] + (0, 1)]
    places = places[(places[:, 0] < of_a) & (places[:, 1] >= of_a)]
    left, right = places[np.argsort(places[:, 0])].T
    right = right - of_a
    # Runs that only have the same hash are dropped.
    equal = np.ones(len(left), bool)
    for at in range(RUN):
        equal &= a[left + at] == b[right + at]
    return left[equal], right[equal]


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
