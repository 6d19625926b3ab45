"""Every similar pair, without chance: sets that are similar share one of their rarest tokens.

Put the tokens of every set in one order, the same for all. If the Jaccard similarity of x and y is at least t, they
share at least ceil(t|x|) tokens, so one of the first |x| - ceil(t|x|) + 1 of x is among the like first ones of y:
prefix filtering, Chaudhuri, Ganti, Kaushik, A primitive operator for similarity joins (ICDE 2006), section 4.3.1. Any
order will do; with the rare tokens first, few sets share one without being similar (Bayardo, Ma, Srikant, Scaling up
all pairs similarity search, WWW 2007, section 4.2).
"""

from __future__ import annotations

import numpy as np

from simdocs.kernels.lsh.buckets import shared_runs
from simdocs.model.ragged import Array, Ragged, Tokens, ranges, row_blocks

_COUNTERS = 24
"""Bits of a token by which it is counted: 64 MiB of counters, and thrice as much for a while. Tokens that share one are
taken for more frequent than they are, which costs candidates and no pair."""

_COUNTED = 1 << 22
"""Tokens counted at once: 12 bytes each meanwhile."""

_AT_ONCE = 1 << 20
"""Tokens put in order at once."""

_ROUNDING = 1e-9
"""By so much a product of a threshold and a length may come out above the whole number that it is."""


def token_frequencies(tokens: Tokens) -> Array:
    """How often each counter's tokens occur: (2^24,) int32, or int64 from 2^31 tokens on."""
    found = np.zeros(1 << _COUNTERS, np.int32 if len(tokens) < 1 << 31 else np.int64)
    for at in range(0, len(tokens), _COUNTED):
        counters = tokens[at : at + _COUNTED] >> np.uint32(32 - _COUNTERS)
        np.add(found, np.bincount(counters, minlength=1 << _COUNTERS), out=found, casting="unsafe")
    return found


def prefix_tokens(sets: Ragged, threshold: float, frequency: Array) -> Ragged:
    """The tokens of each set of which two sets at the threshold or above share one: Ragged uint32.

    sets: Ragged uint32, each row without repeats. frequency: `counts` of all sets that are to be compared.
    """
    lengths = sets.lengths
    wanted = lengths - np.ceil(threshold * lengths - _ROUNDING).astype(np.int64) + 1
    wanted = np.minimum(wanted, lengths)
    found = [np.empty(0, np.uint32)]
    for at, end in row_blocks(sets.offsets, _AT_ONCE):
        values = sets.values[sets.offsets[at] : sets.offsets[end]]
        row = np.repeat(np.arange(end - at), lengths[at:end])
        order = np.lexsort((values, frequency[values >> np.uint32(32 - _COUNTERS)], row))
        found.append(values[order[ranges(sets.offsets[at:end] - sets.offsets[at], wanted[at:end])]])
    return Ragged.from_lengths(np.concatenate(found), wanted)


def rows_sharing_values(rows: Ragged) -> Ragged:
    """The buckets of rows that hold a value in common, two or more: Ragged int64, members ascending."""
    owner = np.repeat(np.arange(len(rows)), rows.lengths)
    order = np.argsort(rows.values, kind="stable")
    begins, sizes = shared_runs(rows.values[order])
    return Ragged.from_lengths(owner[order[ranges(begins, sizes)]], sizes)
