"""Jaccard similarities of many pairs at once: estimated from signatures, exact from token sets, or of multisets;
and bitmaps of token sets, which bound how many tokens two sets have in common."""

from __future__ import annotations

import math

import numpy as np

from simdocs.kernels.buckets import equal_runs
from simdocs.kernels.multisets import sort_rows
from simdocs.kernels.native import accelerated
from simdocs.model.ragged import (
    Array,
    Floats,
    Index,
    Keys,
    Mask,
    Ragged,
    Tokens,
    count_true_in_rows,
    offsets_of,
    row_blocks,
)

_ESTIMATED_PAIRS = 1024
"""Pairs whose signatures are compared at once: 1 MiB at K = 128."""

_MERGE_BLOCK = 1 << 18
"""Values of pairs that are merged at once: 3 MiB with their keys."""

_STANDARD_ERRORS = 5.0
_PREFILTER_NUM_PERM = 64


@accelerated
def estimates(signatures: Tokens, left: Array, right: Array) -> Floats:
    """The share of positions at which signatures[left[i]] and signatures[right[i]] agree: float64 (P,).

    This is an unbiased estimate of the Jaccard similarity J. Its standard error is at most sqrt(J(1-J)/K) for
    `permutation`, and lower for `fss`.

    signatures: uint32 (N, K).
    left, right: (P,), rows of signatures.
    """
    agree = np.empty(len(left), np.int64)
    for at in range(0, len(left), _ESTIMATED_PAIRS):
        cut = slice(at, at + _ESTIMATED_PAIRS)
        same = signatures[left[cut]] == signatures[right[cut]]
        agree[cut] = np.count_nonzero(same, axis=1)
    share: Floats = agree / signatures.shape[1]
    return share


def below_prefilter(estimated: Floats, threshold: float, num_perm: int) -> Mask:
    """Which estimates (P,) are more than five standard errors below the threshold: bool (P,).

    With num_perm < 64, none is. A pair exactly at the threshold is dropped with a probability of 3e-7 in the normal
    approximation. By the binomial distribution with K = 128, it is 1.5e-7 at a threshold of 0.5, 1.4e-6 at 0.8 and
    7.7e-6 at 0.9 (docs/method.md, section 9).
    """
    if num_perm < _PREFILTER_NUM_PERM:
        return np.zeros(len(estimated), bool)
    error = float(np.sqrt(threshold * (1 - threshold) / num_perm))
    return estimated < threshold - _STANDARD_ERRORS * error


def exact(sets: Ragged, left: Array, right: Array) -> Floats:
    """The Jaccard similarity of sets[left[i]] and sets[right[i]]: float64 (P,), not rounded; 0 if either is empty.

    Equals len(a & b) / len(a | b) of Python sets. Parameters: those of `overlaps`.
    """
    return of_overlaps(overlaps(sets, left, right), sets.lengths[left], sets.lengths[right])


def of_overlaps(common: Index, left_sizes: Index, right_sizes: Index) -> Floats:
    """The Jaccard similarity of pairs of sets from the number of common tokens: float64 (P,); 0 if both are empty."""
    quotient: Floats = common / np.maximum(left_sizes + right_sizes - common, 1)
    return quotient


def containments(common: Index, sizes: Index) -> Floats:
    """The containment of sets from their sizes and the number of tokens in common: float64, not rounded."""
    quotient: Floats = common / np.maximum(sizes, 1)
    return quotient


def overlaps_of(similarity: Floats, left_sizes: Index, right_sizes: Index) -> Index:
    """The number of common tokens of pairs of sets with this Jaccard similarity, exactly: int64 (P,)."""
    return np.rint(similarity * (left_sizes + right_sizes) / (1 + similarity)).astype(np.int64)


@accelerated
def overlaps(sets: Ragged, left: Array, right: Array) -> Index:
    """The number of tokens that sets[left[i]] and sets[right[i]] have in common: int64 (P,).

    sets: Ragged uint32, each row ascending, without repeats. left, right: (P,) row numbers.
    """
    common = np.empty(len(left), np.int64)
    for first, end in row_blocks(offsets_of(sets.lengths[left] + sets.lengths[right]), _MERGE_BLOCK):
        both = sets.take(np.column_stack((left[first:end], right[first:end])).ravel())
        ordered = sort_rows(Ragged(both.values, both.offsets[::2]))
        repeats = np.append(False, ordered.values[1:] == ordered.values[:-1])[: len(ordered.values)]
        repeats[ordered.offsets[:-1][ordered.lengths > 0]] = False
        common[first:end] = count_true_in_rows(repeats, ordered.offsets)
    return common


_ROWS_AT_ONCE = 1 << 12
"""Rows compared at once: a mask of 512 KiB at K = 128."""

_LEAST = 1e-300
"""Similarities of 0 and 1 are moved by so much, because the logarithm of 0 is not finite."""


def agreements(signatures: Tokens, signature: Tokens) -> Index:
    """At how many positions each row of signatures agrees with one signature: int64 (N,).

    signatures: (N, K) uint32; signature: (K,) uint32. Divided by K it is the estimate of the Jaccard similarity.
    """
    agree = np.empty(len(signatures), np.int64)
    for at in range(0, len(signatures), _ROWS_AT_ONCE):
        cut = slice(at, at + _ROWS_AT_ONCE)
        agree[cut] = np.count_nonzero(signatures[cut] == signature, axis=1)
    return agree


def least_agreements(similarity: Floats, places: int, missed: float) -> Index:
    """The fewest positions at which the signatures of two sets of each similarity agree, nearly always: int64 (N,).

    They agree at fewer with a probability of at most `missed`, if each of the K = `places` positions agrees with the
    probability of the similarity, independently. So it is for the scheme `permutation`. The agreements of `fss` spread
    less (docs/method.md, section 5).
    """
    hits = np.arange(places + 1)
    logarithms = np.concatenate(([0.0], np.cumsum(np.log(hits[1:]))))
    ways = logarithms[-1] - logarithms - logarithms[::-1]
    likely, unlikely = np.log(np.maximum(similarity, _LEAST)), np.log(np.maximum(1 - similarity, _LEAST))
    each = np.exp(ways + hits * likely[:, np.newaxis] + (places - hits) * unlikely[:, np.newaxis])
    fewest: Index = np.count_nonzero(np.cumsum(each, axis=1) <= missed, axis=1)
    return fewest


_TOKENS_AT_ONCE = 1 << 18
"""Tokens of both documents that are counted at once, if they are random numbers: 6 MiB."""


def shared_tokens(a: Tokens, b: Tokens) -> tuple[int, ...]:
    """Count the tokens that two documents have, and those that they share. a, b: uint32, ascending, with repeats.

    Seven numbers: the distinct tokens of a, of b and of both; the sum of the smaller counts of each token; that of the
    products of the counts; and those of the squares of the counts of a, and of b. Both are counted in parts: the tokens
    of each of many ranges of numbers.
    """
    bits = min(32, ((len(a) + len(b)) // _TOKENS_AT_ONCE).bit_length())
    bounds = np.arange(1, 1 << bits, dtype=np.uint64) << (32 - bits)
    total = [0] * 7
    for one, other in zip(*(np.split(bag, np.searchsorted(bag, bounds)) for bag in (a, b)), strict=True):
        (begins_a, of_a), (begins_b, of_b) = equal_runs(one), equal_runs(other)
        _, in_a, in_b = np.intersect1d(one[begins_a], other[begins_b], assume_unique=True, return_indices=True)
        ours, theirs = of_a[in_a], of_b[in_b]
        sums = (int(each.sum()) for each in (np.minimum(ours, theirs), ours * theirs, of_a * of_a, of_b * of_b))
        part = len(of_a), len(of_b), len(in_a), *sums
        total = [so_far + more for so_far, more in zip(total, part, strict=True)]
    return tuple(total)


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
