"""Fast Similarity Sketching: signatures of K numbers in time O(n + K log K) for n tokens.

Dahlgaard, Knudsen, Thorup, Fast Similarity Sketching (FOCS 2017), section 2. Round i gives every token a fresh hash.
In rounds 0 to K-1, the hash of a token selects one of K bins. In rounds K to 2K-1, all tokens fall into bin i-K. A bin
keeps the smallest hash of the first round that reached it. The rounds end when every bin is full. The agreement rate of
two signatures is an unbiased estimate of the Jaccard similarity of the sets (theorem 1).
"""

from __future__ import annotations

import numpy as np

from simdocs.kernels.multisets import token_sets
from simdocs.kernels.murmur import CHUNK, fmix32
from simdocs.kernels.native import accelerated
from simdocs.model.ragged import Index, Mask, Ragged, Tokens

EMPTY = 0xFFFFFFFF
"""Every value in the signature of an empty document."""

_GOLDEN = 0x9E3779B9
"""The number that each round adds to the tokens of the round before: 2^32 over the golden ratio, made odd."""


@accelerated
def signatures(tokens: Ragged, num_perm: int, seed: int = 0) -> Tokens:
    """The signatures of N documents: uint32 (N, num_perm). A document without tokens has a row of EMPTY.

    tokens: Ragged uint32, in any order, with or without repeats. seed: not used, because round 0 takes the tokens as
    hashes, which depend on their seed already; every scheme has this parameter.
    """
    out = np.full((len(tokens), num_perm), EMPTY, np.uint32)
    filled = np.zeros(out.shape, bool)
    # The hash of round 0 is the token itself.
    bins = np.repeat(np.arange(0, out.size, num_perm), tokens.lengths) + _bins(tokens.values, num_perm)
    np.minimum.at(out.ravel(), bins, tokens.values)
    filled.ravel()[bins] = True
    rows = np.flatnonzero(~filled.all(axis=1) & (tokens.lengths > 0))
    # A round takes a few NumPy calls for any number of documents, so it pays to pass many at once.
    per = max(1, CHUNK // (int(tokens.lengths[rows].max(initial=1)) + num_perm))
    for at in range(0, len(rows), per):
        some = rows[at : at + per]
        block = out[some]
        # A document that leaves a bin empty may repeat a few tokens many times.
        _fill(token_sets(tokens.take(some)), block, filled[some])
        out[some] = block
    return out


def _bins(hashes: Tokens, num_perm: int) -> Index:
    """The bin that each hash selects: (hash * num_perm) >> 32."""
    scaled = hashes.astype(np.uint64)
    scaled *= np.uint64(num_perm)
    scaled >>= np.uint64(32)
    return scaled.view(np.int64)


def _fill(tokens: Ragged, out: Tokens, filled: Mask) -> None:
    """Run rounds 1, 2, ... on `out` and `filled`, in place, until every bin is full. No document is empty."""
    num_perm = out.shape[1]
    live = np.arange(len(tokens))  # rows of out that may still have an empty bin
    next_check = 2
    for turn in range(1, 2 * num_perm):
        # A surplus round changes nothing, and a check costs as much as a round, so the checks become less frequent.
        if turn == next_check:
            next_check += max(1, turn // 4)
            missing = ~filled[live].all(axis=1)
            if not missing.any():
                return
            tokens, live = tokens.take(np.flatnonzero(missing)), live[missing]
        hashes = fmix32(tokens.values + np.uint32(turn * _GOLDEN & 0xFFFFFFFF))
        if turn < num_perm:
            bins = np.repeat(live * num_perm, tokens.lengths)
            bins += _bins(hashes, num_perm)
            empty = ~filled.ravel()[bins]
            bins, hashes = bins[empty], hashes[empty]
            np.minimum.at(out.ravel(), bins, hashes)
            filled.ravel()[bins] = True
        else:
            smallest = np.minimum.reduceat(hashes, tokens.offsets[:-1])
            empty = ~filled[live, turn - num_perm]
            out[live[empty], turn - num_perm] = smallest[empty]
            filled[live, turn - num_perm] = True
