"""Documents that are compared with each other (a similarity self-join), and the buckets that they share."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from simdocs.kernels import grouping
from simdocs.kernels.buckets import (
    candidate_pairs,
    candidate_pairs_with,
    distinct_pairs,
    joined_blocks,
    member_blocks,
    positions_of_members,
)
from simdocs.kernels.grouping import KEPT, capped_members
from simdocs.matching.rounds import Comparer, GroupingState, Rounds
from simdocs.matching.verify import Verifier
from simdocs.model.ragged import Array, Index, Mask, Ragged, Rows, TextNumbers, count_true_in_rows, distinct
from simdocs.options.recipes import Bands

if TYPE_CHECKING:
    from simdocs.matching.exact_join import ExactJoin


Candidates: TypeAlias = "BucketCandidates | ExactJoin"
"""The candidate pairs among texts that are numbered in keep order."""


class BucketCandidates:
    """The pairs among texts 0, 1, ... below `size` that share a bucket.

    buckets: Ragged int64 of texts, ascending in each.
    most: in a bucket, later texts are compared with at most this number of kept ones.
    always_kept: the first texts, which are kept even if they are similar.
    """

    def __init__(self, buckets: Ragged, size: int, most: int, always_kept: int = 0) -> None:
        self.buckets, self.size, self.most, self.always_kept = buckets, size, most, always_kept

    def decide(self, comparer: Comparer) -> GroupingState:
        """Decide which texts are kept, with the same result as deciding about them one by one."""
        return Rounds(self.buckets, self.size, self.most, comparer, self.always_kept).decide()

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


_LISTED_TOGETHER = 2
"""How many times PAIRS_AT_ONCE are listed together. In a family of n near-copies, the token sets of all of them are
needed again for each block, which has all pairs of 2^17 / n of them. A pair takes 200 bytes meanwhile."""

ListedCandidates = tuple[Iterator[tuple[Index, Index]], Verifier]
"""Candidate pairs, ascending, in blocks that have all pairs of each of their left members; and their verifier."""


class SelfJoin:
    """Documents to compare with each other, and the way to find candidates.

    Documents of an artifact that have copies are looked up again when the join is made.

    verifier: compares the documents of its corpus.
    bands: candidates share a bucket of one of these; None: an exact join, in which they share a rare token.
    most_memory: the bytes that an exact join may take; None: all available memory.
    lost: (N,) which documents of an artifact are missing or have changed, if they have copies. They are left out. None:
        no document is lost.
    """

    def __init__(self, verifier: Verifier, bands: Bands | None, most_memory: int | None = None) -> None:
        self.verifier, self.bands, self.most_memory = verifier, bands, most_memory
        self.lost = _lost_copies(verifier)

    def with_bands(self, bands: Bands) -> SelfJoin:
        """The same join by these bands. No document is looked up again."""
        join = copy(self)
        join.bands = bands
        return join

    def distinct_texts(self) -> tuple[Rows, TextNumbers]:
        """The first document of each distinct text, and the number of each document's text, without lost documents."""
        return self.verifier.corpus.documents.distinct_texts(self.lost)

    def candidates(self, firsts: Rows, numbers: TextNumbers, most: int) -> tuple[Candidates, Verifier]:
        """The candidate pairs of documents `firsts`, as texts numbered 0, 1, ..., for grouping; and their verifier.

        numbers: (N,) the number of each document's text. most: see BucketCandidates.
        """
        if self.bands is None:
            exact = self._exact(firsts)
            return exact, exact.verifier
        shared = self._buckets(self.bands, firsts, numbers)
        self.verifier.copy(firsts[distinct(shared.values)])
        return BucketCandidates(shared, len(firsts), most), self.verifier

    def pairs(self, firsts: Rows, numbers: TextNumbers | None, wanted: Mask | None = None) -> ListedCandidates:
        """The candidate pairs of documents `firsts`, as members numbered 0, 1, ..., in blocks; and their verifier.

        numbers: (N,) the number of each document's text, if firsts are the first documents of the texts. wanted: (M,)
        only pairs with a wanted member are listed; None: all are.
        """
        if self.bands is None:
            exact = self._exact(firsts)
            return exact.pairs(wanted), exact.verifier
        shared = self._buckets(self.bands, firsts, numbers)
        if wanted is None:
            self.verifier.copy(firsts[distinct(shared.values)])
            listed = candidate_pairs(shared, len(firsts))
        else:
            of_wanted = np.flatnonzero(count_true_in_rows(wanted[shared.values], shared.offsets))
            self.verifier.copy(firsts[distinct(shared.take(of_wanted).values)])
            listed = candidate_pairs_with(shared, wanted)
        return joined_blocks(listed, _LISTED_TOGETHER), self.verifier

    def _exact(self, firsts: Rows) -> ExactJoin:
        from simdocs.matching.exact_join import ExactJoin

        return ExactJoin(self.verifier, firsts, self.most_memory)

    def _buckets(self, bands: Bands, firsts: Rows, numbers: TextNumbers | None) -> Ragged:
        # The tables of an index name the first copy of each text, which may be lost.
        numbers = numbers if self.lost is None else None
        return self.verifier.corpus.buckets(bands, firsts, numbers, self.verifier.run)


def _lost_copies(verifier: Verifier) -> Mask | None:
    documents = verifier.corpus.documents
    if not verifier.corpus.recorded(np.arange(len(documents))).any():
        return None
    _, text = documents.distinct_texts()
    rows = np.flatnonzero(text >= 0)
    lost = np.zeros(len(text), bool)
    lost[rows] = verifier.lost_copies(rows, text[rows])
    return lost if lost.any() else None
