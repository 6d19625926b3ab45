"""compare --trace: how MinHash computes the signatures of texts, row by row."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from simdocs.errors import UsageError, mention
from simdocs.kernels.sketch.permutation import signatures
from simdocs.kernels.sketch.slots_by_row import hash_values, slots
from simdocs.model.comparison import SimilarityMatrix
from simdocs.model.ragged import Ragged
from simdocs.model.slot_trace import SlotTrace
from simdocs.pipeline.shingling import spelled_shingles
from simdocs.recipes import Shingling

_MOST = 10**6
"""Numbers in a trace, one for each row, document and hash function: nobody reads more."""


def slot_trace(
    texts: Sequence[bytes], sets: Ragged, shingling: Shingling, num_perm: int, matrix: SimilarityMatrix
) -> SlotTrace:
    """The trace of texts, given as UTF-8. sets: the tokens of each that count.

    UsageError: it would have more than a million numbers.
    """
    compared = np.unique(sets.values)
    values = len(compared) * (len(sets) + 1) * num_perm
    if values > _MOST:
        raise UsageError(
            f"{mention('trace')} would print {values:,} values, and at most {_MOST:,} are printed: {len(compared):,}"
            f" shingles of {len(sets):,} texts, and {num_perm:,} hash functions: use shorter texts, or a smaller"
            f" {mention('num_perm')}"
        )
    spelled = dict[int, str]()
    for text in texts:
        for shingle, token in spelled_shingles(text, shingling):
            spelled.setdefault(token, shingle)
    tokens = np.fromiter(spelled, np.uint32, len(spelled))
    tokens = tokens[np.isin(tokens, compared)]
    members = np.column_stack([np.isin(tokens, sets[row]) for row in range(len(sets))])
    hashes = hash_values(tokens, num_perm, shingling.seed)
    return SlotTrace(
        tuple(spelled[token] for token in tokens.tolist()),
        tokens,
        members,
        hashes,
        slots(hashes, members),
        signatures(sets, num_perm, shingling.seed),
        matrix,
    )
