"""Keep policies: which of several similar documents is kept.

Each policy is a function from sizes in bytes and times of change in ns (both (N,) int64) to what documents are sorted
by, the kept one first.
"""

from __future__ import annotations

import numpy as np

from simdocs.families import KEEP
from simdocs.model.ragged import Array, Index


def first(sizes: Array, mtimes: Array) -> Array:
    """Sort by row order."""
    return np.arange(len(sizes))


def longest(sizes: Array, mtimes: Array) -> Array:
    """Sort by size, the largest first."""
    return -sizes


def shortest(sizes: Array, mtimes: Array) -> Array:
    """Sort by size, the smallest first."""
    return sizes


def newest(sizes: Array, mtimes: Array) -> Array:
    """Sort by time of change, the last one first."""
    return -mtimes


def oldest(sizes: Array, mtimes: Array) -> Array:
    """Sort by time of change, the earliest first."""
    return mtimes


def keep_order(policy: str, sizes: Array, mtimes: Array) -> Index:
    """Row numbers (N,) in keep order; ties by row order."""
    return np.argsort(KEEP[policy].load()(sizes, mtimes), kind="stable")
