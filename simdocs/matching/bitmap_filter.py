"""The bitmap filter: drops pairs that are certainly not similar, without reading their documents again.

A document gets a bitmap after a few comparisons without a match, because making one takes about as long as one or two
comparisons. In a crowd, where every document is a candidate of every other, few pairs are left to compare exactly.
"""

from __future__ import annotations

import numpy as np

from simdocs.kernels.bitmaps import WORD, most_common
from simdocs.kernels.jaccard import containments, of_overlaps
from simdocs.model.columns import GrowingArray
from simdocs.model.ragged import Index, Keys, Mask, Rows, distinct

_TRIES = 2
"""Comparisons without a match after which the bitmap of a document is made."""

_MOST_BYTES = 64 << 20
"""Bytes of all bitmaps: those of 32,000 documents with 4,000 tokens each at a threshold of 0.8."""

_AT_ONCE = 1 << 20
"""Bytes of bitmaps that are compared at once, while they are in cache."""

_NONE, _LOST = -1, -2
"""The place of the bitmap of a document that has none, and of one that could not be read."""


class BitmapFilter:
    """Which pairs of the documents of a corpus certainly stay below the threshold.

    measure: what is compared with the threshold, Jaccard similarity or the larger containment.
    bits: of each bitmap; 0 until there are any.
    """

    def __init__(self, documents: int, threshold: float, measure: str = "jaccard") -> None:
        self._threshold, self._measure, self.bits = threshold, measure, 0
        self._unmatched = np.zeros(documents, np.uint8)
        self._place = np.full(documents, _NONE, np.int32)
        self._sizes, self._maps = GrowingArray(np.int64), GrowingArray(np.uint64)

    def learn(self, left: Rows, right: Rows) -> None:
        """Record pairs that an exact comparison found not to be similar."""
        rows, counts = np.unique(np.concatenate((left, right)), return_counts=True)
        self._unmatched[rows] = np.minimum(self._unmatched[rows] + counts, _TRIES)

    def lacking(self, left: Rows, right: Rows) -> Rows:
        """The documents of these pairs that should get a bitmap; ascending."""
        if len(self._sizes) * self.bits >= 8 * _MOST_BYTES:
            return np.empty(0, np.int64)
        both = (self._unmatched[left] >= _TRIES) & (self._unmatched[right] >= _TRIES)
        rows = np.concatenate((left[both], right[both]))
        return distinct(rows[self._place[rows] == _NONE])

    def add(self, rows: Rows, maps: Keys, sizes: Index, loaded: Mask) -> None:
        """Add the bitmaps of these documents, which have `bits` bits: see `make_bitmaps`."""
        self._place[rows] = _LOST
        self._place[rows[loaded]] = len(self._sizes) + np.arange(np.count_nonzero(loaded))
        self._sizes.add(sizes[loaded])
        self._maps.add(maps[loaded].reshape(-1))

    def below(self, left: Rows, right: Rows) -> Mask:
        """Which pairs are certainly below the threshold. A pair without two bitmaps is not."""
        out = np.zeros(len(left), bool)
        if not self.bits:
            return out
        words = self.bits // WORD
        sizes, maps, per = self._sizes.all(), self._maps.all().reshape(-1, words), max(1, _AT_ONCE // (16 * words))
        both = np.flatnonzero((self._place[left] >= 0) & (self._place[right] >= 0))
        for at in range(0, len(both), per):
            one, other = (self._place[rows[both[at : at + per]]] for rows in (left, right))
            common = most_common(maps[one], maps[other], sizes[one], sizes[other])
            if self._measure == "jaccard":
                score = of_overlaps(common, sizes[one], sizes[other])
            else:
                score = containments(common, np.minimum(sizes[one], sizes[other]))
            out[both[at : at + per]] = score < self._threshold
        return out
