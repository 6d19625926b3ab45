"""Bucket tables of documents of which most are in older tables: known keys are merged, and not sorted again."""

from __future__ import annotations

import numpy as np

from simdocs.model.ragged import Array, Index, Keys, Tokens


def merged_band(old_keys: Keys, old_rows: Tokens, new_row: Array, keys: Keys, rows: Index) -> tuple[Keys, Tokens]:
    """One band of bucket tables: uint64 and uint32 (M,).

    old_keys, old_rows: (L,) the band as it was, keys ascending. new_row: for each old row its row now, or -1 if it is
    no longer in the tables; those that are not -1 ascend. keys, rows: (n,) the keys and the rows, ascending, that are
    new in the tables. The result is that of `bucket_tables` for all of them: equal keys keep the order of their rows.
    """
    moved = new_row[old_rows]
    there = moved >= 0
    kept_keys, kept_rows = (old_keys, moved) if there.all() else (old_keys[there], moved[there])
    order = np.argsort(keys, kind="stable")
    keys, rows = keys[order], rows[order]
    places = np.searchsorted(kept_keys, keys)
    after = np.searchsorted(kept_keys, keys, side="right")
    for at in np.flatnonzero(places < after).tolist():
        places[at] += np.searchsorted(kept_rows[places[at] : after[at]], rows[at])
    return np.insert(kept_keys, places, keys), np.insert(kept_rows, places, rows).astype(np.uint32)
