"""The bitmap filter: drops pairs that are certainly not similar, without reading their documents again.

A document gets a bitmap after a few comparisons without a match, because making one takes about as long as one or two
comparisons. It gets a larger bitmap after some more comparisons without a match, when many documents are hardly less
similar to it than the threshold. In a crowd, where every document is a candidate of every other, few pairs are left to
compare exactly.
"""

from __future__ import annotations

import numpy as np

from simdocs.kernels.bitmaps import LARGE_BITS, WORD, bits_of, folded, most_common
from simdocs.kernels.jaccard import containments, of_overlaps
from simdocs.model.columns import GrowingArray
from simdocs.model.ragged import Index, Keys, Mask, Ragged, Rows, distinct

_TRIES = (2, 18)
"""Comparisons without a match after which the first bitmap of a document is made, and a larger one."""

_MOST_BYTES = 32 << 20
"""Bytes of all bitmaps: those of 32,000 documents with 4,000 tokens each at a threshold of 0.8, or 16,000 large ones.
If there are more, the large ones become smaller, so that more documents have one."""

_AT_ONCE = 1 << 20
"""Bytes of bitmaps that are compared at once, while they are in cache."""


class BitmapFilter:
    """Which pairs of the documents of a corpus certainly stay below the threshold.

    measure: what is compared with the threshold, Jaccard similarity or the larger containment.
    together: how many pairs were compared at once the last time, if nearly all of them were similar; otherwise 0.
    """

    def __init__(self, documents: int, threshold: float, measure: str = "jaccard") -> None:
        self._threshold, self._measure, self.together = threshold, measure, 0
        self._unmatched = np.zeros(documents, np.uint8)
        # The number of bitmaps made of each document, and the binary logarithm of the words of the last one, or -1.
        self._made = np.zeros(documents, np.uint8)
        self._width = np.full(documents, -1, np.int8)
        self._place = np.zeros(documents, np.int32)
        self._size = np.zeros(documents, np.int64)
        self._maps: dict[int, GrowingArray] = {}
        self._bytes, self._large = 0, LARGE_BITS

    def learn(self, left: Rows, right: Rows) -> None:
        """Record pairs that an exact comparison found not to be similar."""
        rows, counts = np.unique(np.concatenate((left, right)), return_counts=True)
        enough = np.array([*_TRIES, _TRIES[-1]])[self._made[rows]]
        self._unmatched[rows] = np.minimum(self._unmatched[rows] + counts, enough)

    def lacking(self, left: Rows, right: Rows) -> Rows:
        """The documents of these pairs that should get a bitmap, or a larger one; ascending."""
        if self._bytes >= _MOST_BYTES:
            return np.empty(0, np.int64)
        lacking = [np.empty(0, np.int64)]
        for made, enough in enumerate(_TRIES):
            both = (self._unmatched[left] >= enough) & (self._unmatched[right] >= enough)
            lacking += [rows[self._made[rows] == made] for rows in (left[both], right[both])]
        return distinct(np.concatenate(lacking))

    def large_bits(self, rows: Rows) -> Index:
        """The bits that the next bitmaps of these documents should have if they are large, or 0: int64 (n,)."""
        return np.where(self._made[rows] > 0, self._large, 0)

    def add(self, rows: Rows, maps: Ragged, sizes: Index, loaded: Mask) -> None:
        """Add the bitmaps of these documents, in place of earlier ones: see `make_bitmaps`."""
        words = maps.lengths
        self._size[rows] = sizes
        self._made[rows] = np.where(loaded, self._made[rows] + 1, len(_TRIES))
        for width in distinct(words[loaded]).tolist():
            places = np.flatnonzero(loaded & (words == width))
            self._hold(rows[places], maps.take(places).values.reshape(-1, width))

    def make_room(self) -> None:
        """Fold large bitmaps until there is room for others, if that is possible."""
        while self._bytes >= _MOST_BYTES and self._large > WORD:
            self._large //= 2
            old, self._maps, self._bytes = self._maps, {}, 0
            for exponent in sorted(old):
                rows = np.flatnonzero(self._width == exponent)
                bits = bits_of(self._size[rows], self._threshold, self.large_bits(rows) * (self._made[rows] > 1))
                bits = np.minimum(bits, WORD << exponent)
                maps = old.pop(exponent).all()[self._place[rows]]
                for width in distinct(bits).tolist():
                    self._hold(rows[bits == width], folded(maps[bits == width], width))

    def _hold(self, rows: Rows, maps: Keys) -> None:
        """Hold the bitmaps of these documents, (n, words)."""
        exponent = maps.shape[1].bit_length() - 1
        held = self._maps.setdefault(exponent, GrowingArray(np.uint64, maps.shape[1]))
        self._width[rows] = exponent
        self._place[rows] = len(held) + np.arange(len(rows))
        held.add(maps)
        self._bytes += maps.nbytes

    def below(self, left: Rows, right: Rows) -> Mask:
        """Which pairs are certainly below the threshold. A pair without two bitmaps is not."""
        out = np.zeros(len(left), bool)
        if not self._maps:
            return out
        one, other = self._width[left], self._width[right]
        both = np.flatnonzero((one >= 0) & (other >= 0))
        kinds = one[both].astype(np.int64) << 8 | other[both]
        for kind in np.flatnonzero(np.bincount(kinds)).tolist():
            pairs = both[kinds == kind]
            widths = 1 << (kind >> 8), 1 << (kind & 255)
            per = max(1, _AT_ONCE // (8 * sum(widths)))
            for at in range(0, len(pairs), per):
                some = pairs[at : at + per]
                out[some] = self._are_below(left[some], right[some], WORD * min(widths))
        return out

    def _are_below(self, left: Rows, right: Rows, bits: int) -> Mask:
        sizes = self._size[left], self._size[right]
        common = most_common(self._taken(left, bits), self._taken(right, bits), *sizes)
        if self._measure == "jaccard":
            return of_overlaps(common, *sizes) < self._threshold
        return containments(common, np.minimum(*sizes)) < self._threshold

    def _taken(self, rows: Rows, bits: int) -> Keys:
        """The bitmaps of these documents, which are all of one size, folded to this number of bits."""
        return folded(self._maps[int(self._width[rows[0]])].all()[self._place[rows]], bits)
