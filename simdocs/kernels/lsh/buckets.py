"""Buckets: which signatures agree in all the rows of a band, and the pairs that meet in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from simdocs.model.ragged import Array, Index, Keys, Ragged, Tokens, ranges

_ROWS = 1024
"""Signatures read at once: column by column, from cache."""

_FACTOR = np.uint64(0x9FB21C651E98DF25)
"""An odd number with about as many bits set as not (Pelle Evensen's rrmxmx)."""

_SHIFT = np.uint64(28)

PAIRS_AT_ONCE = 1 << 21
"""Pairs in one block: 16 MiB of keys."""


def band_keys(signatures: Tokens, order: Index, bands: int, rows: int) -> Keys:
    """A 64-bit key for each band of the signatures order[i]: (bands, len(order)) uint64, from the band's rows alone.

    Equal rows give equal keys; unequal ones collide with a chance of about 2^-64, which costs a false candidate.
    """
    keys = np.zeros((bands, len(order)), np.uint64)
    for at in range(0, len(order), _ROWS):
        part = signatures[order[at : at + _ROWS]]
        for band in range(bands):
            key = keys[band, at : at + _ROWS]
            for row in range(band * rows, band * rows + rows):
                key ^= part[:, row]
                key *= _FACTOR
                key ^= key >> _SHIFT
            key *= _FACTOR
            key ^= key >> _SHIFT
    return keys


def bucket_tables(keys: Keys, rows: Index) -> tuple[Keys, Tokens]:
    """Bucket tables: each band's keys ascending (bands, N) uint64, and the row (of `rows`, (N,)) that has each key
    (bands, N) uint32; rows of one key in their order.

    keys: (bands, N), as `band_keys` gives them.
    """
    ordered = np.empty_like(keys)
    owners = np.empty(keys.shape, np.uint32)
    for band, key in enumerate(keys):
        order = np.argsort(key, kind="stable")
        ordered[band] = key[order]
        owners[band] = rows[order]
    return ordered, owners


def shared_buckets(keys: Keys) -> Ragged:
    """The buckets with two members or more, of all bands: Ragged int64, members ascending.

    keys: (bands, N), as `band_keys` gives them.
    """
    members, lengths = [], []
    for band in keys:
        order = np.argsort(band, kind="stable")
        begins, sizes = shared_runs(band[order])
        members.append(order[ranges(begins, sizes)])
        lengths.append(sizes)
    return _joined(members, lengths)


def shared_buckets_of_tables(keys: Keys, members: Iterable[Index]) -> Ragged:
    """The same from bucket tables: keys (bands, N), each band ascending, and the member that has each key (N,), band by
    band."""
    found, lengths = [], []
    for band, owners in zip(keys, members, strict=True):
        begins, sizes = shared_runs(band)
        inside = owners[ranges(begins, sizes)]
        bucket = np.repeat(np.arange(len(sizes)), sizes)
        found.append(inside[np.lexsort((inside, bucket))])
        lengths.append(sizes)
    return _joined(found, lengths)


def equal_runs(ordered: Array) -> tuple[Index, Index]:
    """Where in ordered keys each run of equal ones begins, and its length."""
    begins = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)])
    return begins, np.diff(np.append(begins, len(ordered)))


def shared_runs(ordered: Array) -> tuple[Index, Index]:
    """The same of the runs of two or more: the buckets that documents share."""
    begins, sizes = equal_runs(ordered)
    shared = sizes > 1
    return begins[shared], sizes[shared]


def _joined(members: list[Index], lengths: list[Index]) -> Ragged:
    if not members:
        return Ragged.from_lengths(np.empty(0, np.int64), np.empty(0, np.int64))
    return Ragged.from_lengths(np.concatenate(members), np.concatenate(lengths))


def candidate_pairs(shared: Ragged, nodes: int) -> Iterator[tuple[Index, Index]]:
    """The pairs (a, b), a < b, that share a bucket, each once, in blocks in ascending order.

    shared: buckets of members below `nodes`. Blocks of about PAIRS_AT_ONCE, more if one member alone has more.
    """
    places = np.arange(len(shared.values))
    ends = np.repeat(shared.offsets[1:], shared.lengths)
    yield from distinct_pairs(shared.values, places + 1, ends - places - 1, shared.values, nodes)


def distinct_pairs(
    left: Index, starts: Index, counts: Index, members: Index, nodes: int
) -> Iterator[tuple[Index, Index]]:
    """Each left[i] with members[starts[i]], ... counts[i] of them: distinct pairs in blocks, ascending by left."""
    if not len(left):
        return
    order = np.argsort(left, kind="stable")
    left, starts, counts = left[order], starts[order], counts[order]
    before = np.cumsum(counts) - counts
    heads = np.flatnonzero(np.append(True, left[1:] != left[:-1]))
    # A block ends where a left member does, so that no pair shows up in two.
    block = before[heads] // PAIRS_AT_ONCE
    cuts = heads[np.append(True, block[1:] != block[:-1])]
    for begin, end in zip(cuts, np.append(cuts[1:], len(left)), strict=True):
        cut = slice(begin, end)
        key = np.repeat(left[cut] * nodes, counts[cut])
        key += members[ranges(starts[cut], counts[cut])]
        if len(key):
            key.sort()
            key = key[np.append(True, key[1:] != key[:-1])]
            a = key // nodes
            yield a, key - a * nodes
