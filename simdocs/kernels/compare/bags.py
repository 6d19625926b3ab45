"""What the measures of two documents are made of: how many tokens they have, and how many they share."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

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


def shared_tokens(a: Tokens, b: Tokens) -> SharedTokens:
    """Count the tokens of two documents. a, b: uint32, in any order, with repeats."""
    (tokens_a, counts_a), (tokens_b, counts_b) = (np.unique(tokens, return_counts=True) for tokens in (a, b))
    _, in_a, in_b = np.intersect1d(tokens_a, tokens_b, assume_unique=True, return_indices=True)
    ours, theirs = counts_a[in_a], counts_b[in_b]
    least = int(np.minimum(ours, theirs).sum())
    return SharedTokens(
        len(tokens_a),
        len(tokens_b),
        len(in_a),
        least,
        len(a) + len(b) - least,
        int((ours * theirs).sum()),
        int((counts_a * counts_a).sum()),
        int((counts_b * counts_b).sum()),
    )
