"""Greedy groups in rounds: who is kept, and whom each duplicate goes under.

The definition is sequential: in keep order, a document is kept unless one kept before it is similar enough, and
goes under the most similar of those. In rounds it comes to the same: a document that stands first among the
undecided in every bucket it stands in has met all who were kept before it, so it is kept, and meets the later members
of its buckets, many at once. Members are numbered in keep order throughout.
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
    """What is decided so far about M members: one entry each.

    state: UNDECIDED, KEPT or REMOVED. under, jaccard, estimate: for a removed member the kept one it goes under, and
    how similar they are.
    """

    state: Array
    under: Index
    jaccard: Floats
    estimate: Floats

    @classmethod
    def undecided(cls, size: int) -> GroupingState:
        """Nothing decided about size members."""
        floats = np.full(size, -1.0)
        return cls(np.zeros(size, np.int8), np.full(size, -1), floats, floats)

    @property
    def settled(self) -> bool:
        """Whether every member is kept or removed."""
        return bool((self.state != UNDECIDED).all())


def prune_buckets(open_buckets: Ragged, standing: GroupingState, most: int) -> Ragged:
    """The buckets in which something is still to be decided.

    A bucket that has kept `most` members is closed: its later members no longer meet through it. That bounds the work
    which boilerplate or a forger can cause.
    """
    state = standing.state[open_buckets.values]
    full = count_true_in_rows(state == KEPT, open_buckets.offsets) >= most
    waiting = count_true_in_rows(state == UNDECIDED, open_buckets.offsets) > 0
    return open_buckets.take(np.flatnonzero(waiting & ~full))


def capped_members(buckets: Ragged, standing: GroupingState, most: int) -> Index:
    """The kept members that a closed bucket kept from meeting some kept before them: ascending."""
    kept = buckets.keep(standing.state[buckets.values] == KEPT)
    place = np.arange(len(kept.values)) - np.repeat(kept.offsets[:-1], kept.lengths)
    return np.unique(kept.values[place > most])


def next_kept(open_buckets: Ragged, standing: GroupingState) -> tuple[Index, Index]:
    """The members to be kept in this round (ascending), and the place of each bucket's first undecided member.

    open_buckets: as `prune` gives them, so that each has one. An undecided member of no open bucket is kept, too.
    """
    members = open_buckets.values
    size = len(standing.state)
    undecided = standing.state[members] == UNDECIDED
    places = np.where(undecided, np.arange(len(members)), len(members))
    firsts = np.minimum.reduceat(places, open_buckets.offsets[:-1]) if len(open_buckets) else places
    leads = np.bincount(members[firsts], minlength=size)
    stands = np.bincount(members[undecided], minlength=size)
    return np.flatnonzero((standing.state == UNDECIDED) & (leads == stands)), firsts


def pairs_with_newly_kept(open_buckets: Ragged, kept: Index, firsts: Index, size: int) -> Iterator[tuple[Index, Index]]:
    """Distinct pairs, in blocks, of each newly kept member with the later members of its open buckets."""
    is_kept = np.zeros(size, bool)
    is_kept[kept] = True
    led = is_kept[open_buckets.values[firsts]]
    starts = firsts[led]
    counts = open_buckets.offsets[1:][led] - starts - 1
    yield from distinct_pairs(open_buckets.values[starts], starts + 1, counts, open_buckets.values, size)


def pairs_with_always_kept(buckets: Ragged, given: int, most: int, size: int) -> Iterator[tuple[Index, Index]]:
    """Distinct pairs, in blocks, of the members below `given`, which are kept from the outset, with the others in their
    buckets; of those the first `most` in each."""
    members, offsets = buckets.values, buckets.offsets
    ahead = count_true_in_rows(members < given, offsets)
    meeting = np.minimum(ahead, most)
    places = ranges(offsets[:-1], meeting)
    starts = np.repeat(offsets[:-1] + ahead, meeting)
    ends = np.repeat(offsets[1:], meeting)
    yield from distinct_pairs(members[places], starts, ends - starts, members, size)


def mark_kept(standing: GroupingState, kept: Index) -> GroupingState:
    """The standing with these members kept."""
    state = standing.state.copy()
    state[kept] = KEPT
    return replace(standing, state=state)


def mark_removed(
    standing: GroupingState, kept: Index, members: Index, jaccard: Floats, estimate: Floats
) -> GroupingState:
    """The standing after similar pairs: each member goes under the most similar kept one, ties to the earlier."""
    order = np.lexsort((kept, -jaccard, members))
    best = order[np.append(True, np.diff(members[order]) != 0)[: len(order)]]
    kept, members, jaccard, estimate = kept[best], members[best], jaccard[best], estimate[best]
    old = standing.jaccard[members]
    better = (jaccard > old) | ((jaccard == old) & (kept < standing.under[members]))
    to = members[better]
    state, under = standing.state.copy(), standing.under.copy()
    jaccards, estimates = standing.jaccard.copy(), standing.estimate.copy()
    state[members] = REMOVED
    under[to], jaccards[to], estimates[to] = kept[better], jaccard[better], estimate[better]
    return GroupingState(state, under, jaccards, estimates)
