"""What is decided so far about the members of buckets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simdocs.kernels.group.greedy_rounds import KEPT, REMOVED, UNDECIDED, most_similar_kept
from simdocs.model.groups import Pairs
from simdocs.model.numbering import TextNumbers
from simdocs.model.ragged import Array, Floats, Index


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
