"""Fast Similarity Sketching: a signature of K numbers from one look at each token.

Dahlgaard, Knudsen, Thorup, Fast Similarity Sketching (FOCS 2017), section 2. Round i gives every token a fresh hash.
In rounds 0 to K-1 a token falls in one of K bins by its hash; in rounds K to 2K-1 all tokens fall in bin i-K. A bin
keeps the smallest hash of the first round that reached it, and the rounds end when every bin is full. The agreement
rate of two signatures is an unbiased estimate of the Jaccard similarity of the sets (theorem 1).
"""

from __future__ import annotations

import numpy as np

from simdocs.kernels.sketch.schemes import Scheme
from simdocs.kernels.tokens.multisets import token_sets
from simdocs.kernels.tokens.murmur import CHUNK, fmix32
from simdocs.model.ragged import Index, Mask, Ragged, Tokens

EMPTY = 0xFFFFFFFF
"""What an empty document's row holds throughout."""

_GOLDEN = 0x9E3779B9
"""Step between the rounds' token offsets: 2^32 over the golden ratio, odd."""


def signatures(tokens: Ragged, num_perm: int, seed: int = 0) -> Tokens:
    """Signatures of N documents: (N, num_perm) uint32; a document without tokens has a row of EMPTY.

    tokens: Ragged uint32, in any order, repeats welcome. The seed is that of the tokens, which round 0 uses as they
    are; the argument is there for the family's sake.
    """
    out, filled, rows = _begin(tokens, num_perm)
    if len(rows):
        out[rows] = later_rounds(tokens.take(rows), out[rows], filled[rows])
    return out


def partial_signatures(tokens: Ragged, num_perm: int, seed: int = 0) -> tuple[Tokens, Index]:
    """Signatures after round 0, and the numbers of the rows that need later ones: small documents all."""
    out, _, rows = _begin(tokens, num_perm)
    return out, rows


def _begin(tokens: Ragged, num_perm: int) -> tuple[Tokens, Mask, Index]:
    """Signatures after round 0, which bins are full, and the rows that need later rounds. Large documents need none.

    A large document that leaves a bin empty says the same few things again and again: its rounds are done here, on
    its distinct tokens.
    """
    out, filled = first_round(tokens, num_perm)
    rows = np.flatnonzero(~filled.all(axis=1) & (tokens.lengths > 0))
    large = tokens.lengths[rows] > CHUNK
    for row in rows[large].tolist():  # fewer than there are chunks of tokens
        distinct = token_sets(Ragged.from_lengths(tokens[row], np.array([len(tokens[row])])))
        out[row] = later_rounds(distinct, out[row : row + 1], filled[row : row + 1])[0]
    return out, filled, rows[~large]


def first_round(tokens: Ragged, num_perm: int) -> tuple[Tokens, Mask]:
    """Signatures after round 0, and which bins are full: (N, num_perm) uint32 and bool.

    The hash of round 0 is the token itself.
    """
    out = np.full((len(tokens), num_perm), EMPTY, np.uint32)
    filled = np.zeros(out.shape, bool)
    for at in range(0, len(tokens.values), CHUNK):
        values = tokens.values[at : at + CHUNK]
        bins = _row_bases(tokens.offsets, at, len(values), num_perm)
        bins += _bins(values, num_perm)
        np.minimum.at(out.ravel(), bins, values)
        _mark_greatest(filled, bins, values)
    filled |= out != EMPTY
    return out, filled


def _row_bases(offsets: Index, at: int, count: int, num_perm: int) -> Index:
    """Where the row of each of count tokens from `at` begins in the flat signatures."""
    first = int(np.searchsorted(offsets, at, side="right")) - 1
    last = int(np.searchsorted(offsets, at + count, side="left"))
    cuts = np.clip(offsets[first : last + 1], at, at + count)
    lengths = cuts[1:] - cuts[:-1]
    return np.repeat(np.arange(first * num_perm, last * num_perm, num_perm), lengths)


def _bins(hashes: Tokens, num_perm: int) -> Index:
    scaled = hashes.astype(np.uint64)
    scaled *= np.uint64(num_perm)
    scaled >>= np.uint64(32)
    return scaled.view(np.int64)


def _mark_greatest(filled: Mask, bins: Index, hashes: Tokens) -> None:
    """A hash equal to EMPTY fills its bin and leaves no trace in the minimum."""
    if hashes.max(initial=0) == EMPTY:
        filled.ravel()[bins[hashes == EMPTY]] = True


def later_rounds(tokens: Ragged, rows: Tokens, filled: Mask) -> Tokens:
    """Signatures (N, num_perm) uint32 from what round 0 left: rows and filled (N, num_perm). No document may be empty.

    A round costs a few NumPy calls whatever the number of documents: give many at a time.
    """
    out, full = rows.copy(), filled.copy()
    per = max(1, CHUNK // (int(tokens.lengths.max(initial=1)) + out.shape[1]))
    for at in range(0, len(tokens), per):
        cut = np.arange(at, min(at + per, len(tokens)))
        part = tokens.take(cut)
        block, done = out[cut], full[cut]
        _fill(part, block, done)
        out[cut] = block
    return out


def _fill(tokens: Ragged, out: Tokens, filled: Mask) -> None:
    num_perm = out.shape[1]
    live = np.arange(len(tokens))  # rows of out that may still have an empty bin
    look = 2
    for turn in range(1, 2 * num_perm):
        # A round more than needed changes nothing, and looking costs as much as a round: look ever more seldom.
        if turn == look:
            look += max(1, turn // 4)
            missing = ~filled[live].all(axis=1)
            if not missing.any():
                return
            tokens, live = tokens.take(np.flatnonzero(missing)), live[missing]
        hashes = fmix32(tokens.values + np.uint32(turn * _GOLDEN & 0xFFFFFFFF))
        if turn < num_perm:
            bins = np.repeat(live * num_perm, tokens.lengths)
            bins += _bins(hashes, num_perm)
            reach = ~filled.ravel()[bins]
            bins, hashes = bins[reach], hashes[reach]
            np.minimum.at(out.ravel(), bins, hashes)
            filled.ravel()[bins] = True
        else:
            smallest = np.minimum.reduceat(hashes, tokens.offsets[:-1])
            wanting = ~filled[live, turn - num_perm]
            out[live[wanting], turn - num_perm] = smallest[wanting]
            filled[live, turn - num_perm] = True


FSS = Scheme(signatures, partial_signatures)
"""The member of the family of schemes."""
