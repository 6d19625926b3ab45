"""What the measures of two documents are made of: how many tokens they have, and how many they share."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from simdocs.kernels.lsh.buckets import equal_runs
from simdocs.model.ragged import Tokens


class SharedTokens(NamedTuple):
    """The counts of two bags of tokens, a and b, all int.

    distinct_a, distinct_b, shared: distinct tokens of a, of b and of both. least, most: the sums of the smaller and of
    the larger count of each token. product: the sum of the products of the counts. squares_a, squares_b: the sums of
    their squares.
    """

    distinct_a: int
    distinct_b: int
    shared: int
    least: int
    most: int
    product: int
    squares_a: int
    squares_b: int


_TOKENS_AT_ONCE = 1 << 18
"""Tokens of both documents that are counted at once, if they are random numbers: 6 MiB."""


def bag_of(tokens: Tokens) -> Tokens:
    """The tokens of a document, ascending, with repeats: uint32. tokens: in any order."""
    return np.sort(tokens)


def shared_tokens(a: Tokens, b: Tokens) -> SharedTokens:
    """Count the tokens that two documents have, and those that they share. a, b: bags.

    Both are counted in parts: the tokens of each of many ranges of numbers.
    """
    bits = min(32, ((len(a) + len(b)) // _TOKENS_AT_ONCE).bit_length())
    cuts = [np.searchsorted(bag, np.arange(1, 1 << bits, dtype=np.uint64) << (32 - bits)).tolist() for bag in (a, b)]
    total = [0] * len(SharedTokens._fields)
    for ours, theirs in zip(
        *(pairwise([0, *cut, len(bag)]) for cut, bag in zip(cuts, (a, b), strict=True)), strict=True
    ):
        part = _shared_of_part(a[slice(*ours)], b[slice(*theirs)])
        total = [so_far + more for so_far, more in zip(total, part, strict=True)]
    return SharedTokens(*total)


def _shared_of_part(a: Tokens, b: Tokens) -> SharedTokens:
    (begins_a, counts_a), (begins_b, counts_b) = equal_runs(a), equal_runs(b)
    _, in_a, in_b = np.intersect1d(a[begins_a], b[begins_b], assume_unique=True, return_indices=True)
    ours, theirs = counts_a[in_a], counts_b[in_b]
    least = int(np.minimum(ours, theirs).sum())
    return SharedTokens(
        len(begins_a),
        len(begins_b),
        len(in_a),
        least,
        len(a) + len(b) - least,
        int((ours * theirs).sum()),
        int((counts_a * counts_a).sum()),
        int((counts_b * counts_b).sum()),
    )
