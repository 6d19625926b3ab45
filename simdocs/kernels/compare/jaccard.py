"""Similarities of many pairs at once: estimated from signatures, exact from token sets."""

from __future__ import annotations

import numpy as np

from simdocs.kernels.tokens.multisets import sort_rows
from simdocs.model.ragged import Array, Floats, Index, Mask, Ragged, Tokens, count_true_in_rows

_PAIRS = 1024
"""Pairs whose signatures are compared at once: a mebibyte at K = 128."""

_MERGED_AT_ONCE = 1 << 18
"""Values of pairs merged at once: with their keys, 3 MiB."""

_MEETINGS = 4
"""Pairs for each row of the smaller side from which looking values up pays."""

_LARGEST_TABLE = 1 << 26
"""Cells of the table of which left row holds which value: bytes."""

_PAIRS_LOOKED_UP = 128

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


def below_prefilter(estimated: Floats, threshold: float, num_perm: int) -> Mask:
    """Which estimates lie more than five standard errors below the threshold. None, with fewer than 64 places.

    A pair at the threshold is dropped with a chance of 3e-7 by the normal tail; by the binomial one, K = 128 places,
    1.5e-7 at a threshold of .5, 1.4e-6 at .8, 7.7e-6 at .9 (docs/method.md, section 9).
    """
    if num_perm < _ENOUGH_PLACES:
        return np.zeros(len(estimated), bool)
    error = float(np.sqrt(threshold * (1 - threshold) / num_perm))
    return estimated < threshold - _STANDARD_ERRORS * error


def exact(sets: Ragged, left: Array, right: Array) -> Floats:
    """Jaccard similarity of rows left[i] and right[i]: float64 (P,), the unrounded quotient; 0 where either is empty.

    sets: Ragged uint32, each row ascending, without repeats. Equals len(a & b) / len(a | b) of Python sets.
    """
    lefts, rights = np.unique(left), np.unique(right)
    few = len(left) >= _MEETINGS * min(len(lefts), len(rights))
    if few and len(lefts) * int(sets.lengths[lefts].sum()) <= _LARGEST_TABLE:
        common = _common_by_membership(sets, left, right, lefts, rights)
    else:
        common = _common_by_merging(sets, left, right)
    union = sets.lengths[left] + sets.lengths[right] - common
    quotient: Floats = common / np.maximum(union, 1)
    return quotient


def _common_by_merging(sets: Ragged, left: Array, right: Array) -> Index:
    """Values that rows left[i] and right[i] share: both sorted together, 20 ns a value of either."""
    ends = np.cumsum(sets.lengths[left] + sets.lengths[right])
    common = np.empty(len(left), np.int64)
    at = 0
    while at < len(left):
        # As many pairs as stay in cache together, but at least one.
        held = int(ends[at - 1]) if at else 0
        end = max(at + 1, int(np.searchsorted(ends, held + _MERGED_AT_ONCE, side="right")))
        cut = slice(at, end)
        if end == at + 1:
            common[at] = _common_of_two(sets[int(left[at])], sets[int(right[at])])
        else:
            both = sets.take(np.column_stack((left[cut], right[cut])).ravel())
            common[cut] = _repeats(sort_rows(Ragged(both.values, both.offsets[::2])))
        at = end
    return common


def _common_of_two(one: Tokens, other: Tokens) -> int:
    """How many values two sets share, which may be as large as all of memory allows: some of the one at a time, with
    what of the other lies between the least and the greatest of those."""
    count = 0
    for at in range(0, len(one), _MERGED_AT_ONCE):
        some = one[at : at + _MERGED_AT_ONCE]
        low, high = np.searchsorted(other, some[0]), np.searchsorted(other, some[-1], side="right")
        values = np.concatenate((some, other[low:high]))
        values.sort()
        count += int(np.count_nonzero(values[1:] == values[:-1]))
    return count


def _repeats(ordered: Ragged) -> Index:
    """How many values of each row, of two sets sorted together, stand there twice: those that both sets hold."""
    again = np.zeros(len(ordered.values), bool)
    np.equal(ordered.values[1:], ordered.values[:-1], out=again[1:])
    again[ordered.offsets[:-1][ordered.lengths > 0]] = False
    return count_true_in_rows(again, ordered.offsets)


def _common_by_membership(sets: Ragged, left: Array, right: Array, lefts: Array, rights: Array) -> Index:
    """The same, where few rows meet many: the values of each right row are looked up among those of all left ones
    once, 15 ns each, and then cost 4 ns in each pair."""
    row, column = np.searchsorted(lefts, left), np.searchsorted(rights, right)
    held = sets.take(lefts)
    known = np.sort(held.values)
    known = known[np.append(True, known[1:] != known[:-1])[: len(known)]]
    if not (width := len(known)):
        return np.zeros(len(left), np.int64)
    member = np.zeros(len(lefts) * width, bool)
    member[np.repeat(np.arange(len(lefts)) * width, held.lengths) + np.searchsorted(known, held.values)] = True
    looked_up = sets.take(rights)
    place = np.searchsorted(known, looked_up.values)
    hits = Ragged(place, looked_up.offsets).keep(known[np.minimum(place, width - 1)] == looked_up.values)
    common = np.empty(len(left), np.int64)
    for at in range(0, len(left), _PAIRS_LOOKED_UP):
        cut = slice(at, at + _PAIRS_LOOKED_UP)
        values = hits.take(column[cut])
        cells = values.values + np.repeat(row[cut] * width, values.lengths)
        common[cut] = count_true_in_rows(member[cells], values.offsets)
    return common
