"""Bitmaps of token sets, which bound how many tokens two sets have in common.

Each token falls on one bit. A bit is set if an odd number of the set's tokens fall on it. A token of both sets changes
both bitmaps alike, so at most as many bits differ as there are tokens in only one of the sets. If d bits differ,
|A∩B| is at most (|A| + |B| - d) / 2. Sandes, Teodoro, Melo, Bitmap Filter: Speeding up Exact Set Similarity Joins with
Bitwise Operations (Information Systems 88, 2020), section 3.
"""

from __future__ import annotations

import math

import numpy as np

from simdocs.model.ragged import Index, Keys, Ragged

WORD = 64
"""Bits of a word, and the smallest number of bits of a bitmap."""

_AT_ONCE = 1 << 20
"""Bits that are counted at once: 8 MiB of counts."""

_MOST_BITS = 1 << 16
"""The largest number of bits of a bitmap: 8 KiB. For larger sets, the bound is less tight."""

_FOR_EACH = 16
"""Bits for each token that may differ. d tokens change bits*(1 - exp(-2d/bits))/2 bits on average, since some change
the same one. With this number of bits, pairs are dropped that differ in a sixteenth more tokens than they may."""


def bits_for(size: float, threshold: float) -> int:
    """The bits of the bitmaps of sets of about this size: a power of two from WORD on. threshold: a similarity."""
    may_differ = 2 * (1 - threshold) / (1 + threshold) * size
    return 1 << math.ceil(math.log2(min(max(WORD, _FOR_EACH * may_differ), _MOST_BITS)))


def bitmaps(sets: Ragged, bits: int) -> Keys:
    """The bitmap of each set: uint64 (N, bits / WORD).

    sets: Ragged uint32, N rows of distinct values. bits: see `bits_for`. The lowest binary digits of a token are the
    number of its bit.
    """
    out, per = np.empty((len(sets), bits // WORD), np.uint64), max(1, _AT_ONCE // bits)
    for at in range(0, len(sets), per):
        some = sets.cut(at, min(at + per, len(sets)))
        places = (some.values & np.uint32(bits - 1)) + np.repeat(np.arange(len(some)) * bits, some.lengths)
        odd = (np.bincount(places, minlength=len(some) * bits) & 1).astype(np.uint8)
        out[at : at + per] = np.packbits(odd, bitorder="little").view(np.uint64).reshape(len(some), -1)
    return out


def most_common(left: Keys, right: Keys, left_sizes: Index, right_sizes: Index) -> Index:
    """The largest number of tokens that sets of these sizes, with these bitmaps, can have in common: int64 (P,).

    left, right: (P, words), uint64.
    """
    differ = np.bitwise_count(left ^ right).sum(axis=1, dtype=np.int64)
    bound: Index = np.minimum((left_sizes + right_sizes - differ) // 2, np.minimum(left_sizes, right_sizes))
    return bound
