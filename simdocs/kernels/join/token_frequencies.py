"""In how many sets each token occurs."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from simdocs.kernels.lsh.buckets import equal_runs
from simdocs.model.ragged import Array, Index, Tokens

_PART_BITS = 3
"""High bits of a token that select the part in which it is sorted. With eight parts, sorting takes 2 bytes for each
token, and not 16. Each further bit would halve that, and take as much time again to choose the tokens of the parts."""

_PLACE_BITS = np.uint64(32 + _PART_BITS)
"""Bits of a place among all tokens. The others are the rest of the token."""


def token_frequencies(tokens: Tokens) -> Array:
    """For each token, how often it occurs among them all: int32 (T,). If none repeats in a set, in how many sets.

    tokens: (T,) uint32, those of all sets, end to end.
    """
    found = np.empty(len(tokens), np.int32)
    for places, sizes in equal_tokens(tokens):
        found[places] = np.repeat(sizes, sizes)
    return found


def equal_tokens(tokens: Tokens) -> Iterator[tuple[Index, Index]]:
    """Yield the places of all tokens in blocks, so ordered that equal ones are runs; and the lengths of the runs.

    The places of equal tokens ascend. tokens: (T,) uint32.
    """
    part_of = (tokens >> np.uint32(32 - _PART_BITS)).astype(np.uint8)
    for part in range(1 << _PART_BITS):
        places = np.flatnonzero(part_of == part)
        # Sorting numbers of 8 bytes is several times as fast as an indirect sort of the tokens.
        keys = tokens[places].astype(np.uint64)
        keys <<= _PLACE_BITS  # this drops the bits of the part
        keys |= places.view(np.uint64)
        keys.sort()
        _, sizes = equal_runs(keys >> _PLACE_BITS)
        keys &= (np.uint64(1) << _PLACE_BITS) - np.uint64(1)
        yield keys.view(np.int64), sizes
