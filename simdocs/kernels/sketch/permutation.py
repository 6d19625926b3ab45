"""MinHash as the lectures teach it: K random hash functions, and of each the smallest value over the set.

Broder, Charikar, Frieze, Mitzenmacher, Min-wise independent permutations (1998); Leskovec, Rajaraman, Ullman, Mining
of Massive Datasets, section 3.3. The functions are ((a*x + b) mod 2^64) >> 32 of the mixed token, a odd, a strongly
universal family on 32-bit numbers: Dietzfelbinger, Universal hashing and k-wise independent random variables via
integer arithmetic without primes (STACS 1996), theorem 3. Mixing first makes runs of like tokens unlike.
"""

from __future__ import annotations

import numpy as np

from simdocs.kernels.sketch.fss import EMPTY
from simdocs.kernels.sketch.schemes import Scheme
from simdocs.kernels.tokens.murmur import CHUNK, fmix32
from simdocs.model.ragged import Index, Keys, Ragged, Tokens


def hash_functions(num_perm: int, seed: int) -> tuple[Keys, Keys]:
    """The factors a (odd) and terms b of `num_perm` hash functions: (num_perm,) uint64 each.

    Raw output of PCG64(seed), whose stream NumPy keeps for good: a_0, b_0, a_1, b_1, ..., so that the first functions
    are the same for every num_perm.
    """
    raw = np.random.PCG64(seed).random_raw(2 * num_perm).astype(np.uint64).reshape(num_perm, 2)
    return raw[:, 0] | np.uint64(1), raw[:, 1].copy()


def signatures(tokens: Ragged, num_perm: int, seed: int = 0) -> Tokens:
    """Signatures of N documents: (N, num_perm) uint32; a document without tokens has a row of EMPTY.

    tokens: Ragged uint32, in any order, repeats welcome. Two signatures agree in a place with probability equal to
    the Jaccard similarity of the sets, up to the family's distance from true permutations.
    """
    factors, terms = hash_functions(num_perm, seed)
    out = np.full((len(tokens), num_perm), EMPTY, np.uint32)
    offsets = tokens.offsets
    for at in range(0, len(tokens.values), CHUNK):
        end = min(at + CHUNK, len(tokens.values))
        first = int(np.searchsorted(offsets, at, side="right")) - 1
        last = int(np.searchsorted(offsets, end, side="left"))
        starts = np.clip(offsets[first:last], at, None) - at
        # reduceat gives an empty row its neighbour's first value: only rows with tokens take part.
        rows = first + np.flatnonzero(np.diff(np.append(starts, end - at)))
        starts = starts[rows - first]
        mixed = fmix32(tokens.values[at:end].copy()).astype(np.uint64)
        hashes = np.empty_like(mixed)
        for place in range(num_perm):
            np.multiply(mixed, factors[place], out=hashes)
            np.add(hashes, terms[place], out=hashes)
            smallest = np.minimum.reduceat(hashes, starts) >> np.uint64(32)
            out[rows, place] = np.minimum(out[rows, place], smallest.astype(np.uint32))
    return out


def partial_signatures(tokens: Ragged, num_perm: int, seed: int = 0) -> tuple[Tokens, Index]:
    """Signatures, and no row undone: small documents cost no more here."""
    return signatures(tokens, num_perm, seed), np.empty(0, np.int64)


PERMUTATION = Scheme(signatures, partial_signatures)
"""The member of the family of schemes."""
