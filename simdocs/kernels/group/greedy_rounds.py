"""Greedy grouping in rounds: which documents are kept, and of which kept document each other one is a duplicate.

The definition is sequential. In keep order, a document is kept unless an earlier kept document is similar enough;
otherwise it is a duplicate of the most similar of those. Rounds give the same result. A document that comes first among
the undecided members in every bucket that it is in has been compared with all documents kept before it. So it is kept,
and it is compared with the later members of its buckets, many at a time. Members are numbered in keep order.

matching/candidates/rounds.py runs the rounds. The steps here take time for what they are asked about, and not for all
members: a chain of documents, each similar only to its neighbours, needs a round for every document that is kept.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from simdocs.kernels.lsh.buckets import distinct_pairs
from simdocs.model.ragged import Array, Floats, Index, Ragged, count_true_in_rows, distinct, offsets_of, ranges
from simdocs.options.families import KEEP

UNDECIDED, KEPT, REMOVED = 0, 1, 2
"""The status of a member, as int8."""

_AT_ONCE = 1 << 16
"""Buckets that are looked at together. Each takes some 100 bytes then."""


def first_undecided(members: Index, starts: Index, ends: Index, status: Array) -> Index:
    """For each i, the first position from starts[i] on whose member is undecided, or ends[i]: int64 (n,).

    About four times as many members are looked at, at most, as there are before the positions found.

    members: (T,)
    starts, ends: int64 (n,), positions in members
    status: int8 (M,)
    """
    found = np.empty(len(starts), starts.dtype)
    for at in range(0, len(starts), _AT_ONCE):
        some = slice(at, at + _AT_ONCE)
        found[some] = _first_undecided(members, starts[some], ends[some], status)
    return found


def _first_undecided(members: Index, starts: Index, ends: Index, status: Array) -> Index:
    found = starts.copy()
    active = np.flatnonzero(found < ends)
    width = 1
    while len(active):
        lengths = np.minimum(ends[active] - found[active], width)
        positions = ranges(found[active], lengths)
        undecided = status[members[positions]] == UNDECIDED
        first = np.minimum.reduceat(np.where(undecided, positions, len(members)), offsets_of(lengths)[:-1])
        found[active] = np.minimum(first, found[active] + lengths)
        active = active[(first == len(members)) & (found[active] < ends[active])]
        width *= 2
    return found


def capped_members(buckets: Ragged, status: Array, max_kept: int) -> Index:
    """The kept members that were not compared with every member kept before them, because a bucket was closed.

    A bucket with `max_kept` kept members is closed: its later members are not compared through it. The members are
    int64, ascending.

    buckets: Ragged int64, members ascending in each bucket.
    status: int8 (M,).
    """
    kept = status[buckets.values] == KEPT
    closed = buckets.take(np.flatnonzero(count_true_in_rows(kept, buckets.offsets) > max_kept))
    inside = closed.keep(status[closed.values] == KEPT)
    rank = np.arange(len(inside.values)) - np.repeat(inside.offsets[:-1], inside.lengths)
    return distinct(inside.values[rank > max_kept]).astype(np.int64)


def pairs_with_always_kept(
    buckets: Ragged, always_kept: int, max_kept: int, size: int
) -> Iterator[tuple[Index, Index]]:
    """The distinct pairs of the members that are always kept with the other members of their buckets, in blocks.

    Members below `always_kept` are always kept. In each bucket, only the first `max_kept` of those are paired. size:
    the number of members, M. A block is two int64 arrays, the kept members and the others.
    """
    members, offsets = buckets.values, buckets.offsets
    ahead = count_true_in_rows(members < always_kept, offsets)
    paired = np.minimum(ahead, max_kept)
    positions = ranges(offsets[:-1], paired)
    starts = np.repeat(offsets[:-1] + ahead, paired)
    ends = np.repeat(offsets[1:], paired)
    yield from distinct_pairs(members[positions], starts, ends - starts, members, size)


def most_similar_kept(kept: Index, members: Index, jaccard: Floats) -> Index:
    """The number of the pair with the most similar kept member for each distinct member, ties to the earlier: int64.

    kept[i] and members[i] are a similar pair with this similarity: (P,) each. The results ascend by member.
    """
    order = np.lexsort((kept, -jaccard, members))
    best: Index = order[np.append(True, np.diff(members[order]) != 0)[: len(order)]]
    return best


def first(sizes: Array, mtimes: Array) -> Array:
    """Sort by row order."""
    return np.arange(len(sizes))


def longest(sizes: Array, mtimes: Array) -> Array:
    """Sort by size, the largest first."""
    return -sizes


def shortest(sizes: Array, mtimes: Array) -> Array:
    """Sort by size, the smallest first."""
    return sizes


def newest(sizes: Array, mtimes: Array) -> Array:
    """Sort by time of change, the last one first."""
    return -mtimes


def oldest(sizes: Array, mtimes: Array) -> Array:
    """Sort by time of change, the earliest first."""
    return mtimes


def keep_order(policy: str, sizes: Array, mtimes: Array) -> Index:
    """The row numbers in keep order: int64 (N,), the document to keep first, ties in row order.

    sizes, mtimes: int64 (N,), bytes and nanoseconds. KeyError: the policy is not in the table of keep policies.
    """
    return np.argsort(KEEP[policy].load()(sizes, mtimes), kind="stable")
