"""The buckets of given keys in bucket tables, for many keys and all bands at once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from simdocs.model.ragged import Array, Index, Keys


def bucket_bounds(keys: Keys, width: int, keys_at: Callable[[Index], Array]) -> tuple[Index, Index]:
    """Where the bucket of each key begins and ends in the bucket tables: two arrays of int64 (bands, Q).

    keys: (bands, Q) uint64. The tables are (bands, width) keys, ascending in each band, and positions refer to the
    flattened tables. keys_at(positions) returns the keys of the tables at these positions: only the keys that the
    bisection needs are read. Where begin equals end there is no bucket. In each band, the results equal np.searchsorted
    with side "left" and "right".
    """
    base = (np.arange(len(keys)) * width)[:, None]
    begins = _first(keys, base, width, lambda positions, wanted: keys_at(positions) < wanted)
    ends = _first(keys, base, width, lambda positions, wanted: keys_at(positions) <= wanted, begins - base)
    return begins, ends


def _first(
    keys: Keys, base: Index, width: int, below: Callable[[Index, Array], Array], start: Index | None = None
) -> Index:
    """For each key, the first position in its band at which `below` is false: int64 (bands, Q), by bisection.

    start: where to begin in each band, instead of 0.
    """
    low = np.zeros(keys.shape, np.int64) if start is None else start.copy()
    high = np.full(keys.shape, width)
    while (undecided := low < high).any():
        middle = (low + high) // 2
        is_below = np.zeros(keys.shape, bool)
        is_below[undecided] = below((base + middle)[undecided], keys[undecided])
        low = np.where(undecided & is_below, middle + 1, low)
        high = np.where(undecided & ~is_below, middle, high)
    return low + base
