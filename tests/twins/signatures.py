"""The twin of the signature schemes, for a single document."""

from __future__ import annotations

import math

import numpy as np

from tests.twins.shingles import hash32

EMPTY = 0xFFFFFFFF
GOLDEN = 0x9E3779B9


def fmix32(number: int) -> int:
    """Return MurmurHash3's finaliser of a number, which is the hash of an empty string with that number as seed."""
    return hash32(b"", number)


def fss(tokens: list[int], num_perm: int, seed: int = 0) -> list[int]:
    """Return the signature of Fast Similarity Sketching, computed round by round."""
    if not tokens:
        return [EMPTY] * num_perm
    kept: dict[int, int] = {}
    for turn in range(2 * num_perm):
        reached: dict[int, int] = {}
        for token in tokens:
            value = fmix32((token + turn * GOLDEN) % 2**32) if turn else token
            place = value * num_perm >> 32 if turn < num_perm else turn - num_perm
            reached[place] = min(value, reached.get(place, value))
        kept = reached | kept  # a bin that was reached before keeps what it has
        if len(kept) == num_perm:
            break
    return [kept[place] for place in range(num_perm)]


def hash_functions(num_perm: int, seed: int) -> list[tuple[int, int]]:
    """Return the factor (odd) and the term of each of `num_perm` hash functions."""
    draw = np.random.PCG64(seed)
    return [(draw.random_raw() | 1, draw.random_raw()) for _ in range(num_perm)]


def permutation(tokens: list[int], num_perm: int, seed: int = 0) -> list[int]:
    """Return the smallest value of each hash function over the tokens."""
    if not tokens:
        return [EMPTY] * num_perm
    mixed = [fmix32(token) for token in tokens]
    return [min((a * x + b) % 2**64 >> 32 for x in mixed) for a, b in hash_functions(num_perm, seed)]


SCHEMES = {"fss": fss, "permutation": permutation}


def below(agreements: int, num_perm: int, similarity: float) -> float:
    """Return the probability that two signatures agree at fewer positions, each by itself with the similarity."""
    ways = (math.comb(num_perm, count) for count in range(agreements))
    return sum(each * similarity**count * (1 - similarity) ** (num_perm - count) for count, each in enumerate(ways))
