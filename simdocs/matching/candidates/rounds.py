"""The rounds of greedy grouping. Candidate pairs of undecided texts are verified ahead where that pays.

A round keeps all texts that come first among the undecided in their buckets, and compares them with the later members.
In a chain where each text is similar to the next one only, a round keeps one text. Then the pairs of the next undecided
texts are verified together with its few pairs, and the next rounds find their similarities in memory. This changes no
decision, because only the pairs of texts that are kept are used.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from simdocs.kernels.group.greedy_rounds import KEPT, pairs_with_always_kept
from simdocs.matching.candidates.candidates import Comparer
from simdocs.matching.candidates.frontier import Frontier
from simdocs.matching.candidates.grouping_state import GroupingState
from simdocs.model.groups import Pairs
from simdocs.model.numbering import TextNumbers
from simdocs.model.ragged import Index, Mask, Ragged

_FEW = 64
"""Pairs that are verified in about the time that a call takes in any case. Only if a round has fewer, others are added,
unless that has paid just before."""

_MANY = 1 << 16
"""The largest number of pairs that are verified ahead. The similar ones are held in memory, 40 bytes each."""

_AT_FIRST = 4
"""Pairs that are verified ahead for each pair of the round, at first: enough texts to see whether it pays."""

_PAYS = 3
"""Verifying ahead pays if at least one pair in this number is used."""


def decide_in_rounds(buckets: Ragged, size: int, most: int, comparer: Comparer, always_kept: int = 0) -> GroupingState:
    """The decisions about texts 0, 1, ... below `size`: the same as if they were made about one text after the other.

    buckets: Ragged int64, of texts, ascending in each. most: in a bucket, later members are compared with at most this
    number of kept ones. The first `always_kept` texts are kept.
    """
    return _Rounds(buckets, size, most, comparer, always_kept).decide()


class _Rounds:
    def __init__(self, buckets: Ragged, size: int, most: int, comparer: Comparer, always_kept: int) -> None:
        self._comparer, self._decided = comparer, always_kept
        self._state = GroupingState.undecided(size)
        self._state.keep(np.arange(always_kept))
        if always_kept:
            blocks = pairs_with_always_kept(buckets, always_kept, most, size)
            self._remove(comparer.similar(left, right) for left, right in blocks)
        self._frontier = Frontier(buckets, self._state.status, most)
        self._is_ahead = np.zeros(size, bool)
        self._keys, self._ahead = np.empty(0, np.int64), Pairs.empty()
        # How many pairs are verified ahead; for how many rounds none are, now, and the next time if that does not pay.
        self._room, self._pause, self._pauses = 0, 0, 1

    def decide(self) -> GroupingState:
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
        """The next undecided texts, to be verified together with those that are ready, and how many pairs each has."""
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
        for left, right in self._frontier.pairs(np.concatenate((ready, ahead))):
            similar = self._comparer.similar(left, right)
            if len(ahead):
                is_ahead = self._is_ahead[similar.left]
                remembered.append(similar.take(np.flatnonzero(is_ahead)))
                similar = similar.take(np.flatnonzero(~is_ahead))
            yield similar
        self._ahead = Pairs.concat(remembered)
        self._keys = self._ahead.left * len(self._is_ahead) + self._ahead.right

    def _recalled(self, ready: TextNumbers) -> Iterator[Pairs]:
        """Yield the same as _verified would for texts that were ahead, from memory.

        Pairs through a bucket that was closed since they were verified are left out.
        """
        for left, right in self._frontier.pairs(ready):
            keys = left * len(self._is_ahead) + right
            places = np.searchsorted(self._keys, keys)
            found = places < len(self._keys)
            found[found] = self._keys[places[found]] == keys[found]
            yield self._ahead.take(places[found])
