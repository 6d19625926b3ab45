"""Sets and multisets of tokens equal those of the twin."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simdocs.kernels import multisets, murmur
from tests import strategies as some
from tests.amounts import slow
from tests.twins import shingles as twin

few_tokens = st.lists(st.lists(st.integers(0, 3) | some.tokens, max_size=40), max_size=6)


@given(few_tokens, some.seeds, st.sampled_from([1, 4, 16]))
def test_sets_and_multisets_of_large_rows_are_right(rows, seed, most):
    made = some.ragged(rows, np.uint32)
    sizes = mock.patch.multiple(multisets, _SORT_BLOCK=most, _COUNT_BLOCK=most)
    with sizes, mock.patch.object(murmur, "CHUNK", 3):
        assert some.rows_of(multisets.sort_rows(made)) == list(map(sorted, rows))
        assert some.rows_of(multisets.token_sets(made)) == list(map(twin.token_set, rows))
        assert some.rows_of(multisets.token_multisets(made, seed)) == [twin.multiset(row, seed) for row in rows]


@pytest.mark.parametrize("lengths", [*slow([400_000]), [1] * 3_000, [0, 131_072, 1, 0, 131_071, 2, 0]])
def test_rows_of_any_size_are_sorted(lengths):
    draw = np.random.default_rng(len(lengths))
    rows = [draw.integers(0, 60_000, length).tolist() for length in lengths]
    made = some.ragged(rows, np.uint32)
    assert some.rows_of(multisets.sort_rows(made)) == list(map(sorted, rows))
    assert some.rows_of(multisets.token_sets(made)) == list(map(twin.token_set, rows))
    assert some.rows_of(multisets.token_multisets(made, 4)) == [twin.multiset(row, 4) for row in rows]
