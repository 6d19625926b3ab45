"""The set or multiset of each document's tokens, and tokens that are left out of all as boilerplate.

Tokens are worked on in blocks: those of many documents are sorted together. Those of one large document are sorted in
place and then handled in chunks, so a large document takes little more memory than its tokens.
"""

from __future__ import annotations

import hashlib
from typing import NamedTuple

import numpy as np

from simdocs.kernels import murmur
from simdocs.kernels.native import accelerated
from simdocs.model.ragged import NO_TOKENS, Array, Index, Mask, Ragged, Tokens, row_blocks

_SORT_BLOCK = 1 << 17
"""Tokens that are sorted at once: they and their places take 1.5 MiB."""

_COUNT_BLOCK = 1 << 16
"""Tokens that are counted at once: a key holds their position in 16 bits."""


def sort_rows(rows: Ragged) -> Ragged:
    """The same rows, each in ascending order, with repeats: Ragged uint32."""
    values = np.empty_like(rows.values)
    for first, end in row_blocks(rows.offsets, _SORT_BLOCK):
        cut = slice(rows.offsets[first], rows.offsets[end])
        keys = np.repeat(np.arange(end - first, dtype=np.uint64) << np.uint64(32), rows.lengths[first:end])
        keys |= rows.values[cut]
        keys.sort()
        values[cut] = keys.astype(np.uint32)
    return Ragged(values, rows.offsets)


@accelerated
def token_sets(tokens: Ragged, ignored: Tokens = NO_TOKENS) -> Ragged:
    """The distinct tokens of each of N documents, ascending, without the ignored ones: Ragged uint32, N rows.

    tokens: Ragged uint32, in any order, with or without repeats. ignored: (I,) uint32, ascending.
    """
    ordered = sort_rows(tokens)
    new = _differs(ordered.values)
    new[ordered.offsets[:-1][ordered.lengths > 0]] = True
    return leave_out(ordered.keep(new), ignored)


def _differs(values: Array) -> Mask:
    """Which values (n,) differ from the value before them: bool (n,). The first one does."""
    new = np.empty(len(values), bool)
    new[:1] = True
    np.not_equal(values[1:], values[:-1], out=new[1:])
    return new


def token_multisets(tokens: Ragged, seed: int) -> Ragged:
    """The tokens that make multisets comparable as sets: Ragged uint32, the same rows in the same order.

    The Jaccard similarity of two resulting sets is the multiset Jaccard: the sum of the minima of the counts over the
    sum of their maxima. The first occurrence of a token in a row stays as it is. The i-th (i >= 2) becomes the hash of
    the token and i, 4 bytes each, little-endian.
    """
    values = tokens.values.copy()
    for first, end in row_blocks(tokens.offsets, _COUNT_BLOCK):
        cut = slice(int(tokens.offsets[first]), int(tokens.offsets[end]))
        # In order of row, token and position, equal tokens of a row are neighbours, and their positions ascend.
        bits = np.uint64(32 if end == first + 1 else 16)
        keys = tokens.values[cut].astype(np.uint64) << bits | np.arange(cut.stop - cut.start, dtype=np.uint64)
        if end > first + 1:
            keys |= np.repeat(np.arange(end - first, dtype=np.uint64) << np.uint64(48), tokens.lengths[first:end])
        keys.sort()
        new = _differs(keys >> bits)
        begins = np.maximum.accumulate(np.where(new, np.arange(len(keys)), 0))
        repeated = np.flatnonzero(~new)
        nth = repeated - begins[repeated] + 1
        pairs = np.column_stack(((keys[repeated] >> bits).astype(np.uint32), nth.astype(np.uint32)))
        places = (keys[repeated] & ((np.uint64(1) << bits) - np.uint64(1))).astype(np.intp)
        values[cut][places] = murmur.hash_number_windows(pairs.ravel(), 2, seed)[::2]
    return Ragged(values, tokens.offsets)


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
    begins = np.flatnonzero(_differs(ordered))
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
    begins = np.flatnonzero(_differs(tokens))
    if len(begins):  # or else reduceat would fail
        counts = np.add.reduceat(counts, begins)
    return Frequencies(tokens[begins], counts, first.missing + second.missing)
