"""The frontier of greedy grouping: which undecided members can be kept, because they come first in all their buckets.

Every step takes time for the members that were decided, and not for all: each member is looked at a few times in each
of its buckets during the whole run.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from simdocs.kernels.group.greedy_rounds import KEPT, UNDECIDED, first_undecided
from simdocs.kernels.lsh.buckets import distinct_pairs, member_blocks, positions_of_members
from simdocs.model.numbering import TextNumbers
from simdocs.model.ragged import Array, Index, Ragged, count_true_in_rows, ranges, row_blocks

_LISTED = 64
"""Pairs that are listed for each distinct one, at most, when pairs are counted: one for each bucket in common."""

_AT_ONCE = 1 << 18
"""Members of buckets that are looked at together when the frontier is made."""

_SCANNED = 256
"""Members that are looked at together at least, in search of undecided ones."""


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
        # Buckets may be many times as many as members, so they are counted by numbers of 4 bytes.
        self._kept = np.zeros(len(buckets), np.int32)
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
        self._next = 0

    def pairs(self, members: TextNumbers) -> Iterator[tuple[TextNumbers, TextNumbers]]:
        """The distinct pairs of each of these members with the later members of its open buckets, in blocks."""
        every = self._buckets.values
        for some in member_blocks(self._positions, members):
            positions, bucket = self._in_open_buckets(some)
            counts = self._buckets.offsets[bucket + 1] - positions - 1
            yield from distinct_pairs(every[positions], positions + 1, counts, every, len(self._status))

    def counts_up_to(self, most: int, members: TextNumbers) -> Index:
        """How many pairs each of these members has, for as many of them as together have at most this number: int64.

        members: ascending. Fewer are counted, too, if they have many buckets in common.
        """
        counted, total = 0, 0
        for some in member_blocks(self._positions, members):
            every = self._positions.take(some)
            bucket = self._bucket_of(every.values)
            listed = (self._buckets.offsets[bucket + 1] - every.values - 1) * (self._kept[bucket] < self._most)
            totals = total + np.append(0, np.cumsum(listed))[every.offsets[1:]]
            fitting = int(np.searchsorted(totals, _LISTED * most, side="right"))
            counted += fitting
            if fitting < len(some):
                break
            total = int(totals[-1])
        members = members[:counted]
        counts = np.zeros(len(members), np.int64)
        for left, _ in self.pairs(members):
            counts += np.bincount(np.searchsorted(members, left), minlength=len(members))
        return counts[: np.searchsorted(np.cumsum(counts), most, side="right")]

    def upcoming(self, most: int) -> tuple[TextNumbers, Index]:
        """The next undecided members that are not ready, ascending, and how many pairs each has: `most` at most.

        A member is returned at most once. As soon as those returned and those that are ready are decided, all members
        before them are decided, too.
        """
        status, waits = self._status, self._waits
        while self._next < len(status):
            end = min(self._next + max(most, _SCANNED), len(status))
            blocked = (status[self._next : end] == UNDECIDED) & (waits[self._next : end] > 0)
            members = self._next + np.flatnonzero(blocked)
            counts = self.counts_up_to(most, members)
            self._next = end if len(counts) == len(members) else int(members[len(counts)])
            if len(members):
                return members[: len(counts)], counts
        return np.empty(0, np.int64), np.empty(0, np.int64)

    def advance(self, kept: TextNumbers, removed: TextNumbers) -> TextNumbers:
        """Go on after these members were decided, and return the members that are ready now and were not before.

        kept: ready members. removed: members that were undecided. Their status has been changed.
        """
        of_kept, of_removed = self._open_buckets(kept), self._open_buckets(removed)
        # A ready member comes first in its open buckets, so each of these buckets has one of those kept.
        self._kept[of_kept] += 1
        closed = of_kept[self._kept[of_kept] == self._most]
        released = self._undecided_of(closed)
        touched = np.unique(np.concatenate((of_kept, of_removed)))
        touched = touched[self._kept[touched] < self._most]
        heads = self._heads[touched]
        stale = touched[self._status[self._buckets.values[heads]] != UNDECIDED]
        ends = self._buckets.offsets[stale + 1]
        self._heads[stale] = first_undecided(self._buckets.values, self._heads[stale], ends, self._status)
        fewer = np.concatenate((released, self._led(stale)))
        np.subtract.at(self._waits, fewer, 1)
        return np.unique(fewer[self._waits[fewer] == 0]).astype(np.int64)

    def _bucket_of(self, positions: Index) -> Index:
        bucket: Index = np.searchsorted(self._buckets.offsets, positions, side="right") - 1
        return bucket

    def _in_open_buckets(self, members: TextNumbers) -> tuple[Index, Index]:
        """The positions of these members in their open buckets, and these buckets."""
        positions = self._positions.take(members).values.astype(np.int64)
        bucket = self._bucket_of(positions)
        is_open = self._kept[bucket] < self._most
        return positions[is_open], bucket[is_open]

    def _open_buckets(self, members: TextNumbers) -> Index:
        """The open buckets of these members."""
        found = [np.empty(0, np.int32)]
        for some in member_blocks(self._positions, members):
            found.append(self._in_open_buckets(some)[1].astype(np.int32))
        return np.concatenate(found)

    def _led(self, buckets: Index) -> TextNumbers:
        """The first undecided members of these buckets; buckets without one are left out."""
        heads = self._heads[buckets]
        led: TextNumbers = self._buckets.values[heads[heads < self._buckets.offsets[buckets + 1]]]
        return led

    def _undecided_of(self, buckets: Index) -> TextNumbers:
        """The undecided members of these buckets, behind the first one."""
        starts = self._heads[buckets]
        members = self._buckets.values[ranges(starts, self._buckets.offsets[buckets + 1] - starts)]
        undecided: TextNumbers = members[self._status[members] == UNDECIDED]
        return undecided
