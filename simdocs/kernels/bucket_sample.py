"""Random pairs of documents that share a bucket, without listing all such pairs."""

from __future__ import annotations

import numpy as np

from simdocs.kernels.buckets import shared_runs
from simdocs.model.ragged import Floats, Index, Keys, Tokens
from simdocs.options.recipes import Bands

_PAIRS_AT_ONCE = 1024
"""Pairs whose signatures are compared at once: 1 MiB at K = 128."""


def count_pairs(keys: Keys) -> int:
    """The number of pairs of documents whose keys in one band are equal. keys: (N,), from `keys_of_band`."""
    _, sizes = shared_runs(np.sort(keys))
    return int((sizes * (sizes - 1) // 2).sum())


def every_pair(keys: Keys) -> tuple[Index, Index]:
    """All pairs (a, b), a < b, of documents whose keys in one band are equal: two arrays of int64."""
    order = np.argsort(keys, kind="stable")
    begins, sizes = shared_runs(keys[order])
    place = np.arange(int(sizes.sum()))
    end = np.repeat(np.cumsum(sizes), sizes)
    after = end - place - 1  # how many members of its bucket come after each member
    left = np.repeat(place, after)
    right = left + 1 + np.arange(len(left)) - np.repeat(np.cumsum(after) - after, after)
    members = order[np.repeat(begins - (np.cumsum(sizes) - sizes), sizes) + place]
    return members[left], members[right]


def drawn_pairs(keys: Keys, chances: Floats) -> tuple[Index, Index]:
    """Pairs (a, b), a < b, of documents whose keys in one band are equal, each as likely: two arrays of int64 (n,).

    keys: (N,); at least two are equal. chances: (n, 3), independent, uniform from 0 to below 1; the first chooses the
    bucket, the others two of its members.
    """
    order = np.argsort(keys, kind="stable")
    begins, sizes = shared_runs(keys[order])
    ends = np.cumsum(sizes * (sizes - 1) // 2)
    bucket = np.searchsorted(ends, (chances[:, 0] * ends[-1]).astype(np.int64), side="right")
    begin, size = begins[bucket], sizes[bucket]
    one = (chances[:, 1] * size).astype(np.int64)
    other = (one + 1 + (chances[:, 2] * (size - 1)).astype(np.int64)) % size
    members = np.sort(np.column_stack((order[begin + one], order[begin + other])), axis=1)
    return members[:, 0], members[:, 1]


def pairs_of_band(keys: Keys, rows: Index, most: int, random: np.random.Generator) -> tuple[Index, Index, Floats]:
    """All pairs that share a bucket of this band, or `most` of them, drawn at random, if there are more.

    They are two arrays of rows, and the number of pairs in a bucket that each pair stands for, float64: (P,) each. A
    pair that shares m buckets can be drawn in each of them.

    keys: (N,), ascending. rows: (N,), the row of the document that has each key.
    """
    every = count_pairs(keys)
    if every <= most:
        left, right = every_pair(keys)
    else:
        left, right = drawn_pairs(keys, random.random((most, 3)))
    owners = rows.astype(np.int64)
    return owners[left], owners[right], np.full(len(left), every / max(1, len(left)))


def agreeing_bands(signatures: Tokens, left: Index, right: Index, bands: Bands) -> Index:
    """In how many bands the signatures of each pair agree in all rows: int64 (P,). signatures: (N, K) uint32."""
    agree, width = np.empty(len(left), np.int64), bands.bands * bands.rows
    for at in range(0, len(left), _PAIRS_AT_ONCE):
        cut = slice(at, at + _PAIRS_AT_ONCE)
        same = signatures[left[cut], :width] == signatures[right[cut], :width]
        agree[cut] = same.reshape(-1, *bands).all(axis=2).sum(axis=1)
    return agree
