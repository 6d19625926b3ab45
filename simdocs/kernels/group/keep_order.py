"""Keep orders: which of several similar documents is kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from simdocs.model.ragged import Array, Index


def _first(sizes: Array, mtimes: Array) -> Array:
    return np.arange(len(sizes))


def _longest(sizes: Array, mtimes: Array) -> Array:
    return -sizes


def _shortest(sizes: Array, mtimes: Array) -> Array:
    return sizes


def _newest(sizes: Array, mtimes: Array) -> Array:
    return -mtimes


def _oldest(sizes: Array, mtimes: Array) -> Array:
    return mtimes


KEEP: Mapping[str, Callable[[Array, Array], Array]] = MappingProxyType(
    {"first": _first, "longest": _longest, "shortest": _shortest, "newest": _newest, "oldest": _oldest}
)
"""For each policy: from sizes in bytes and mtimes in ns (both (N,) int64), what to sort by, the kept one first."""


def keep_order(policy: str, sizes: Array, mtimes: Array) -> Index:
    """Row numbers (N,) in keep order; ties by row order."""
    return np.argsort(KEEP[policy](sizes, mtimes), kind="stable")
