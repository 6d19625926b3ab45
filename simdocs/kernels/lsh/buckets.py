"""Buckets of documents whose signatures agree in all rows of a band, and the candidate pairs in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from simdocs.model.ragged import Array, Index, Keys, Ragged, Tokens, ranges

_SIGNATURES = 1024
"""Signatures that are read at once, column by column, while they are in cache."""

_FACTOR = np.uint64(0x9FB21C651E98DF25)
"""An odd number with about as many bits set as not (Pelle Evensen's rrmxmx)."""

_SHIFT = np.uint64(28)

PAIRS_AT_ONCE = 1 << 21
"""Pairs in one block, about: 16 MiB of keys."""


def band_keys(signatures: Tokens, order: Index, bands: int, rows: int) -> Keys:
    """A 64-bit key for each band of each signature: uint64 (bands, M). Column i belongs to signatures[order[i]].

    signatures: (N, K) uint32. order: (M,) row numbers. A key depends on the rows of its band only. Equal rows have
    equal keys. Different rows have the same key with a probability of about 2^-64, which adds a false candidate.
    """
    keys = np.zeros((bands, len(order)), np.uint64)
    for at in range(0, len(order), _SIGNATURES):
        part = signatures[order[at : at + _SIGNATURES]]
        for band in range(bands):
            key = keys[band, at : at + _SIGNATURES]
            for row in range(band * rows, band * rows + rows):
                key ^= part[:, row]
                key *= _FACTOR
                key ^= key >> _SHIFT
            key *= _FACTOR
            key ^= key >> _SHIFT
    return keys


def bucket_tables(keys: Keys, rows: Index) -> tuple[Keys, Tokens]:
    """Bucket tables: the keys of each band, ascending, and the row that has each key: uint64 and uint32 (bands, N).

    keys: (bands, N), from `band_keys`. rows: (N,), the row number of each column of `keys`. Rows with equal keys keep
    their order.
    """
    ordered = np.empty_like(keys)
    owners = np.empty(keys.shape, np.uint32)
    for band, key in enumerate(keys):
        order = np.argsort(key, kind="stable")
        ordered[band] = key[order]
        owners[band] = rows[order]
    return ordered, owners


def shared_buckets(keys: Keys) -> Ragged:
    """The buckets of all bands that have two or more members: Ragged int64. The members of a bucket ascend.

    keys: (bands, N), from `band_keys`. A member is the number of a column of `keys`.
    """
    members, lengths = [], []
    for band in keys:
        order = np.argsort(band, kind="stable")
        begins, sizes = shared_runs(band[order])
        members.append(order[ranges(begins, sizes)])
        lengths.append(sizes)
    return _joined(members, lengths)


def shared_buckets_of_tables(keys: Keys, members: Iterable[Index]) -> Ragged:
    """The same buckets as `shared_buckets`, from bucket tables.

    keys: (bands, N), ascending in each band. members: for each band, the member that has each key, (N,) int64.
    """
    found, lengths = [], []
    for band, owners in zip(keys, members, strict=True):
        begins, sizes = shared_runs(band)
        inside = owners[ranges(begins, sizes)]
        bucket = np.repeat(np.arange(len(sizes)), sizes)
        found.append(inside[np.lexsort((inside, bucket))])
        lengths.append(sizes)
    return _joined(found, lengths)


def equal_runs(ordered: Array) -> tuple[Index, Index]:
    """Where each run of equal values in a sorted array begins, and its length: two arrays of int64."""
    begins = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)])
    return begins, np.diff(np.append(begins, len(ordered)))


def shared_runs(ordered: Array) -> tuple[Index, Index]:
    """Where each run of two or more equal values in a sorted array begins, and its length: two arrays of int64."""
    begins, sizes = equal_runs(ordered)
    shared = sizes > 1
    return begins[shared], sizes[shared]


def _joined(members: list[Index], lengths: list[Index]) -> Ragged:
    if not members:
        return Ragged.from_lengths(np.empty(0, np.int64), np.empty(0, np.int64))
    return Ragged.from_lengths(np.concatenate(members), np.concatenate(lengths))


def candidate_pairs(shared: Ragged, size: int) -> Iterator[tuple[Index, Index]]:
    """The pairs (a, b), a < b, that share a bucket: each once, ascending, in blocks of two int64 arrays.

    shared: buckets of members that are all below `size`, ascending in each bucket. A block has about PAIRS_AT_ONCE
    pairs, or all pairs of a single member if it has more.
    """
    positions = np.arange(len(shared.values))
    ends = np.repeat(shared.offsets[1:], shared.lengths)
    yield from distinct_pairs(shared.values, positions + 1, ends - positions - 1, shared.values, size)


def distinct_pairs(
    left: Index, starts: Index, counts: Index, members: Index, size: int
) -> Iterator[tuple[Index, Index]]:
    """The distinct pairs of left[i] with each of members[starts[i] : starts[i] + counts[i]], ascending, in blocks.

    All members are below `size`. No left member has pairs in two blocks.
    """
    if not len(left):
        return
    order = np.argsort(left, kind="stable")
    left, starts, counts = left[order], starts[order], counts[order]
    before = np.cumsum(counts) - counts
    heads = np.flatnonzero(np.append(True, left[1:] != left[:-1]))
    # A block ends where a left member does, so that no pair occurs in two blocks.
    block = before[heads] // PAIRS_AT_ONCE
    cuts = heads[np.append(True, block[1:] != block[:-1])]
    for begin, end in zip(cuts, np.append(cuts[1:], len(left)), strict=True):
        cut = slice(begin, end)
        key = np.repeat(left[cut] * size, counts[cut])
        key += members[ranges(starts[cut], counts[cut])]
        if len(key):
            key.sort()
            key = key[np.append(True, key[1:] != key[:-1])]
            a = key // size
            yield a, key - a * size
