"""What the measures of two documents are made of: how many tokens they have, and how many they share."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from simdocs.model.ragged import Index, Tokens


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


class Bag(NamedTuple):
    """The distinct tokens of a document, ascending, and how often each occurs: uint32 and int64 (n,)."""

    tokens: Tokens
    counts: Index


def bag_of(tokens: Tokens) -> Bag:
    """The bag of some tokens, given as uint32 in any order, with repeats."""
    return Bag(*np.unique(tokens, return_counts=True))


def shared_tokens(a: Bag, b: Bag) -> SharedTokens:
    """Count the tokens that two documents have, and those that they share."""
    _, in_a, in_b = np.intersect1d(a.tokens, b.tokens, assume_unique=True, return_indices=True)
    ours, theirs = a.counts[in_a], b.counts[in_b]
    least = int(np.minimum(ours, theirs).sum())
    return SharedTokens(
        len(a.tokens),
        len(b.tokens),
        len(in_a),
        least,
        int(a.counts.sum()) + int(b.counts.sum()) - least,
        int((ours * theirs).sum()),
        int((a.counts * a.counts).sum()),
        int((b.counts * b.counts).sum()),
    )
