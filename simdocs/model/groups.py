"""Answers of dedupe: groups, and similar pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from simdocs.model.ragged import Array, Floats, Index, Mask


@dataclass(frozen=True, slots=True)
class Pairs:
    """Similar pairs of documents, by row: P entries each.

    left, right: rows; jaccard: exact, or NaN where it was not computed; estimate: from the signatures.
    """

    left: Index
    right: Index
    jaccard: Floats
    estimate: Floats

    def __len__(self) -> int:
        return len(self.left)

    @property
    def score(self) -> Floats:
        """What decides: the exact similarity, or the estimate where none was computed."""
        return np.where(np.isnan(self.jaccard), self.estimate, self.jaccard)

    def take(self, order: Array) -> Pairs:
        """The pairs at these places, in this order."""
        return Pairs(self.left[order], self.right[order], self.jaccard[order], self.estimate[order])

    def in_row_order(self) -> Pairs:
        """Ascending by left, then right."""
        return self.take(np.lexsort((self.right, self.left)))

    @classmethod
    def none(cls) -> Pairs:
        """No pairs."""
        return cls(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0), np.empty(0))

    @classmethod
    def concat(cls, parts: Sequence[Pairs]) -> Pairs:
        """The pairs of all parts, in order; at least one part."""
        return cls(
            np.concatenate([part.left for part in parts]),
            np.concatenate([part.right for part in parts]),
            np.concatenate([part.jaccard for part in parts]),
            np.concatenate([part.estimate for part in parts]),
        )


@dataclass(frozen=True, slots=True)
class Components:
    """How loosely connected components hang together: one entry for each kept document.

    kept: row. size: documents. to_kept: the smallest similarity to the kept one. pairwise: the smallest of any two
    among the pairs compared. complete: whether all were compared.
    """

    kept: Index
    size: Index
    to_kept: Floats
    pairwise: Floats
    complete: Mask


@dataclass(frozen=True, slots=True)
class Groups:
    """What dedupe decided: for every duplicate (right) the document kept in its stead (left), ascending by both."""

    pairs: Pairs
    components: Components | None = None
