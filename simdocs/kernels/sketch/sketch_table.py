"""The sketches of documents as one table: which rows have each token, by token and then by row."""

from __future__ import annotations

import numpy as np

from simdocs.model.ragged import Index, Ragged, Tokens


def sketch_table(sketches: Ragged, rows: Index, old_tokens: Tokens, old_rows: Index) -> tuple[Tokens, Tokens]:
    """The tokens of sketches, ascending, and the row that has each; rows with the same token ascend: uint32 (S,).

    sketches: Ragged uint32. rows: the row of each of them. old_tokens, old_rows: (L,) further entries. If they ascend
    already, they are merged and not sorted again.
    """
    new = np.sort(_entries(sketches.values, np.repeat(rows, sketches.lengths)))
    # A stable sort of integers finds runs that ascend.
    entries = np.sort(np.concatenate((_entries(old_tokens, old_rows), new)), kind="stable")
    return (entries >> np.uint64(32)).astype(np.uint32), entries.astype(np.uint32)


def _entries(tokens: Tokens, rows: Index) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    return tokens.astype(np.uint64) << np.uint64(32) | rows.astype(np.uint64)
