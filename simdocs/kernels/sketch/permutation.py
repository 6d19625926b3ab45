"""Classic MinHash: for each of K random hash functions, the smallest value over the set; and its steps, row by row.

Broder, Charikar, Frieze, Mitzenmacher, Min-wise independent permutations (1998); Leskovec, Rajaraman, Ullman, Mining
of Massive Datasets, section 3.3. The functions are ((a*x + b) mod 2^64) >> 32 of the mixed token, a odd, a strongly
universal family on 32-bit numbers: Dietzfelbinger, Universal hashing and k-wise independent random variables via
integer arithmetic without primes (STACS 1996), theorem 3. Mixing first spreads out tokens that are close together.
"""

from __future__ import annotations

import numpy as np

from simdocs.kernels.sketch.fss import EMPTY
from simdocs.kernels.sketch.schemes import Scheme
from simdocs.kernels.tokens.murmur import CHUNK, fmix32
from simdocs.model.ragged import Array, Index, Keys, Mask, Ragged, Tokens


def hash_functions(num_perm: int, seed: int) -> tuple[Keys, Keys]:
    """The factors a (odd) and terms b of `num_perm` hash functions: two arrays of uint64 (num_perm,).

    They are the raw output of PCG64(seed), a stream that NumPy never changes, in the order a_0, b_0, a_1, b_1, ... So
    the first functions are the same for every num_perm.
    """
    raw = np.random.PCG64(seed).random_raw(2 * num_perm).astype(np.uint64).reshape(num_perm, 2)
    return raw[:, 0] | np.uint64(1), raw[:, 1].copy()


def signatures(tokens: Ragged, num_perm: int, seed: int = 0) -> Tokens:
    """The signatures of N documents: uint32 (N, num_perm). A document without tokens has a row of EMPTY.

    tokens: Ragged uint32, in any order, with or without repeats. Two signatures agree at a position with a probability
    equal to the Jaccard similarity of the sets, except that these functions are not truly random permutations.
    """
    factors, terms = hash_functions(num_perm, seed)
    out = np.full((len(tokens), num_perm), EMPTY, np.uint32)
    offsets = tokens.offsets
    for at in range(0, len(tokens.values), CHUNK):
        end = min(at + CHUNK, len(tokens.values))
        first = int(np.searchsorted(offsets, at, side="right")) - 1
        last = int(np.searchsorted(offsets, end, side="left"))
        starts = np.clip(offsets[first:last], at, None) - at
        # reduceat would give an empty row the first value of the next row, so only rows with tokens take part.
        rows = first + np.flatnonzero(np.diff(np.append(starts, end - at)))
        starts = starts[rows - first]
        mixed = fmix32(tokens.values[at:end].copy()).astype(np.uint64)
        hashes = np.empty_like(mixed)
        for position in range(num_perm):
            np.multiply(mixed, factors[position], out=hashes)
            np.add(hashes, terms[position], out=hashes)
            smallest = np.minimum.reduceat(hashes, starts) >> np.uint64(32)
            out[rows, position] = np.minimum(out[rows, position], smallest.astype(np.uint32))
    return out


def partial_signatures(tokens: Ragged, num_perm: int, seed: int = 0) -> tuple[Tokens, Index]:
    """Signatures, and no unfinished rows: uint32 (N, num_perm) and int64 (0,).

    In this scheme, documents cost the same one by one or many at once.
    """
    return signatures(tokens, num_perm, seed), np.empty(0, np.int64)


PERMUTATION = Scheme(signatures, partial_signatures)
"""The entry of this scheme in the table of schemes."""


def hash_values(tokens: Tokens, num_perm: int, seed: int) -> Tokens:
    """The values of the hash functions for each token: uint32 (R, num_perm).

    They are the signature of a document that has this token alone.
    """
    alone = Ragged(tokens, np.arange(len(tokens) + 1))
    return signatures(alone, num_perm, seed)


def slots(hashes: Tokens, members: Mask) -> Array:
    """The signatures of N documents after each of R rows: uint32 (R, N, K). EMPTY: the document had no row so far.

    hashes: of each row, uint32 (R, K). members: which document has which row, bool (R, N). The last signatures are
    those of the family above [Leskovec, Rajaraman, Ullman, Mining of Massive Datasets, 3.3.5].
    """
    written = np.where(members[:, :, None], hashes[:, None, :], np.uint32(EMPTY))
    return np.minimum.accumulate(written, axis=0)
