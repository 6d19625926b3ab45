"""Candidates of locality-sensitive hashing: texts that share a bucket."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from simdocs.kernels.group import connectivity
from simdocs.kernels.group.greedy_rounds import KEPT, capped_members
from simdocs.kernels.lsh.buckets import candidate_pairs, distinct_pairs, member_blocks, positions_of_members
from simdocs.matching.candidates.candidates import Comparer
from simdocs.matching.candidates.grouping_state import GroupingState
from simdocs.matching.candidates.rounds import decide_in_rounds
from simdocs.model.numbering import TextNumbers
from simdocs.model.ragged import Array, Ragged


@dataclass(frozen=True, slots=True, eq=False)
class BucketCandidates:
    """The candidate pairs among texts 0, 1, ... below `size`: those that share a bucket.

    buckets: Ragged int64 of texts, ascending in each. most: in a bucket, later texts are compared with at most this
    number of kept ones. always_kept: the first `always_kept` texts are kept even if they are similar.
    """

    buckets: Ragged
    size: int
    most: int
    always_kept: int = 0

    def decide(self, comparer: Comparer) -> GroupingState:
        """The decisions about all texts: the same as if they were made about one text after the other."""
        return decide_in_rounds(self.buckets, self.size, self.most, comparer, self.always_kept)

    def capped(self, status: Array) -> TextNumbers:
        """The kept texts that were not compared with all texts kept before them, because a bucket was full."""
        capped = capped_members(self.buckets, status, self.most)
        return capped[capped >= self.always_kept]

    def with_kept(self, removed: TextNumbers, status: Array) -> Iterator[tuple[TextNumbers, TextNumbers]]:
        """The candidate pairs of each of these removed texts with kept ones, at least with later ones, in blocks."""
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

    def of_kept(self, status: Array) -> Iterator[tuple[TextNumbers, TextNumbers]]:
        """The candidate pairs of two kept texts, the earlier one first, in blocks. Full buckets are left out."""
        kept = self.buckets.keep(status[self.buckets.values] == KEPT)
        for left, right in candidate_pairs(kept.take(np.flatnonzero(kept.lengths <= self.most)), self.size):
            ours = right >= self.always_kept
            yield left[ours], right[ours]

    def links(self) -> Iterator[tuple[TextNumbers, TextNumbers]]:
        """Some of the candidate pairs, in blocks, that are likely to connect most of what is connected."""
        return connectivity.star_pairs(self.buckets, self.size)

    def other_links(self, label: TextNumbers) -> Iterator[tuple[TextNumbers, TextNumbers]]:
        """The candidate pairs of texts with different labels, in blocks."""
        return connectivity.cross_component_pairs(self.buckets, label)
