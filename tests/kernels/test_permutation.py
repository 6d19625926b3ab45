"""Signatures of K random hash functions hold the minimum of each function."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from simdocs.errors import InputError
from simdocs.kernels import permutation
from tests import strategies as some
from tests.twins import signatures as twin


@given(some.token_rows, some.sizes, some.seeds)
@example([[], [], [1], []], 3, 0)
def test_permutation_signatures_are_those_of_the_twin(rows, num_perm, seed):
    made = permutation.signatures(some.ragged(rows, np.uint32), num_perm, seed)
    assert made.tolist() == [twin.permutation(row, num_perm, seed) for row in rows]
    assert made.shape == (len(rows), num_perm)
    assert made.dtype == np.uint32


@given(some.token_rows, st.data())
@example([[], [5, 3], []], None)
def test_signatures_of_a_table_are_the_smallest_values_of_each_row(rows, data):
    known = sorted({token for row in rows for token in row} | {7})
    places = 2 if data is None else data.draw(st.integers(1, 3))
    values = [
        [(at * 3 + 1) % 5] * places
        if data is None
        else data.draw(st.lists(st.integers(0, 2**32 - 2), min_size=places, max_size=places))
        for at in range(len(known))
    ]
    table = dict(zip(known, values, strict=True))
    made = permutation.table_signatures(
        some.ragged(rows, np.uint32), np.array(known, np.uint32), np.array(values, np.uint32)
    )
    expected = [[min((table[token][at] for token in row), default=2**32 - 1) for at in range(places)] for row in rows]
    assert made.tolist() == expected


def test_a_token_that_is_not_in_the_table_is_refused():
    values = np.zeros((2, 1), np.uint32)
    for token in (0, 5, 9):
        with pytest.raises(InputError, match="is not one of the 2 for which the hash functions"):
            permutation.table_signatures(some.ragged([[], [3, token]], np.uint32), np.array([3, 7], np.uint32), values)


def test_a_table_goes_through_many_tokens_in_chunks(monkeypatch):
    monkeypatch.setattr(permutation, "CHUNK", 3)
    known, values = np.arange(10, dtype=np.uint32), np.arange(10, 20, dtype=np.uint32)[:, None]
    made = permutation.table_signatures(some.ragged([[5, 8, 7, 6, 9], [], [4, 3], [2]], np.uint32), known, values)
    assert made.tolist() == [[15], [2**32 - 1], [13], [12]]
