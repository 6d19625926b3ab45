"""The set or multiset of each document's tokens, and tokens that are left out of all as boilerplate.

Tokens are worked on in blocks: those of many documents are sorted together. Those of one large document are sorted in
place and then handled in chunks, so a large document takes little more memory than its tokens.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from simdocs.kernels import murmur
from simdocs.kernels.native import accelerated
from simdocs.model.ragged import Array, Index, Keys, Mask, Ragged, Tokens, count_true_in_rows, row_blocks

_SORT_BLOCK = 1 << 17
"""Tokens that are sorted at once: they and their places take 1.5 MiB."""

_MATRIX = 1 << 14
"""Tokens in a matrix of rows that are sorted: it stays in a level-2 cache."""

_LENGTH_CLASSES = 1.25 ** np.arange(64)
"""The rows of a matrix are not longer than 1.25 times the shortest, so a fifth of it is filled up at most."""

_LARGEST = 0xFFFFFFFF
"""Fills up the rows of a matrix. It is sorted behind the tokens, or is equal to them."""

_COUNT_BLOCK = 1 << 16
"""Tokens that are counted at once: a key holds their position in 16 bits."""


def sort_rows(rows: Ragged) -> Ragged:
    """The same rows, each in ascending order, with repeats: Ragged uint32."""
    values = np.empty_like(rows.values)
    for first, end in row_blocks(rows.offsets, _SORT_BLOCK):
        _sort(rows, first, end, values[rows.offsets[first] : rows.offsets[end]])
    return Ragged(values, rows.offsets)


def _sort(rows: Ragged, first: int, end: int, out: Tokens) -> None:
    """Write the rows first to end - 1, each sorted, to `out`.

    Rows of similar length become a small matrix whose rows are sorted. Sorting 64-bit keys of row and token at once
    takes longer: three times as long where AVX-512 stores are slow (AMD Zen 4), and about the same elsewhere.
    """
    offsets = rows.offsets[first : end + 1] - rows.offsets[first]
    values = rows.values[rows.offsets[first] : rows.offsets[end]]
    if end == first + 1:
        out[:] = values
        out.sort()
        return
    lengths = offsets[1:] - offsets[:-1]
    order = lengths.argsort(kind="stable")
    starts, lengths = offsets[order, None], lengths[order, None]
    matrices = _LENGTH_CLASSES.searchsorted(lengths[:, 0]) << 32 | lengths.cumsum() // _MATRIX
    for low, high in pairwise((*np.flatnonzero(_differs(matrices)).tolist(), len(lengths))):
        places = np.arange(lengths[high - 1, 0])
        sources = starts[low:high] + places
        matrix = values.take(sources, mode="clip")
        filled = places < lengths[low:high]
        matrix[~filled] = _LARGEST
        matrix.sort(axis=1)
        out[sources[filled]] = matrix[filled]


@accelerated
def token_sets(tokens: Ragged) -> Ragged:
    """The distinct tokens of each of N documents, ascending: Ragged uint32, N rows.

    tokens: Ragged uint32, in any order, with or without repeats.
    """
    values = np.empty_like(tokens.values)
    counts = np.empty(len(tokens), np.int64)
    done = 0
    for first, end in row_blocks(tokens.offsets, _SORT_BLOCK):
        offsets = tokens.offsets[first : end + 1] - tokens.offsets[first]
        part = values[done : done + int(offsets[-1])]
        _sort(tokens, first, end, part)
        if end == first + 1:
            counts[first] = _keep_firsts(part)
        else:
            new = _differs(part)
            new[offsets[:-1][np.diff(offsets) > 0]] = True
            counts[first:end] = count_true_in_rows(new, offsets)
            part[: np.count_nonzero(new)] = part[new]
        done += int(counts[first:end].sum())
    values.resize(done, refcheck=False)
    return Ragged.from_lengths(values, counts)


def _differs(values: Array) -> Mask:
    """Which values (n,) differ from the value before them: bool (n,). The first one does."""
    new = np.empty(len(values), bool)
    new[:1] = True
    np.not_equal(values[1:], values[:-1], out=new[1:])
    return new


def _keep_firsts(values: Tokens) -> int:
    """Move the distinct values of a sorted array to its front, in place, in chunks. Returns how many there are."""
    done, last = 0, -1
    for at in range(0, len(values), murmur.CHUNK):
        chunk = values[at : at + murmur.CHUNK]
        new = _differs(chunk)
        new[0] = chunk[0] != last
        last = int(chunk[-1])
        kept = chunk[new]
        values[done : done + len(kept)] = kept
        done += len(kept)
    return done


def token_multisets(tokens: Ragged, seed: int) -> Ragged:
    """The tokens that make multisets comparable as sets: Ragged uint32, the same rows in the same order.

    The Jaccard similarity of two resulting sets is the multiset Jaccard: the sum of the minima of the counts over the
    sum of their maxima. The first occurrence of a token in a row stays as it is. The i-th (i >= 2) becomes the hash of
    the token and i, 4 bytes each, little-endian.
    """
    values = tokens.values.copy()
    for first, end in row_blocks(tokens.offsets, _COUNT_BLOCK):
        cut = slice(int(tokens.offsets[first]), int(tokens.offsets[end]))
        lengths = np.diff(tokens.offsets[first : end + 1])
        for keys, bits in _keys(tokens.values[cut], lengths):
            keys.sort()
            _count(keys, bits, values[cut], seed)
    return Ragged(values, tokens.offsets)


def _keys(values: Tokens, lengths: Index) -> Iterator[tuple[Keys, int]]:
    """Sort keys of tokens in rows of these lengths, and how many of their low bits hold the token's position.

    A key is the row, the token and its position, from high bits to low bits. In order of their keys, equal tokens of a
    row are neighbours, and their positions ascend. A single large row needs no row number, which leaves 32 bits for the
    position. Its keys come in eight parts, by the first three bits of the token: all keys together would take twice the
    memory of the tokens.
    """
    if len(lengths) > 1 or len(values) <= _COUNT_BLOCK:
        keys = np.repeat(np.arange(len(lengths), dtype=np.uint64) << np.uint64(48), lengths)
        keys |= values.astype(np.uint64) << np.uint64(16)
        keys |= np.arange(len(values), dtype=np.uint64)
        yield keys, 16
        return
    keys = np.empty(len(values), np.uint64)  # only what is written takes memory
    for high_bits in range(8):
        done = 0
        for at in range(0, len(values), murmur.CHUNK):
            chunk = values[at : at + murmur.CHUNK]
            positions = np.flatnonzero(chunk >> np.uint32(29) == high_bits)
            part = keys[done : done + len(positions)]
            np.left_shift(chunk[positions], np.uint64(32), out=part, dtype=np.uint64)
            part |= (positions + at).astype(np.uint64)
            done += len(positions)
        yield keys[:done], 32


def _count(keys: Keys, bits: int, values: Tokens, seed: int) -> None:
    """Replace the i-th (i >= 2) of equal tokens in `values` by the hash of the token and i.

    keys: ascending, as `_keys` makes them. Their low `bits` bits are positions in `values`.
    """
    begin, last = 0, None  # the run of equal tokens so far: where in keys it begins, and its token
    for at in range(0, len(keys), murmur.CHUNK):
        chunk = keys[at : at + murmur.CHUNK]
        row_and_token = chunk >> np.uint64(bits)
        new = _differs(row_and_token)
        new[0] = row_and_token[0] != last
        last = row_and_token[-1]
        places = np.arange(at, at + len(chunk))
        begins = np.maximum.accumulate(np.where(new, places, begin))
        begin = int(begins[-1])
        repeated = np.flatnonzero(~new)
        nth = places[repeated] - begins[repeated] + 1
        pairs = np.column_stack((row_and_token[repeated].astype(np.uint32), nth.astype(np.uint32)))
        hashes = murmur.hash_number_windows(pairs.ravel(), 2, seed)[::2]
        values[(chunk[repeated] & np.uint64((1 << bits) - 1)).astype(np.intp)] = hashes


_AT_ONCE = 1 << 18
"""Tokens that are looked up at once: their places take 2 MiB."""

_TABLE_BITS = 16
"""High bits of a token that select its cell in a table of 64 KiB, which tells most tokens that are not ignored."""


def digest_of(ignored: Tokens) -> str:
    """A digest of ignored tokens: the first half of the SHA-256 of their bytes, in hexadecimal; empty if none are."""
    return hashlib.sha256(np.ascontiguousarray(ignored).data).hexdigest()[:32] if len(ignored) else ""


def leave_out(rows: Ragged, ignored: Tokens) -> Ragged:
    """The same rows without the ignored tokens: Ragged uint32, in the same order.

    rows: Ragged uint32. ignored: (I,) uint32, ascending.
    """
    if not len(ignored) or not len(rows.values):
        return rows
    return rows.keep(~are_among(rows.values, ignored))


def are_among(tokens: Tokens, ignored: Tokens) -> Mask:
    """Which tokens (T,) are among the ignored ones (I,), which ascend: bool (T,)."""
    found = np.zeros(len(tokens), bool)
    if not len(ignored):
        return found
    shift = np.uint32(32 - _TABLE_BITS)
    table = np.zeros(1 << _TABLE_BITS, bool)
    table[ignored >> shift] = True
    for at in range(0, len(tokens), _AT_ONCE):
        part = tokens[at : at + _AT_ONCE]
        likely = np.flatnonzero(table[part >> shift])
        values = part[likely]
        places = np.minimum(np.searchsorted(ignored, values), len(ignored) - 1)
        found[at + likely] = ignored[places] == values
    return found


class Frequencies(NamedTuple):
    """Counts of tokens.

    tokens: uint32 (n,), ascending, without repeats.
    counts: int64 (n,), all above 0.
    missing: the largest number by which the frequency of a token may be above its count; 0 is the count of tokens that
        are not listed.
    """

    tokens: Tokens
    counts: Index
    missing: int = 0


NOTHING = Frequencies(np.empty(0, np.uint32), np.empty(0, np.int64))
"""No token was counted yet."""


def frequencies(tokens: Tokens) -> Frequencies:
    """How often each token occurs among the tokens (T,) uint32 of some documents, whose tokens are sets."""
    ordered = np.sort(tokens)
    begins = np.flatnonzero(_begins(ordered))
    return Frequencies(ordered[begins], np.diff(begins, append=len(ordered)))


def without_rarest(counted: Frequencies, most: int) -> Frequencies:
    """The counts of at most `most` tokens. From each, as much is subtracted as the largest count of those dropped."""
    size = len(counted.tokens)
    if size <= most:
        return counted
    less = int(np.partition(counted.counts, size - most - 1)[size - most - 1])
    left = counted.counts > less
    return Frequencies(counted.tokens[left], counted.counts[left] - less, counted.missing + less)


def merged(first: Frequencies, second: Frequencies) -> Frequencies:
    """The counts of both together."""
    tokens = np.concatenate((first.tokens, second.tokens))
    order = np.argsort(tokens, kind="stable")
    tokens, counts = tokens[order], np.concatenate((first.counts, second.counts))[order]
    begins = np.flatnonzero(_begins(tokens))
    if len(begins):  # or else reduceat would fail
        counts = np.add.reduceat(counts, begins)
    return Frequencies(tokens[begins], counts, first.missing + second.missing)


def _begins(ordered: Tokens) -> Mask:
    """Which of these ascending tokens differ from the one before."""
    begins = np.ones(len(ordered), bool)
    np.not_equal(ordered[1:], ordered[:-1], out=begins[1:])
    return begins
