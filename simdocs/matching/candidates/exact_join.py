"""The exact join: candidates that certainly contain every similar pair. All tokens are in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType

import numpy as np

from simdocs.kernels.group.greedy_rounds import KEPT, REMOVED, UNDECIDED
from simdocs.kernels.join.containment_index import containment_index
from simdocs.kernels.join.prefix_candidates import JoinIndex, match_blocks, similar_candidates
from simdocs.kernels.join.prefix_index import prefix_index
from simdocs.matching.candidates.rounds import Comparer, GroupingState, Rounds
from simdocs.matching.verification.token_memory import held_sets
from simdocs.matching.verification.verify import HeldSets, Verifier
from simdocs.model.groups import Pairs
from simdocs.model.ragged import Array, Mask, Ragged, Rows, TextNumbers

_UNDECIDED_AT_ONCE = 1024
"""Texts that are decided together. Of one family, each of them may be compared with all others of these."""

_INDEXED_BY: Mapping[str, Callable[[Ragged, float], JoinIndex]] = MappingProxyType(
    {"jaccard": prefix_index, "containment": containment_index}
)
"""What finds the candidates, by the measure that is compared with the threshold."""


class ExactJoin:
    """The candidate pairs of an exact join among documents numbered 0, 1, ...

    index: their token sets, by their rarest tokens. verifier: compares them, with the token sets in memory.
    """

    def __init__(self, verifier: Verifier, rows: Rows, most_memory: int | None = None) -> None:
        """Load the token sets of the documents in these rows.

        most_memory: the bytes that this may take; None: what there is. MemoryNeededError: that is not enough.
        """
        sets = held_sets([(verifier, rows)], most_memory)
        self.index = _INDEXED_BY[verifier.measure](sets, verifier.threshold)
        self.verifier = replace(verifier, held=HeldSets(sets, rows, len(verifier.corpus)))

    def pairs(self, wanted: Mask | None = None) -> Iterator[tuple[TextNumbers, TextNumbers]]:
        """All candidate pairs, or those with a wanted member, ascending, in blocks.

        A block has all pairs of each of its left members.
        """
        for left, right in similar_candidates(self.index, np.arange(len(self.index)), wanted):
            if len(left):
                yield left, right

    def decide(self, comparer: Comparer) -> GroupingState:
        """The decisions about all texts: the same as if they were made about one text after the other.

        The next undecided texts are decided together: they are compared with each other, in rounds, and then those that
        are kept are compared with all later texts.
        """
        state = GroupingState(len(self.index))
        at = 0
        while at < len(self.index):
            members = at + np.flatnonzero(state.status[at : at + _UNDECIDED_AT_ONCE] == UNDECIDED)
            some = next(match_blocks(self.index, members), members)
            at = int(some[-1]) + 1 if len(some) < len(members) else at + _UNDECIDED_AT_ONCE
            if len(some):
                self._decide_about(some, state, comparer)
            comparer.progress(min(at, len(self.index)))
        return state

    def _decide_about(self, some: TextNumbers, state: GroupingState, comparer: Comparer) -> None:
        """Decide about these texts, which are the first undecided ones."""
        ((left, right),) = similar_candidates(self.index, some)
        inside = (right <= some[-1]) & (state.status[right] == UNDECIDED)
        among = np.searchsorted(some, np.column_stack((left[inside], right[inside])))
        buckets = Ragged.from_lengths(among.ravel(), np.full(len(among), 2))
        found = Rounds(buckets, len(some), len(some), _Among(comparer, some)).decide()
        state.status[some] = found.status
        state.jaccard[some], state.estimate[some] = found.jaccard, found.estimate
        removed = found.status == REMOVED
        state.under[some[removed]] = some[found.under[removed]]
        outside = ~inside & (state.status[left] == KEPT)
        similar = comparer.similar(left[outside], right[outside])
        comparer.use(similar)
        state.remove(similar)

    def capped(self, _status: Array) -> TextNumbers:
        """No texts: an exact join compares all."""
        return np.empty(0, np.int64)

    def with_kept(self, removed: TextNumbers, status: Array) -> Iterator[tuple[TextNumbers, TextNumbers]]:
        """The candidate pairs of each of these removed texts with later kept ones, in blocks."""
        for left, right in similar_candidates(self.index, removed):
            kept = status[right] == KEPT
            yield left[kept], right[kept]

    def of_kept(self, status: Array) -> Iterator[tuple[TextNumbers, TextNumbers]]:
        """The candidate pairs of two kept texts, the earlier one first, in blocks."""
        yield from self.with_kept(np.flatnonzero(status == KEPT), status)

    def links(self) -> Iterator[tuple[TextNumbers, TextNumbers]]:
        """No pairs: see `other_links`."""
        yield from ()

    def other_links(self, _label: TextNumbers) -> Iterator[tuple[TextNumbers, TextNumbers]]:
        """All candidate pairs, in blocks. First comes one pair of each text on the right, which often connects it."""
        for left, right in self.pairs():
            first = np.zeros(len(right), bool)
            first[np.unique(right, return_index=True)[1]] = True
            yield left[first], right[first]
            yield left[~first], right[~first]


class _Among:
    """Compares some texts, which are numbered 0, 1, ... among themselves."""

    def __init__(self, comparer: Comparer, texts: TextNumbers) -> None:
        self.comparer, self.texts = comparer, texts

    def similar(self, left: TextNumbers, right: TextNumbers) -> Pairs:
        """The similar ones among these pairs, in the order given."""
        found = self.comparer.similar(self.texts[left], self.texts[right])
        left, right = np.searchsorted(self.texts, found.left), np.searchsorted(self.texts, found.right)
        return replace(found, left=left, right=right)

    def use(self, pairs: Pairs) -> None:
        """Take note of similar pairs of a kept text with later ones."""
        self.comparer.use(replace(pairs, left=self.texts[pairs.left], right=self.texts[pairs.right]))

    def progress(self, decided: int) -> None:
        """Take no note: the texts are few."""
