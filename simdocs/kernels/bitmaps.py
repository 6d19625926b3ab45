"""Bitmaps of token sets, which bound how many tokens two sets have in common.

Each token falls on one bit. A bit is set if an odd number of the set's tokens fall on it. A token of both sets changes
both bitmaps alike, so at most as many bits differ as there are tokens in only one of the sets. If d bits differ,
|A∩B| is at most (|A| + |B| - d) / 2. Sandes, Teodoro, Melo, Bitmap Filter: Speeding up Exact Set Similarity Joins with
Bitwise Operations (Information Systems 88, 2020), section 3.
"""

from __future__ import annotations

import numpy as np

from simdocs.model.ragged import Index, Keys, Ragged, distinct

WORD = 64
"""Bits of a word, and the smallest number of bits of a bitmap."""

_AT_ONCE = 1 << 20
"""Bits that are counted at once: 8 MiB of counts."""

_MOST_BITS = 1 << 20
"""The largest number of bits of a bitmap. For larger sets, the bound is less tight."""

_FOR_EACH = 4.65
"""Bits for each token that may differ. d tokens change bits*(1 - exp(-2d/bits))/2 bits on average, since some change
the same one. With this number of bits, pairs are dropped that differ in a quarter more tokens than they may."""

LARGE_BITS = 1 << 14
"""Bits of a large bitmap. Of the pairs of a crowd whose similarity is up to 0.05 below a threshold of 0.8, large ones
drop 98% if texts have 800 characters, and all if they have 4,000. Usual bitmaps drop 4% and 96%."""


def bits_of(sizes: Index, threshold: float, large: Index | int = 0) -> Index:
    """The bits of the bitmap of a set of each of these sizes: a power of two from WORD on, int64 (N,).

    Larger bitmaps are folded for comparison with smaller ones. A large bitmap has 2 to 16 times as many bits as others,
    so that pairs are dropped that differ in hardly more tokens than they may.

    threshold: the similarity that is asked for.
    large: the bits of each bitmap that should be large, at most LARGE_BITS; 0: not large.
    """
    may_differ = 2 * (1 - threshold) / (1 + threshold) * sizes
    exponents = np.ceil(np.log2(np.clip(_FOR_EACH * may_differ, WORD, _MOST_BITS)))
    bits: Index = np.left_shift(1, exponents.astype(np.int64))
    return np.where(np.asarray(large) > 0, np.minimum(np.clip(large, 2 * bits, 16 * bits), _MOST_BITS), bits)


def bitmaps(sets: Ragged, bits: Index) -> Ragged:
    """The bitmap of each set: Ragged uint64, with bits / WORD words in each row.

    sets: Ragged uint32, N rows of distinct values. bits: (N,), see `bits_of`. The lowest
    binary digits of a token are the number of its bit.
    """
    out = Ragged.from_lengths(np.empty(int(bits.sum()) // WORD, np.uint64), bits // WORD)
    for width in distinct(bits).tolist():
        rows = np.flatnonzero(bits == width)
        per = max(1, _AT_ONCE // width)
        for at in range(0, len(rows), per):
            some = sets.take(rows[at : at + per])
            places = (some.values & np.uint32(width - 1)).astype(np.int64)
            places += np.repeat(np.arange(len(some)) * width, some.lengths)
            odd = (np.bincount(places, minlength=len(some) * width) & 1).astype(np.uint8)
            words = np.packbits(odd, bitorder="little").view(np.uint64)
            begins = out.offsets[:-1][rows[at : at + per]]
            out.values[begins[:, None] + np.arange(width // WORD)] = words.reshape(len(some), -1)
    return out


def folded(maps: Keys, bits: int) -> Keys:
    """The bitmaps of the same sets with fewer bits: (N, bits / WORD). maps: (N, words), uint64."""
    while maps.shape[1] * WORD > bits:
        half = maps.shape[1] // 2
        maps = maps[:, :half] ^ maps[:, half:]
    return maps


def most_common(left: Keys, right: Keys, left_sizes: Index, right_sizes: Index) -> Index:
    """The largest number of tokens that sets of these sizes, with these bitmaps, can have in common: int64 (P,).

    left, right: (P, words), uint64.
    """
    differ = np.bitwise_count(left ^ right).sum(axis=1, dtype=np.int64)
    bound: Index = np.minimum((left_sizes + right_sizes - differ) // 2, np.minimum(left_sizes, right_sizes))
    return bound
