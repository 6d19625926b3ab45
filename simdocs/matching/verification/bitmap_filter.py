"""The bitmap filter: drops pairs that are certainly not similar, without reading their documents again.

A bitmap is made of a document after a few comparisons without a match. It is worth the time only then: to
make it takes about as long as one or two comparisons. In a crowd, where every document is a candidate of every other,
few pairs are left to compare exactly.
"""

from __future__ import annotations

import numpy as np

from simdocs.kernels.compare.bitmaps import WORD, folded, most_common
from simdocs.kernels.compare.jaccard import of_overlaps
from simdocs.matching.verification.verification_blocks import MadeBitmaps
from simdocs.model.growing import GrowingArray
from simdocs.model.numbering import Rows
from simdocs.model.ragged import Keys, Mask

_TRIES = 2
"""Comparisons without a match after which a bitmap of a document is made."""

_MOST_BYTES = 32 << 20
"""Bytes of all bitmaps: those of 32,000 documents with 4,000 tokens each, at a threshold of 0.8."""

_AT_ONCE = 1 << 20
"""Bytes of bitmaps that are compared at once."""


class BitmapFilter:
    """Which pairs of the documents of a corpus are certainly less similar than the threshold."""

    def __init__(self, documents: int, threshold: float) -> None:
        self._threshold = threshold
        self._unmatched = np.zeros(documents, np.uint8)
        # Bits of each document's bitmap: 0 if there is none; -1 if the document could not be read.
        self._bits = np.zeros(documents, np.int32)
        self._place = np.zeros(documents, np.int32)
        self._size = np.zeros(documents, np.int32)
        self._maps: dict[int, GrowingArray] = {}
        self._bytes = 0

    def learn(self, left: Rows, right: Rows) -> None:
        """Take note of pairs that were compared exactly, and are not similar."""
        rows, counts = np.unique(np.concatenate((left, right)), return_counts=True)
        self._unmatched[rows] = np.minimum(self._unmatched[rows] + counts, _TRIES)

    def lacking(self, left: Rows, right: Rows) -> Rows:
        """The documents of these pairs that a bitmap should be made of, ascending."""
        if self._bytes >= _MOST_BYTES:
            return np.empty(0, np.int64)
        both = (self._unmatched[left] == _TRIES) & (self._unmatched[right] == _TRIES)
        rows = np.unique(np.concatenate((left[both], right[both])))
        without: Rows = rows[self._bits[rows] == 0]
        return without

    def add(self, rows: Rows, made: MadeBitmaps) -> None:
        """Add the bitmaps of these documents."""
        words = made.maps.lengths
        self._size[rows] = made.sizes
        self._bits[rows] = np.where(made.loaded, words * WORD, -1)
        for width in np.unique(words[made.loaded]).tolist():
            places = np.flatnonzero(made.loaded & (words == width))
            held = self._maps.setdefault(width * WORD, GrowingArray(np.uint64, width))
            self._place[rows[places]] = len(held) + np.arange(len(places))
            held.add(made.maps.take(places).values.reshape(-1, width))
            self._bytes += 8 * width * len(places)

    def below(self, left: Rows, right: Rows) -> Mask:
        """Which pairs are certainly below the threshold. A pair without two bitmaps is not."""
        bits = np.column_stack((self._bits[left], self._bits[right]))
        out = np.zeros(len(left), bool)
        for one, other in np.unique(bits[(bits > 0).all(axis=1)], axis=0).tolist():
            pairs = np.flatnonzero((bits == (one, other)).all(axis=1))
            per = max(1, 8 * _AT_ONCE // (one + other))
            for at in range(0, len(pairs), per):
                some = pairs[at : at + per]
                out[some] = self._are_below(left[some], right[some], min(one, other))
        return out

    def _are_below(self, left: Rows, right: Rows, bits: int) -> Mask:
        sizes = self._size[left].astype(np.int64), self._size[right].astype(np.int64)
        common = most_common(self._taken(left, bits), self._taken(right, bits), *sizes)
        return of_overlaps(common, *sizes) < self._threshold

    def _taken(self, rows: Rows, bits: int) -> Keys:
        """The bitmaps of documents that all have the same number of bits, with so many bits."""
        return folded(self._maps[int(self._bits[rows[0]])].all()[self._place[rows]], bits)
