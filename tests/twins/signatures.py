"""Signatures of one document."""

from __future__ import annotations

import numpy as np

from tests.twins.shingles import hash32

EMPTY = 0xFFFFFFFF
GOLDEN = 0x9E3779B9


def fmix32(number: int) -> int:
    """MurmurHash3's finaliser: the hash of no bytes at all, whose seed it finalises."""
    return hash32(b"", number)


def fss(tokens: list[int], size: int, seed: int = 0) -> list[int]:
    """Fast Similarity Sketching, round by round."""
    if not tokens:
        return [EMPTY] * size
    kept: dict[int, int] = {}
    for turn in range(2 * size):
        reached: dict[int, int] = {}
        for token in tokens:
            value = fmix32((token + turn * GOLDEN) % 2**32) if turn else token
            place = value * size >> 32 if turn < size else turn - size
            reached[place] = min(value, reached.get(place, value))
        kept = reached | kept  # a bin that was reached before keeps what it has
        if len(kept) == size:
            break
    return [kept[place] for place in range(size)]


def functions(size: int, seed: int) -> list[tuple[int, int]]:
    """The factor (odd) and term of each of `size` hash functions."""
    draw = np.random.PCG64(seed)
    return [(draw.random_raw() | 1, draw.random_raw()) for _ in range(size)]


def permutation(tokens: list[int], size: int, seed: int = 0) -> list[int]:
    """The smallest value of each hash function over the tokens."""
    if not tokens:
        return [EMPTY] * size
    mixed = [fmix32(token) for token in tokens]
    return [min((a * x + b) % 2**64 >> 32 for x in mixed) for a, b in functions(size, seed)]


SCHEMES = {"fss": fss, "permutation": permutation}
