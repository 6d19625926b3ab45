"""Candidate buckets that miss no similar pair: similar sets share one of their rarest tokens.

This is prefix filtering: Chaudhuri, Ganti, Kaushik, A primitive operator for similarity joins (ICDE 2006), section
4.3.1. Sort the tokens of every set in one common order. If the Jaccard similarity of x and y is at least t, they share
at least ceil(t|x|) tokens, so the first |x| - ceil(t|x|) + 1 tokens of x and the corresponding prefix of y have one in
common. Any order is correct. With rare tokens first, few sets share a prefix token without being similar (Bayardo, Ma,
Srikant, Scaling up all pairs similarity search, WWW 2007, section 4.2).
"""

from __future__ import annotations

import numpy as np

from simdocs.kernels.lsh.buckets import shared_runs
from simdocs.model.ragged import Array, Ragged, Tokens, ranges, row_blocks

_COUNTER_BITS = 24
"""High bits of a token that select its counter. The counters take at most 64 MiB. Tokens that share a counter seem more
frequent than they are, which adds candidates and loses no pair."""

_COUNT_BLOCK = 1 << 22
"""Tokens that are counted at once: each takes 12 bytes meanwhile."""

_SORT_BLOCK = 1 << 20
"""Tokens that are sorted at once."""

_ROUNDING = 1e-9
"""How far rounding may lift the product of a threshold and a length above the whole number that it should be."""


def token_frequencies(tokens: Tokens) -> Array:
    """How often the tokens of each counter occur: (2^24,) int32, or int64 if there are 2^31 tokens or more.

    A token's counter is selected by its first 24 bits. tokens: (T,) uint32.
    """
    found = np.zeros(1 << _COUNTER_BITS, np.int32 if len(tokens) < 1 << 31 else np.int64)
    for at in range(0, len(tokens), _COUNT_BLOCK):
        counters = tokens[at : at + _COUNT_BLOCK] >> np.uint32(32 - _COUNTER_BITS)
        # np.bincount would add all counters for each block, and touch 192 MiB even for a few tokens.
        np.add.at(found, counters.astype(np.intp), found.dtype.type(1))
    return found


def prefix_tokens(sets: Ragged, threshold: float, frequency: Array) -> Ragged:
    """The rarest tokens of each of N sets, so many that two similar sets share at least one: Ragged uint32, N rows.

    Two sets are similar if their Jaccard similarity is at least `threshold`. sets: Ragged uint32, each row without
    repeats. frequency: `token_frequencies` of all the sets that are compared with each other.
    """
    lengths = sets.lengths
    wanted = lengths - np.ceil(threshold * lengths - _ROUNDING).astype(np.int64) + 1
    wanted = np.minimum(wanted, lengths)
    found = [np.empty(0, np.uint32)]
    for at, end in row_blocks(sets.offsets, _SORT_BLOCK):
        values = sets.values[sets.offsets[at] : sets.offsets[end]]
        row = np.repeat(np.arange(end - at), lengths[at:end])
        order = np.lexsort((values, frequency[values >> np.uint32(32 - _COUNTER_BITS)], row))
        found.append(values[order[ranges(sets.offsets[at:end] - sets.offsets[at], wanted[at:end])]])
    return Ragged.from_lengths(np.concatenate(found), wanted)


def rows_sharing_values(rows: Ragged) -> Ragged:
    """The buckets of rows that contain the same value, for each value in two or more rows: Ragged int64.

    The members of a bucket are row numbers, ascending.
    """
    owner = np.repeat(np.arange(len(rows)), rows.lengths)
    order = np.argsort(rows.values, kind="stable")
    begins, sizes = shared_runs(rows.values[order])
    return Ragged.from_lengths(owner[order[ranges(begins, sizes)]], sizes)
