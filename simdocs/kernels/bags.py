"""Sets and bags: what is left of a document's tokens once their order is forgotten."""

from __future__ import annotations

import numpy as np

from simdocs.kernels import murmur
from simdocs.model.ragged import Index, Mask, Ragged

_AT_ONCE = 1 << 17
"""Tokens sorted at once: their keys, 1 MiB, stay in a level-2 cache."""


def sorted_rows(rows: Ragged) -> Ragged:
    """Each row of uint32 in ascending order, repeats kept."""
    values = np.empty_like(rows.values)
    offsets = rows.offsets
    at = 0
    while at < len(rows):
        # As many whole rows as fit, but at least one.
        end = max(at + 1, int(np.searchsorted(offsets, offsets[at] + _AT_ONCE, side="right")) - 1)
        cut = slice(int(offsets[at]), int(offsets[end]))
        if end == at + 1:
            values[cut] = rows.values[cut]
            values[cut].sort()
        else:
            lengths = np.diff(offsets[at : end + 1])
            keys = np.repeat(np.arange(end - at, dtype=np.uint64) << np.uint64(32), lengths)
            keys |= rows.values[cut]
            keys.sort()
            values[cut] = keys.astype(np.uint32)  # the low half
        at = end
    return Ragged(values, offsets)


def sets(tokens: Ragged) -> Ragged:
    """Each document's distinct tokens, ascending: Ragged uint32."""
    ordered = sorted_rows(tokens)
    return ordered.keep(_firsts(ordered))


def _firsts(ordered: Ragged) -> Mask:
    """Where a value differs from the one before it in its row: (T,) bool."""
    values = ordered.values
    first = np.empty(len(values), bool)
    first[:1] = True
    np.not_equal(values[1:], values[:-1], out=first[1:])
    first[ordered.offsets[:-1][ordered.lengths > 0]] = True
    return first


def bags(tokens: Ragged, seed: int) -> Ragged:
    """Tokens under which bags compare as sets: the Jaccard of the results is minimum over maximum of the counts.

    A token's first occurrence in a row stands for itself; its i-th (i >= 2) becomes the hash of the token and i,
    4 bytes each. Ragged uint32, the same rows in the same order.
    """
    nth = _occurrence(tokens)
    again = np.flatnonzero(nth > 1)
    pairs = np.column_stack((tokens.values[again], nth[again].astype(np.uint32)))
    values = tokens.values.copy()
    values[again] = murmur.number_runs(pairs.ravel(), 2 * np.arange(len(again)), np.full(len(again), 2), seed)
    return Ragged(values, tokens.offsets)


def _occurrence(tokens: Ragged) -> Index:
    """For each token, how often it has stood in its row so far, itself included: (T,) int64 from 1."""
    rows = np.repeat(np.arange(len(tokens)), tokens.lengths)
    order = np.lexsort((tokens.values, rows))
    first = _firsts(Ragged(tokens.values[order], tokens.offsets))
    places = np.arange(len(order))
    nth = np.empty(len(order), np.int64)
    nth[order] = places - np.maximum.accumulate(np.where(first, places, 0)) + 1
    return nth
