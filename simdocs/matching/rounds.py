"""The rounds of greedy grouping, in which candidate pairs of undecided texts are verified ahead where that pays.

A round keeps all texts that come first among the undecided in their buckets, and compares them with the later members.
In a chain where each text is similar to the next one only, a round keeps one text. Then the pairs of the next undecided
texts are verified together with its few pairs, and the next rounds find their similarities in memory. This changes no
decision, because only the pairs of texts that are kept are used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np

from simdocs.kernels.buckets import distinct_pairs, joined_blocks, member_blocks, positions_of_members
from simdocs.kernels.grouping import (
    KEPT,
    REMOVED,
    UNDECIDED,
    first_undecided,
    most_similar_kept,
    pairs_with_always_kept,
)
from simdocs.model.groups import Pairs
from simdocs.model.ragged import (
    Array,
    Floats,
    Index,
    Mask,
    Ragged,
    TextNumbers,
    count_true_in_rows,
    distinct,
    ranges,
    row_blocks,
)

_LISTED = 64
"""When pairs are counted, the most that are listed for each distinct one: one for each common bucket."""

_AT_ONCE = 1 << 18
"""Members of buckets that are looked at together when the frontier is made."""

_SCANNED = 256
"""The fewest members that are searched together for undecided ones."""


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

    def keep(self, members: TextNumbers) -> None:
        """Keep these members."""
        self.status[members] = KEPT

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


class Comparer(NamedTuple):
    """How texts are compared, and what becomes of the results.

    similar(left, right): the similar pairs among these, in the order given
    use(pairs): receives the similar pairs of a kept text (left) with later ones (right), each pair once
    progress(decided): receives the number of texts decided so far
    """

    similar: Callable[[TextNumbers, TextNumbers], Pairs]
    use: Callable[[Pairs], None]
    progress: Callable[[int], None]


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
        self._next = 0

    def pairs(self, members: TextNumbers) -> Iterator[tuple[TextNumbers, TextNumbers]]:
        """The distinct pairs of each of these members with the later members of its open buckets, in blocks."""
        every = self._buckets.values
        for some in member_blocks(self._positions, members):
            positions, bucket = self._in_open_buckets(some)
            counts = self._buckets.offsets[bucket + 1] - positions - 1
            yield from distinct_pairs(every[positions], positions + 1, counts, every, len(self._status))

    def counts_up_to(self, most: int, members: TextNumbers) -> Index:
        """The number of pairs of each of the first of these members, which together have at most `most` pairs: int64.

        members: ascending. Fewer members are counted if they have many common buckets.
        """
        counted, total = 0, 0
        for some in member_blocks(self._positions, members):
            every = self._positions.take(some)
            bucket = self._bucket_of[every.values]
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
        """The next undecided members that are not ready, ascending, and their numbers of pairs: in all, at most `most`.

        A member is returned at most once. Once these and the ready members are decided, all members before them are
        decided, too.
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
        released = self._undecided_of(closed)
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

    def _undecided_of(self, buckets: Index) -> TextNumbers:
        """The undecided members of these buckets, after the first one."""
        starts = self._heads[buckets]
        members = self._buckets.values[ranges(starts, self._buckets.offsets[buckets + 1] - starts)]
        undecided: TextNumbers = members[self._status[members] == UNDECIDED]
        return undecided


_FEW = 64
"""Verifying this number of pairs takes about as long as the call itself. Pairs are verified ahead only in rounds with
fewer pairs, unless that has just paid."""

_MANY = 1 << 16
"""The largest number of pairs that are verified ahead. The similar ones are held in memory, 40 bytes each."""

_AT_FIRST = 4
"""Pairs that are verified ahead for each pair of the round, at first: enough texts to see whether it pays."""

_PAYS = 3
"""Verifying ahead pays if at least one pair in this number is used."""


class Rounds:
    """Decides which of texts 0, 1, ... below `size` are kept, with the same result as deciding about them one by one.

    buckets: Ragged int64, of texts, ascending in each.
    most: in a bucket, later members are compared with at most this number of kept ones.
    always_kept: the first texts, which are kept.
    """

    def __init__(self, buckets: Ragged, size: int, most: int, comparer: Comparer, always_kept: int = 0) -> None:
        self._comparer, self._decided = comparer, always_kept
        self._state = GroupingState(size)
        self._state.keep(np.arange(always_kept))
        if always_kept:
            blocks = pairs_with_always_kept(buckets, always_kept, most, size)
            self._remove(comparer.similar(left, right) for left, right in blocks)
        self._frontier = Frontier(buckets, self._state.status, most)
        self._is_ahead = np.zeros(size, bool)
        self._keys, self._ahead = np.empty(0, np.int64), Pairs.empty()
        # The number of pairs to verify ahead; of rounds without any, now, and the next time that it does not pay.
        self._room, self._pause, self._pauses = 0, 0, 1

    def decide(self) -> GroupingState:
        """The decisions about all texts."""
        self._comparer.progress(self._decided)
        ready = self._frontier.ready
        while len(ready):
            # All texts that were verified ahead are decided by now.
            ahead, counts = self._choose_ahead(ready)
            ready = self._round(ready, self._verified(ready, ahead))
            later = []
            while len(ready):
                is_ahead = self._is_ahead[ready]
                later.append(ready[~is_ahead])
                ready = ready[is_ahead]
                if len(ready):
                    ready = self._round(ready, self._recalled(ready))
            if len(ahead):
                self._learn(counts, self._state.status[ahead] == KEPT)
            ready = np.sort(np.concatenate(later)) if later else ready
        return self._state

    def _round(self, ready: TextNumbers, similar: Iterable[Pairs]) -> TextNumbers:
        """Keep these texts, remove those similar to them, and return the texts that are ready then."""
        self._state.keep(ready)
        removed = self._remove(similar)
        self._decided += len(ready)
        self._comparer.progress(self._decided)
        return self._frontier.advance(ready, removed)

    def _remove(self, similar: Iterable[Pairs]) -> TextNumbers:
        removed = [np.empty(0, np.int64)]
        for pairs in similar:
            removed.append(self._state.remove(pairs))
            self._decided += len(removed[-1])
            self._comparer.use(pairs)
            self._comparer.progress(self._decided)
        return np.concatenate(removed)

    def _choose_ahead(self, ready: TextNumbers) -> tuple[TextNumbers, Index]:
        """The next undecided texts, to be verified together with the ready ones, and the number of pairs of each."""
        few = max(_FEW, self._room)
        counts = self._frontier.counts_up_to(few, ready)
        if len(counts) < len(ready) or self._pause:
            self._pause = max(self._pause - 1, 0)
            return ready[:0], counts[:0]
        self._room = min(max(self._room, _AT_FIRST * int(counts.sum())), _MANY)
        return self._frontier.upcoming(self._room)

    def _learn(self, counts: Index, used: Mask) -> None:
        """Verify twice as many ahead the next time if enough of these pairs were used.

        Otherwise none are verified ahead in the next rounds, twice as many rounds each time.
        """
        if _PAYS * counts[used].sum() >= counts.sum():
            self._room, self._pauses = 2 * self._room, 1
        else:
            self._room, self._pause, self._pauses = 0, self._pauses, 2 * self._pauses

    def _verified(self, ready: TextNumbers, ahead: TextNumbers) -> Iterator[Pairs]:
        """Yield the similar pairs of texts that are ready. Those of texts ahead are remembered."""
        self._is_ahead[ahead] = True
        remembered = [Pairs.empty()]
        for left, right in joined_blocks(self._frontier.pairs(np.concatenate((ready, ahead)))):
            similar = self._comparer.similar(left, right)
            if len(ahead):
                is_ahead = self._is_ahead[similar.left]
                remembered.append(similar.take(np.flatnonzero(is_ahead)))
                similar = similar.take(np.flatnonzero(~is_ahead))
            yield similar
        self._ahead = Pairs.concat(remembered)
        self._keys = self._ahead.left * len(self._is_ahead) + self._ahead.right

    def _recalled(self, ready: TextNumbers) -> Iterator[Pairs]:
        """Yield the similar pairs of ready texts that were verified ahead, from memory.

        Pairs are left out if their bucket was closed since they were verified.
        """
        for left, right in self._frontier.pairs(ready):
            keys = left * len(self._is_ahead) + right
            places = np.searchsorted(self._keys, keys)
            found = places < len(self._keys)
            found[found] = self._keys[places[found]] == keys[found]
            yield self._ahead.take(places[found])
