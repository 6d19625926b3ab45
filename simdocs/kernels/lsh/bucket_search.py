"""Looking keys up in bucket tables, for many keys and all bands at once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from simdocs.model.ragged import Array, Index, Keys


def bucket_bounds(keys: Keys, width: int, at: Callable[[Index], Array]) -> tuple[Index, Index]:
    """Where the buckets of these keys stand in tables of `width` keys a band: (bands, Q) begins and ends.

    keys: (bands, Q) uint64. at: gives the tables' keys at places of the flattened (bands, width) tables, so that no
    more of them is read than is looked at. begins == ends: no bucket. As np.searchsorted, left and right, in each band.
    """
    base = (np.arange(len(keys)) * width)[:, None]
    begins = _first(keys, base, width, lambda places, wanted: at(places) < wanted)
    ends = _first(keys, base, width, lambda places, wanted: at(places) <= wanted, begins - base)
    return begins, ends


def _first(
    keys: Keys, base: Index, width: int, below: Callable[[Index, Array], Array], start: Index | None = None
) -> Index:
    """For each key the first place in its band at which `below` is false, by bisection: (bands, Q)."""
    low = np.zeros(keys.shape, np.int64) if start is None else start.copy()
    high = np.full(keys.shape, width)
    while (open_ := low < high).any():
        middle = (low + high) // 2
        here = np.zeros(keys.shape, bool)
        here[open_] = below((base + middle)[open_], keys[open_])
        low = np.where(open_ & here, middle + 1, low)
        high = np.where(open_ & ~here, middle, high)
    return low + base
