"""What grouping needs to know about candidate pairs, wherever they come from; and how it compares them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from simdocs.kernels.group.greedy_rounds import KEPT, REMOVED, UNDECIDED, most_similar_kept
from simdocs.model.groups import Pairs
from simdocs.model.ragged import Array, Floats, Index, TextNumbers


@dataclass(frozen=True, slots=True)
class GroupingState:
    """What is decided so far about M members, one entry each. The arrays are changed in place by each decision.

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
        return cls(np.zeros(size, np.int8), np.full(size, -1), np.full(size, -1.0), np.full(size, -1.0))

    def keep(self, members: TextNumbers) -> None:
        """Keep these members."""
        self.status[members] = KEPT

    def remove(self, pairs: Pairs) -> TextNumbers:
        """Remove the members on the right, and return those that were undecided, each once.

        Those on the left are kept. Each member is removed in favour of the most similar of all kept ones with which it
        was paired so far; ties to the earlier. A member may occur in several pairs, and may have been removed before.
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


class Comparer(Protocol):
    """How texts are compared, and who wants to know the results."""

    def similar(self, left: TextNumbers, right: TextNumbers) -> Pairs:
        """The similar ones among these pairs, in the order given."""

    def use(self, pairs: Pairs) -> None:
        """Take note of similar pairs of a kept text (left) with later ones (right). Each pair is used once."""

    def progress(self, decided: int) -> None:
        """Take note of how many texts are decided so far."""


class Candidates(Protocol):
    """The candidate pairs among texts that are numbered in keep order."""

    def decide(self, comparer: Comparer) -> GroupingState:
        """The decisions about all texts: the same as if they were made about one text after the other."""

    def capped(self, status: Array, /) -> TextNumbers:
        """The kept texts that were not compared with all texts kept before them, because there were too many."""

    def with_kept(self, removed: TextNumbers, status: Array) -> Iterator[tuple[TextNumbers, TextNumbers]]:
        """The candidate pairs of each of these removed texts with kept ones, at least with later ones, in blocks."""

    def of_kept(self, status: Array) -> Iterator[tuple[TextNumbers, TextNumbers]]:
        """The candidate pairs of two kept texts, the earlier one first, in blocks. Full buckets are left out."""

    def links(self) -> Iterator[tuple[TextNumbers, TextNumbers]]:
        """Some of the candidate pairs, in blocks, that are likely to connect most of what is connected."""

    def other_links(self, label: TextNumbers, /) -> Iterator[tuple[TextNumbers, TextNumbers]]:
        """At least the candidate pairs of texts with different labels, in blocks."""
