"""The exact join: candidates that certainly contain every pair at the threshold."""

from __future__ import annotations

import numpy as np

from simdocs.kernels.lsh.rare_prefixes import prefix_tokens, rows_sharing_values, token_frequencies
from simdocs.matching.token_sets import token_sets
from simdocs.matching.verify import Verifier
from simdocs.model.numbering import Rows
from simdocs.model.ragged import Ragged


def rare_token_buckets(verifier: Verifier, firsts: Rows) -> Ragged:
    """Buckets of the documents `firsts`, numbered 0, 1, ..., that share a rare token: Ragged int64.

    Every pair at the threshold shares a bucket. All tokens of these documents are held in memory, 4 bytes each, and
    twice while they are brought together.
    """
    sets = Ragged.concat([some for _, some in token_sets(verifier, firsts)], np.uint32)
    return rows_sharing_values(prefix_tokens(sets, verifier.threshold, token_frequencies(sets.values)))
