"""MinHash as courses present it: a matrix of slots that is updated row by row."""

from __future__ import annotations

import numpy as np

from simdocs.kernels.sketch import permutation
from simdocs.kernels.sketch.fss import EMPTY
from simdocs.model.ragged import Array, Mask, Ragged, Tokens


def hash_values(tokens: Tokens, num_perm: int, seed: int) -> Tokens:
    """The values of the hash functions of `permutation` for each token: uint32 (R, num_perm).

    They are the signature of a document that has this token alone.
    """
    alone = Ragged(tokens, np.arange(len(tokens) + 1))
    return permutation.signatures(alone, num_perm, seed)


def slots(hashes: Tokens, members: Mask) -> Array:
    """The signatures of N documents after each of R rows: uint32 (R, N, K). EMPTY: the document had no row so far.

    hashes: of each row, uint32 (R, K). members: which document has which row, bool (R, N). The last signatures are
    those of `permutation` [Leskovec, Rajaraman, Ullman, Mining of Massive Datasets, 3.3.5].
    """
    written = np.where(members[:, :, None], hashes[:, None, :], np.uint32(EMPTY))
    return np.minimum.accumulate(written, axis=0)
