"""Classic MinHash: for each of K hash functions, the smallest value over the set; and its steps, row by row.

Broder, Charikar, Frieze, Mitzenmacher, Min-wise independent permutations (1998); Leskovec, Rajaraman, Ullman, Mining
of Massive Datasets, section 3.3. The random functions are ((a*x + b) mod 2^64) >> 32 of the mixed token, a odd, a
strongly universal family on 32-bit numbers: Dietzfelbinger, Universal hashing and k-wise independent random variables
via integer arithmetic without primes (STACS 1996), theorem 3. Mixing first spreads out tokens that are close together.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from simdocs.errors import InputError
from simdocs.kernels.fss import EMPTY
from simdocs.kernels.murmur import CHUNK, fmix32
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
    for rows, starts, some in _chunks(tokens):
        mixed = fmix32(some.copy()).astype(np.uint64)
        hashes = np.empty_like(mixed)
        for position in range(num_perm):
            np.multiply(mixed, factors[position], out=hashes)
            np.add(hashes, terms[position], out=hashes)
            smallest = np.minimum.reduceat(hashes, starts) >> np.uint64(32)
            out[rows, position] = np.minimum(out[rows, position], smallest.astype(np.uint32))
    return out


def _chunks(tokens: Ragged) -> Iterator[tuple[Index, Index, Tokens]]:
    """Yield the tokens chunk by chunk, each with the rows that have some of them, and where these begin in it."""
    offsets = tokens.offsets
    for at in range(0, len(tokens.values), CHUNK):
        end = min(at + CHUNK, len(tokens.values))
        first = int(np.searchsorted(offsets, at, side="right")) - 1
        last = int(np.searchsorted(offsets, end, side="left"))
        starts = np.clip(offsets[first:last], at, None) - at
        # reduceat would give an empty row the first value of the next row, so only rows with tokens take part.
        rows = first + np.flatnonzero(np.diff(np.append(starts, end - at)))
        yield rows, starts[rows - first], tokens.values[at:end]


def table_signatures(tokens: Ragged, known: Tokens, values: Tokens) -> Tokens:
    """The signatures of N documents with hash functions that are a table: uint32 (N, K).

    tokens: as for `signatures`. known: uint32 (U,), all tokens, ascending. values: uint32 (U, K), below EMPTY, the
    value of each function for each of them. A document without tokens has a row of EMPTY. InputError: a token is not
    known.
    """
    out = np.full((len(tokens), values.shape[1]), EMPTY, np.uint32)
    for rows, starts, some in _chunks(tokens):
        at = np.searchsorted(known, some)
        if (at == len(known)).any() or (known[at] != some).any():
            raise InputError(
                f"a document has a shingle that is not one of the {len(known):,} for which the hash functions are"
                " defined: sign all documents together"
            )
        out[rows] = np.minimum(out[rows], np.minimum.reduceat(values[at], starts))
    return out


def slots(hashes: Tokens, members: Mask) -> Array:
    """The signatures of N documents after each of R rows: uint32 (R, N, K). EMPTY: the document had no row so far.

    hashes: of each row, uint32 (R, K). members: which document has which row, bool (R, N). The last signatures are
    those of the family above [Leskovec, Rajaraman, Ullman, Mining of Massive Datasets, 3.3.5].
    """
    written = np.where(members[:, :, None], hashes[:, None, :], np.uint32(EMPTY))
    return np.minimum.accumulate(written, axis=0)
