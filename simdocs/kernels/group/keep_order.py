"""Keep policies: which of several similar documents is kept.

A policy is a function of the sizes in bytes and the modification times in nanoseconds, both int64 (N,). It returns a
sort key (N,) that is smallest for the document to keep.
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
    """The row numbers in keep order: int64 (N,), the document to keep first, ties in row order.

    sizes, mtimes: int64 (N,), bytes and nanoseconds. KeyError: the policy is not in the table of keep policies.
    """
    return np.argsort(KEEP[policy].load()(sizes, mtimes), kind="stable")
