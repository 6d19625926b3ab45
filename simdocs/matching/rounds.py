"""The rounds of greedy grouping.

A round keeps all texts that come first among the undecided in their buckets, and compares them with the later members.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

import numpy as np

from simdocs.kernels import grouping
from simdocs.kernels.buckets import distinct_pairs, joined_blocks, member_blocks, positions_of_members
from simdocs.kernels.grouping import (
    KEPT,
    REMOVED,
    UNDECIDED,
    capped_members,
    first_undecided,
    most_similar_kept,
    pairs_with_always_kept,
)
from simdocs.model.groups import Pairs
from simdocs.model.ragged import (
    Array,
    Floats,
    Index,
    Ragged,
    TextNumbers,
    count_true_in_rows,
    distinct,
    ranges,
    row_blocks,
)

_AT_ONCE = 1 << 18
"""Members of buckets that are looked at together when the frontier is made."""


class GroupingState:
    """The decisions so far about M members, one entry each. Each decision changes the arrays in place.

    status: int8 (M,), UNDECIDED, KEPT or REMOVED.
    under: int64 (M,), for a removed member the kept one in its place; -1 for others.
    jaccard, estimate: float64 (M,), the similarity of the two; -1 for others.
    """

    __slots__ = ("estimate", "jaccard", "status", "under")

    def __init__(self, size: int) -> None:
        """size: M. No member is decided yet."""
        self.status: Array = np.zeros(size, np.int8)
        self.under: Index = np.full(size, -1)
        self.jaccard: Floats = np.full(size, -1.0)
        self.estimate: Floats = np.full(size, -1.0)

    def remove(self, pairs: Pairs) -> TextNumbers:
        """Remove the members on the right, and return those that were undecided, each once.

        The members on the left are kept. Each member is removed in favour of the most similar kept one that it was
        paired with so far; ties to the earlier. A member may occur in several pairs, and may have been removed before.
        """
        best = pairs.take(most_similar_kept(pairs.left, pairs.right, pairs.score))
        kept, members, jaccard = best.left, best.right, best.score
        old = self.jaccard[members]
        better = (jaccard > old) | ((jaccard == old) & (kept < self.under[members]))
        changed = members[better]
        self.under[changed], self.jaccard[changed] = kept[better], jaccard[better]
        self.estimate[changed] = best.estimate[better]
        new: TextNumbers = members[self.status[members] == UNDECIDED]
        self.status[new] = REMOVED
        return new


Compare: TypeAlias = Callable[[TextNumbers, TextNumbers], Pairs]
"""Returns the similar ones of these pairs of texts, in the order given."""


class Frontier:
    """The undecided members that come first among the undecided in all their open buckets.

    ready: these members, ascending, when the frontier is made. A bucket is open while fewer than `most` of its members
    are kept. This bounds the work that boilerplate or forged signatures can cause.
    """

    def __init__(self, buckets: Ragged, status: Array, most: int) -> None:
        """buckets: Ragged int64, members ascending in each. status: int8 (M,), changed by the caller as it decides."""
        self._buckets, self._status, self._most = buckets, status, most
        members, size = buckets.values, len(status)
        self._positions = positions_of_members(buckets, size)
        # There may be many more buckets than members, so they are counted in numbers of 4 bytes.
        self._kept = np.zeros(len(buckets), np.int32)
        self._bucket_of = np.repeat(np.arange(len(buckets), dtype=np.int32), buckets.lengths)
        self._heads = np.empty(len(buckets), self._positions.values.dtype)
        # In how many of its open buckets a member comes after an undecided one.
        self._waits = np.zeros(size, np.int64)
        for begin, end in row_blocks(buckets.offsets, _AT_ONCE):
            offsets = buckets.offsets[begin : end + 1]
            here = members[offsets[0] : offsets[-1]]
            kept = count_true_in_rows(status[here] == KEPT, offsets - offsets[0])
            self._kept[begin:end] = kept
            self._heads[begin:end] = first_undecided(members, offsets[:-1], offsets[1:], status)
            waiting = np.repeat(kept < most, np.diff(offsets)) & (status[here] == UNDECIDED)
            np.add.at(self._waits, here[waiting], 1)
            np.subtract.at(self._waits, self._led(begin + np.flatnonzero(kept < most)), 1)
        self.ready = np.flatnonzero((status == UNDECIDED) & (self._waits == 0))

    def pairs(self, members: TextNumbers) -> Iterator[tuple[TextNumbers, TextNumbers]]:
        """The distinct pairs of each of these members with the later members of its open buckets, in blocks."""
        every = self._buckets.values
        for some in member_blocks(self._positions, members):
            positions, bucket = self._in_open_buckets(some)
            counts = self._buckets.offsets[bucket + 1] - positions - 1
            yield from distinct_pairs(every[positions], positions + 1, counts, every, len(self._status))

    def advance(self, kept: TextNumbers, removed: TextNumbers) -> TextNumbers:
        """Update the frontier after these members were decided, and return the members that have become ready.

        kept: ready members. removed: members that were undecided. Their status has been changed.
        """
        decided, offsets = np.concatenate((kept, removed)), self._positions.offsets
        if (offsets[decided + 1] - offsets[decided]).sum() <= _AT_ONCE:
            return self._advance(kept, removed)
        # The kept ones come first, because whether a bucket is open for the others depends on them.
        parts = [self._advance(some, removed[:0]) for some in member_blocks(self._positions, kept)]
        parts += [self._advance(kept[:0], some) for some in member_blocks(self._positions, removed)]
        return np.sort(np.concatenate(parts))

    def _advance(self, kept: TextNumbers, removed: TextNumbers) -> TextNumbers:
        """What `advance` does, for some of the members. Each member is returned once for all parts."""
        of_kept, of_removed = self._open_buckets(kept), self._open_buckets(removed)
        # A ready member comes first in its open buckets, so each of these buckets has one of the kept members.
        self._kept[of_kept] += 1
        closed = of_kept[self._kept[of_kept] == self._most]
        heads = self._heads[closed]
        released = self._buckets.values[ranges(heads, self._buckets.offsets[closed + 1] - heads)]
        released = released[self._status[released] == UNDECIDED]
        touched = distinct(np.concatenate((of_kept, of_removed)))
        left = self._heads[touched] < self._buckets.offsets[touched + 1]  # or all members are decided
        touched = touched[left & (self._kept[touched] < self._most)]
        stale = touched[self._status[self._buckets.values[self._heads[touched]]] != UNDECIDED]
        ends = self._buckets.offsets[stale + 1]
        self._heads[stale] = first_undecided(self._buckets.values, self._heads[stale], ends, self._status)
        fewer = np.concatenate((released, self._led(stale)))
        np.subtract.at(self._waits, fewer, 1)
        return distinct(fewer[self._waits[fewer] == 0]).astype(np.int64)

    def _in_open_buckets(self, members: TextNumbers) -> tuple[Index, Array]:
        """The positions of these members in their open buckets, and these buckets."""
        positions = self._positions.take(members).values.astype(np.int64)
        bucket = self._bucket_of[positions]
        is_open = self._kept[bucket] < self._most
        return positions[is_open], bucket[is_open]

    def _open_buckets(self, members: TextNumbers) -> Index:
        """The open buckets of these members."""
        found = [np.empty(0, np.int32)]
        for some in member_blocks(self._positions, members):
            found.append(self._in_open_buckets(some)[1].astype(np.int32))
        return np.concatenate(found)

    def _led(self, buckets: Index) -> TextNumbers:
        """The first undecided member of each of these buckets that has one."""
        heads = self._heads[buckets]
        led: TextNumbers = self._buckets.values[heads[heads < self._buckets.offsets[buckets + 1]]]
        return led


class BucketCandidates:
    """The pairs among texts 0, 1, ... below `size` that share a bucket.

    buckets: Ragged int64 of texts, ascending in each.
    most: in a bucket, later texts are compared with at most this number of kept ones.
    always_kept: the first texts, which are kept even if they are similar.
    """

    def __init__(self, buckets: Ragged, size: int, most: int, always_kept: int = 0) -> None:
        self.buckets, self.size, self.most, self.always_kept = buckets, size, most, always_kept

    def decide(self, compare: Compare, progress: Callable[[int], None]) -> GroupingState:
        """The decisions about all texts, with the same result as deciding about them one by one.

        compare: receives each pair of a kept text (left) with later ones (right) once.
        progress: receives the number of texts decided so far.
        """
        state, decided, frontier = GroupingState(self.size), self.always_kept, None
        state.status[:decided] = KEPT
        ready = np.empty(0, np.int64)
        pairs = pairs_with_always_kept(self.buckets, self.always_kept, self.most, self.size) if decided else iter(())
        while frontier is None or len(ready):
            removed = [np.empty(0, np.int64)]
            for left, right in pairs:
                removed.append(state.remove(compare(left, right)))
                decided += len(removed[-1])
                progress(decided)
            if frontier is None:
                frontier = Frontier(self.buckets, state.status, self.most)
                ready = frontier.ready
                progress(decided)
            else:
                ready = frontier.advance(ready, np.concatenate(removed))
            state.status[ready] = KEPT
            decided += len(ready)
            progress(decided)
            pairs = joined_blocks(frontier.pairs(ready))
        return state

    def capped(self, status: Array) -> TextNumbers:
        """The kept texts that were not compared with all texts kept before them, because a bucket was full."""
        capped = capped_members(self.buckets, status, self.most)
        return capped[capped >= self.always_kept]

    def with_kept(self, removed: TextNumbers, status: Array) -> Iterator[tuple[TextNumbers, TextNumbers]]:
        """The candidate pairs of these removed texts with kept ones, at least with later ones, in blocks."""
        buckets = self.buckets
        every = positions_of_members(buckets, len(status))
        for members in member_blocks(every, removed):
            positions = every.take(members).values
            bucket, place = np.unique(
                np.searchsorted(buckets.offsets, positions, side="right") - 1, return_inverse=True
            )
            kept = buckets.take(bucket)
            kept = kept.keep(status[kept.values] == KEPT)
            left = buckets.values[positions]
            yield from distinct_pairs(left, kept.offsets[place], kept.lengths[place], kept.values, len(status))

    def links(self) -> Iterator[tuple[TextNumbers, TextNumbers]]:
        """Some candidate pairs, which probably connect most of each component, in blocks."""
        return grouping.star_pairs(self.buckets, self.size)

    def other_links(self, label: TextNumbers) -> Iterator[tuple[TextNumbers, TextNumbers]]:
        """The candidate pairs of texts with different labels, in blocks."""
        return grouping.cross_component_pairs(self.buckets, label)
