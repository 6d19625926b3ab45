"""Which signatures agree most with one signature."""

from __future__ import annotations

import numpy as np

from simdocs.model.ragged import Index, Tokens

_ROWS_AT_ONCE = 1 << 12
"""Rows compared at once: a mask of 512 KiB at K = 128."""


def agreements(signatures: Tokens, signature: Tokens) -> Index:
    """At how many positions each row of signatures agrees with one signature: int64 (N,).

    signatures: (N, K) uint32; signature: (K,) uint32. Divided by K it is the estimate of the Jaccard similarity.
    """
    agree = np.empty(len(signatures), np.int64)
    for at in range(0, len(signatures), _ROWS_AT_ONCE):
        cut = slice(at, at + _ROWS_AT_ONCE)
        agree[cut] = np.count_nonzero(signatures[cut] == signature, axis=1)
    return agree
