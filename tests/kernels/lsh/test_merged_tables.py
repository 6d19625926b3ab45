"""Bucket tables that are merged from older ones are those that are made anew."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from simdocs.kernels.lsh.buckets import bucket_tables, merged_band

keys = st.integers(0, 3).map(lambda key: key * (1 << 62))


@given(st.data())
def test_merged_tables_are_those_of_all_keys(data):
    """Each old document stays, in the order of the rows, or goes. New ones come in between."""
    old = data.draw(st.lists(keys, max_size=12))
    stays = [data.draw(st.booleans()) for _ in old]
    size = sum(stays) + data.draw(st.integers(0, 8))
    kept = sorted(data.draw(st.permutations(range(size)))[: sum(stays)])
    new_row = np.full(len(old), -1)
    new_row[np.flatnonzero(stays)] = kept
    key_of = np.array([data.draw(keys) for _ in range(size)], np.uint64)
    key_of[kept] = np.array(old, np.uint64)[np.flatnonzero(stays)]
    new = np.setdiff1d(np.arange(size), kept)
    (old_keys,), (old_rows,) = bucket_tables(np.array([old], np.uint64).reshape(1, -1), np.arange(len(old)))
    merged = merged_band(old_keys, old_rows, new_row, key_of[new], new)
    (wanted_keys,), (wanted_rows,) = bucket_tables(key_of[np.newaxis], np.arange(size))
    assert merged[0].tolist() == wanted_keys.tolist()
    assert merged[1].tolist() == wanted_rows.tolist()
    assert merged[1].dtype == np.uint32
