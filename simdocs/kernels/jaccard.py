"""Similarities of many pairs at once: estimated from signatures, exact from token sets."""

from __future__ import annotations

import numpy as np

from simdocs.kernels.bags import sorted_rows
from simdocs.model.ragged import Array, Floats, Mask, Ragged, Tokens, true_in_rows

_PAIRS = 1024
"""Pairs whose signatures are compared at once: a mebibyte at K = 128."""

_STANDARD_ERRORS = 5.0
_ENOUGH_PLACES = 64


def estimates(signatures: Tokens, left: Array, right: Array) -> Floats:
    """The share of places in which the signatures of rows left[i] and right[i] agree: float64 (P,), unbiased.

    Its standard error is sqrt(J(1-J)/K) at most, for `permutation`, and less for `fss`.
    """
    agree = np.empty(len(left), np.int64)
    for at in range(0, len(left), _PAIRS):
        cut = slice(at, at + _PAIRS)
        same = signatures[left[cut]] == signatures[right[cut]]
        agree[cut] = np.count_nonzero(same, axis=1)
    share: Floats = agree / signatures.shape[1]
    return share


def hopeless(estimated: Floats, threshold: float, num_perm: int) -> Mask:
    """Which estimates lie more than five standard errors below the threshold: their pairs are below it, but for a
    chance of 3e-7 (normal tail). None, with fewer than 64 places."""
    if num_perm < _ENOUGH_PLACES:
        return np.zeros(len(estimated), bool)
    error = float(np.sqrt(threshold * (1 - threshold) / num_perm))
    return estimated < threshold - _STANDARD_ERRORS * error


def exact(sets: Ragged, left: Array, right: Array) -> Floats:
    """Jaccard similarity of rows left[i] and right[i]: float64 (P,), the unrounded quotient; 0 where either is empty.

    sets: Ragged uint32, each row without repeats. Equals len(a & b) / len(a | b) of Python sets.
    """
    both = sets.take(np.column_stack((left, right)).ravel())
    ordered = sorted_rows(Ragged(both.values, both.offsets[::2]))
    # A row without repeats lends each value once: a value that follows its like is in both sets.
    again = np.zeros(len(ordered.values), bool)
    np.equal(ordered.values[1:], ordered.values[:-1], out=again[1:])
    again[ordered.offsets[:-1][ordered.lengths > 0]] = False
    common = true_in_rows(again, ordered.offsets)
    union = ordered.lengths - common
    quotient: Floats = common / np.maximum(union, 1)
    return quotient
