"""Looking up documents in the bucket tables of an index, of which no more is read than is looked at."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from simdocs.kernels.lsh.bucket_search import bucket_bounds
from simdocs.kernels.lsh.buckets import PAIRS_AT_ONCE, band_keys
from simdocs.model.artifact import BandIndex
from simdocs.model.ragged import Array, Index, Keys, Tokens, ranges

_AT_ONCE = 1 << 12
"""Documents looked up at once."""

_MATCHES_AT_ONCE = 1 << 20
"""Matches, copies among them, that are held at once: some 100 MiB, with the names of all."""


def keys_for(index: BandIndex, signatures: Tokens, rows: Index) -> Keys:
    """The band keys of these rows of signatures, as the tables of the index have them: (B, len(rows)) uint64."""
    return band_keys(signatures, rows, *index.recipe.banding.cut)


def bounds(index: BandIndex, keys: Keys) -> tuple[Index, Index]:
    """Where in the flattened tables the bucket of each key (B, Q) stands: begins and ends, (B, Q)."""
    return bucket_bounds(keys, index["band_keys"].shape[1], index["band_keys"].at)


def candidates(index: BandIndex, signatures: Tokens, rows: Index) -> Iterator[tuple[Index, Index, Index]]:
    """Rows of signatures (a part of `rows` at a time, in order), and the distinct pairs of places among these with
    rows of the index that share a bucket with them, ascending."""
    size = index.n_documents
    copies = np.bincount(index["same_as"].all(), minlength=size)
    for at in range(0, len(rows), _AT_ONCE):
        part = rows[at : at + _AT_ONCE]
        begins, ends = bounds(index, keys_for(index, signatures, part))
        counts = ends - begins
        # As many of them at once as have about PAIRS_AT_ONCE pairs, or one.
        block = np.cumsum(counts.sum(axis=0)) // PAIRS_AT_ONCE
        for number in np.unique(block).tolist():
            here = np.flatnonzero(block == number)
            found = index["band_rows"].at(ranges(begins[:, here].ravel(), counts[:, here].ravel()))
            asking = np.repeat(np.tile(np.arange(len(here)), len(begins)), counts[:, here].ravel())
            pairs = np.unique(asking * size + found)
            yield from _cut(part[here], pairs // size, pairs % size, copies)


def _cut(asking: Index, left: Index, right: Index, copies: Index) -> Iterator[tuple[Index, Index, Index]]:
    """The same pairs, cut so that they become about _MATCHES_AT_ONCE with all copies of the texts on the right, more if
    one document alone has more. copies: how many documents have the text of each row."""
    block = np.cumsum(np.bincount(left, copies[right], len(asking))) // _MATCHES_AT_ONCE
    starts = np.flatnonzero(np.append(True, block[1:] != block[:-1])[: len(block)])
    for start, stop in pairwise(np.append(starts, len(asking)).tolist()):
        low, high = np.searchsorted(left, (start, stop))
        yield asking[start:stop], left[low:high] - start, right[low:high]


def copies_of(same_as: Array, firsts: Index) -> tuple[Index, Index]:
    """The documents of the same text as these first ones (ascending): places among firsts, and rows, by both."""
    rows = np.flatnonzero(np.isin(same_as, firsts))
    place = np.searchsorted(firsts, same_as[rows])
    order = np.argsort(place, kind="stable")
    return place[order], rows[order]
