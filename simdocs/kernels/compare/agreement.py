"""At how many positions signatures agree, and at how many those of similar sets do."""

from __future__ import annotations

import numpy as np

from simdocs.model.ragged import Floats, Index, Tokens

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
