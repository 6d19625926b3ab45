"""Buckets of documents whose signatures agree in all rows of a band: their tables, and the pairs in them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np

from simdocs.kernels.native import accelerated
from simdocs.model.ragged import (
    Array,
    Floats,
    GrowingArray,
    Index,
    Keys,
    Mask,
    Ragged,
    Tokens,
    offsets_of,
    ranges,
    row_blocks,
)
from simdocs.options.recipes import Bands

_SIGNATURES = 4096
"""Signatures whose keys are computed at once, while they are in cache."""

_FACTOR = np.uint64(0x9FB21C651E98DF25)
"""An odd number with about as many bits set as not (Pelle Evensen's rrmxmx)."""

_SHIFT = np.uint64(28)

PAIRS_AT_ONCE = 1 << 16
"""Pairs in one block, about. While they are verified, each takes some 300 bytes, most of them facts of documents."""

_POSITIONS_AT_ONCE = 1 << 16
"""Positions in buckets that are looked at together."""


def band_keys(signatures: Tokens, order: Index, bands: int, rows: int) -> Keys:
    """A 64-bit key for each band of each signature: uint64 (bands, M). Column i belongs to signatures[order[i]].

    signatures: (N, K) uint32. order: (M,) row numbers. A key depends on the rows of its band only. Equal rows have
    equal keys. Different rows have the same key with a probability of about 2^-64, which adds a false candidate.
    """
    keys = np.empty((bands, len(order)), np.uint64)
    for band in range(bands):
        keys[band] = keys_of_band(signatures, order, band, rows)
    return keys


@accelerated
def keys_of_band(signatures: Tokens, order: Index, band: int, rows: int) -> Keys:
    """Row `band` of `band_keys`, which does not depend on the number of bands: uint64 (M,)."""
    keys = np.zeros(len(order), np.uint64)
    for at in range(0, len(order), _SIGNATURES):
        part = signatures[order[at : at + _SIGNATURES], band * rows : (band + 1) * rows]
        key = keys[at : at + _SIGNATURES]
        for row in range(rows):
            key ^= part[:, row]
            key *= _FACTOR
            key ^= key >> _SHIFT
        key *= _FACTOR
        key ^= key >> _SHIFT
    return keys


@accelerated
def order_of_keys(keys: Keys) -> Index:
    """The places of the keys (N,) in ascending order: int64. Equal keys keep their order."""
    return np.argsort(keys, kind="stable")


def bucket_tables(keys: Keys, rows: Index) -> tuple[Keys, Tokens]:
    """Bucket tables: the keys of each band, ascending, and the row that has each key: uint64 and uint32 (bands, N).

    keys: (bands, N), from `band_keys`. rows: (N,), the row number of each column of `keys`. Rows with equal keys keep
    their order.
    """
    ordered = np.empty_like(keys)
    owners = np.empty(keys.shape, np.uint32)
    for band, key in enumerate(keys):
        order = order_of_keys(key)
        ordered[band] = key[order]
        owners[band] = rows[order]
    return ordered, owners


def buckets_of_band(signatures: Tokens, order: Index, band: int, rows: int) -> tuple[Index, Index]:
    """The members of the buckets of one band with two or more, end to end, and how many each has: two arrays of int64.

    A member is the number of its signature in `order`. Those of a bucket ascend. See `keys_of_band`.
    """
    keys = keys_of_band(signatures, order, band, rows)
    places = order_of_keys(keys)
    begins, sizes = shared_runs(keys[places])
    return places[ranges(begins, sizes)], sizes


def shared_of_table(keys: Keys, owners: Index) -> tuple[Index, Index]:
    """The same from a bucket table: `keys` (M,) ascend, and `owners` (M,) are the members that have them."""
    begins, sizes = shared_runs(keys)
    inside = owners[ranges(begins, sizes)]
    bucket = np.repeat(np.arange(len(sizes)), sizes)
    return inside[np.lexsort((inside, bucket))], sizes


def equal_runs(ordered: Array) -> tuple[Index, Index]:
    """Where each run of equal values in a sorted array begins, and its length: two arrays of int64."""
    begins = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)])
    return begins, np.diff(np.append(begins, len(ordered)))


def shared_runs(ordered: Array) -> tuple[Index, Index]:
    """Where each run of two or more equal values in a sorted array begins, and its length: two arrays of int64."""
    begins, sizes = equal_runs(ordered)
    shared = sizes > 1
    return begins[shared], sizes[shared]


def joined_bands(bands: Iterable[tuple[Index, Index]]) -> Ragged:
    """The buckets of all bands, from those of each: Ragged int32.

    A document may be in one of every band, so they are numbers of 4 bytes.
    """
    members, lengths = GrowingArray(np.int32), GrowingArray(np.int32)
    for inside, sizes in bands:
        members.add(inside)
        lengths.add(sizes)
    return Ragged.from_lengths(members.all(), lengths.all())


@accelerated
def positions_of_members(buckets: Ragged, size: int) -> Ragged:
    """The positions of each member below `size` in the values of buckets, ascending: Ragged of `size` rows."""
    members = buckets.values
    positions: Array = np.argsort(members, kind="stable")
    if len(members) < 1 << 31:
        positions = positions.astype(np.int32)
    return Ragged(positions, offsets_of(np.bincount(members, minlength=size)))


def member_blocks(positions: Ragged, members: Index) -> Iterator[Index]:
    """Yield these members in blocks that have a bounded number of positions together, unless one has more."""
    for begin, end in row_blocks(
        offsets_of(positions.offsets[members + 1] - positions.offsets[members]), _POSITIONS_AT_ONCE
    ):
        yield members[begin:end]


def candidate_pairs(shared: Ragged, size: int, wanted: Mask | None = None) -> Iterator[tuple[Index, Index]]:
    """The pairs (a, b), a < b, that share a bucket: each once, ascending, in blocks of two int64 arrays.

    shared: buckets of members that are all below `size`, ascending in each bucket. A block has about PAIRS_AT_ONCE
    pairs, or all pairs of a single member if it has more. wanted: (size,), only pairs in which at least one member is
    wanted; None: all. Other pairs are not even listed.
    """
    every, members = positions_of_members(shared, size), shared.values
    ends_of = np.repeat(shared.offsets[1:].astype(every.values.dtype), shared.lengths)
    if wanted is not None:
        # All members, and behind them those wanted: what comes after a member in its bucket is a range of either.
        is_wanted = wanted[members]
        of_wanted = shared.keep(is_wanted)
        members = np.concatenate((members, of_wanted.values))
        begins_of = len(is_wanted) + np.cumsum(is_wanted)
    for some in member_blocks(every, np.arange(size)):
        positions = every.take(some).values.astype(np.int64)
        starts, ends = positions + 1, ends_of[positions]
        if wanted is not None:
            paired_with_all = is_wanted[positions]
            starts = np.where(paired_with_all, starts, begins_of[positions])
            bucket = np.searchsorted(shared.offsets, positions, side="right") - 1
            ends = np.where(paired_with_all, ends, len(is_wanted) + of_wanted.offsets[bucket + 1])
        yield from distinct_pairs(shared.values[positions], starts, ends - starts, members, size)


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
        key = np.repeat(left[cut].astype(np.int64) * size, counts[cut])
        key += members[ranges(starts[cut], counts[cut])]
        if len(key):
            key.sort()
            key = key[np.append(True, key[1:] != key[:-1])]
            a = key // size
            yield a, key - a * size


def joined_blocks(blocks: Iterable[tuple[Index, Index]]) -> Iterator[tuple[Index, Index]]:
    """The same pairs in the same order, in fewer blocks.

    Each has at most PAIRS_AT_ONCE pairs, or was as large before. Pairs are verified block by block, and a
    compressed file is then read again from its beginning for every block.
    """
    held, count = list[tuple[Index, Index]](), 0
    for block in blocks:
        if held and count + len(block[0]) > PAIRS_AT_ONCE:
            yield _joined_block(held)
            held, count = [], 0
        held.append(block)
        count += len(block[0])
    if held:
        yield _joined_block(held)


def _joined_block(blocks: list[tuple[Index, Index]]) -> tuple[Index, Index]:
    lefts, rights = zip(*blocks, strict=True)
    return np.concatenate(lefts), np.concatenate(rights)


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


_COMPARED_AT_ONCE = 1024
"""Pairs whose signatures are compared at once: 1 MiB at K = 128."""


def pairs_of_band(keys: Keys, rows: Index, most: int, random: np.random.Generator) -> tuple[Index, Index, Floats]:
    """All pairs that share a bucket of this band, or `most` of them, drawn at random, if there are more.

    They are two arrays of rows, and the number of pairs in a bucket that each pair stands for, float64: (P,) each. A
    pair that shares m buckets can be drawn in each of them.

    keys: (N,), ascending. rows: (N,), the row of the document that has each key.
    """
    begins, sizes = shared_runs(keys)
    ends = np.cumsum(sizes * (sizes - 1) // 2)
    every = int(ends[-1]) if len(ends) else 0
    if every <= most:
        left = ranges(begins, sizes)
        after = np.repeat(begins + sizes, sizes) - left - 1  # how many members of its bucket come after each one
        left, right = np.repeat(left, after), ranges(left + 1, after)
    else:
        # The first chooses the bucket, the others two of its members.
        chances = random.random((most, 3))
        bucket = np.searchsorted(ends, (chances[:, 0] * every).astype(np.int64), side="right")
        begin, size = begins[bucket], sizes[bucket]
        one = (chances[:, 1] * size).astype(np.int64)
        other = (one + 1 + (chances[:, 2] * (size - 1)).astype(np.int64)) % size
        left, right = begin + np.minimum(one, other), begin + np.maximum(one, other)
    owners = rows.astype(np.int64)
    return owners[left], owners[right], np.full(len(left), every / max(1, len(left)))


def agreeing_bands(signatures: Tokens, left: Index, right: Index, bands: Bands) -> Index:
    """In how many bands the signatures of each pair agree in all rows: int64 (P,). signatures: (N, K) uint32."""
    agree, width = np.empty(len(left), np.int64), bands.bands * bands.rows
    for at in range(0, len(left), _COMPARED_AT_ONCE):
        cut = slice(at, at + _COMPARED_AT_ONCE)
        same = signatures[left[cut], :width] == signatures[right[cut], :width]
        agree[cut] = same.reshape(-1, *bands).all(axis=2).sum(axis=1)
    return agree
