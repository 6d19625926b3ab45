"""Greedy grouping in rounds: which documents are kept, and of which kept document each other one is a duplicate.

The definition is sequential. In keep order, a document is kept unless an earlier kept document is similar enough;
otherwise it is a duplicate of the most similar of those. Rounds give the same result. A document that comes first among
the undecided members in every bucket that it is in has been compared with all documents kept before it. So it is kept,
and it is compared with the later members of its buckets, many at a time. Members are numbered in keep order.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from simdocs.kernels.lsh.buckets import distinct_pairs
from simdocs.model.ragged import Array, Floats, Index, Ragged, count_true_in_rows, ranges

UNDECIDED, KEPT, REMOVED = 0, 1, 2


@dataclass(frozen=True, slots=True)
class GroupingState:
    """What is decided so far about M members, one entry each.

    status: int8 (M,), UNDECIDED, KEPT or REMOVED. under: int64 (M,), for a removed member the kept one in its place.
    jaccard, estimate: float64 (M,), how similar the two are. For other members the last three are -1.
    """

    status: Array
    under: Index
    jaccard: Floats
    estimate: Floats

    @classmethod
    def undecided(cls, size: int) -> GroupingState:
        """The state in which nothing is decided about `size` members."""
        floats = np.full(size, -1.0)
        return cls(np.zeros(size, np.int8), np.full(size, -1), floats, floats)

    @property
    def settled(self) -> bool:
        """Whether every member is kept or removed."""
        return bool((self.status != UNDECIDED).all())


def prune_buckets(buckets: Ragged, state: GroupingState, max_kept: int) -> Ragged:
    """The open buckets: those with an undecided member and fewer than `max_kept` kept ones.

    A bucket with `max_kept` kept members is closed, and its later members are not compared through it. This bounds the
    work that boilerplate or forged signatures can cause. buckets: Ragged int64, members ascending in each bucket.
    """
    status = state.status[buckets.values]
    full = count_true_in_rows(status == KEPT, buckets.offsets) >= max_kept
    waiting = count_true_in_rows(status == UNDECIDED, buckets.offsets) > 0
    return buckets.take(np.flatnonzero(waiting & ~full))


def capped_members(buckets: Ragged, state: GroupingState, max_kept: int) -> Index:
    """The kept members that were not compared with every member kept before them, because a bucket was closed.

    Returns int64, ascending. buckets: all of them, before any was pruned.
    """
    kept = buckets.keep(state.status[buckets.values] == KEPT)
    rank = np.arange(len(kept.values)) - np.repeat(kept.offsets[:-1], kept.lengths)
    return np.unique(kept.values[rank > max_kept])


def next_kept(open_buckets: Ragged, state: GroupingState) -> tuple[Index, Index]:
    """The members to keep in this round, ascending, and the position of each bucket's first undecided member.

    Returns two arrays of int64; positions refer to open_buckets.values. open_buckets: from `prune_buckets`, so each one
    has an undecided member. An undecided member in no open bucket is kept, too.
    """
    members = open_buckets.values
    size = len(state.status)
    undecided = state.status[members] == UNDECIDED
    positions = np.where(undecided, np.arange(len(members)), len(members))
    firsts = np.minimum.reduceat(positions, open_buckets.offsets[:-1]) if len(open_buckets) else positions
    led = np.bincount(members[firsts], minlength=size)
    joined = np.bincount(members[undecided], minlength=size)
    return np.flatnonzero((state.status == UNDECIDED) & (led == joined)), firsts


def pairs_with_newly_kept(open_buckets: Ragged, kept: Index, firsts: Index, size: int) -> Iterator[tuple[Index, Index]]:
    """The distinct pairs of each newly kept member with the later members of its open buckets, in blocks.

    kept, firsts: from `next_kept` for the same open buckets. size: the number of members, M. A block is two int64
    arrays, the kept members and the others.
    """
    is_kept = np.zeros(size, bool)
    is_kept[kept] = True
    led = is_kept[open_buckets.values[firsts]]
    starts = firsts[led]
    counts = open_buckets.offsets[1:][led] - starts - 1
    yield from distinct_pairs(open_buckets.values[starts], starts + 1, counts, open_buckets.values, size)


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


def mark_kept(state: GroupingState, kept: Index) -> GroupingState:
    """The state in which these members are kept."""
    status = state.status.copy()
    status[kept] = KEPT
    return replace(state, status=status)


def mark_removed(state: GroupingState, kept: Index, members: Index, jaccard: Floats, estimate: Floats) -> GroupingState:
    """The state in which each of these members is removed, in favour of the most similar kept one; ties to the earlier.

    kept[i] and members[i] are a similar pair, with this exact similarity and this estimate: (P,) each. A member may
    occur in several pairs, and may have been removed before.
    """
    order = np.lexsort((kept, -jaccard, members))
    best = order[np.append(True, np.diff(members[order]) != 0)[: len(order)]]
    kept, members, jaccard, estimate = kept[best], members[best], jaccard[best], estimate[best]
    old = state.jaccard[members]
    better = (jaccard > old) | ((jaccard == old) & (kept < state.under[members]))
    changed = members[better]
    status, under = state.status.copy(), state.under.copy()
    jaccards, estimates = state.jaccard.copy(), state.estimate.copy()
    status[members] = REMOVED
    under[changed], jaccards[changed], estimates[changed] = kept[better], jaccard[better], estimate[better]
    return GroupingState(status, under, jaccards, estimates)
