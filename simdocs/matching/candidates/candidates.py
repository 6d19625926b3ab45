"""What grouping needs to know about candidate pairs, wherever they come from; and how it compares them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from simdocs.matching.candidates.grouping_state import GroupingState
from simdocs.model.groups import Pairs
from simdocs.model.numbering import TextNumbers
from simdocs.model.ragged import Array


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
