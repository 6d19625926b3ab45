"""Sets and multisets of tokens equal those of the twin."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simdocs.kernels import jaccard, multisets, murmur
from tests import strategies as some
from tests.amounts import slow
from tests.twins import shingles as twin
from tests.twins.similarity import multiset_jaccard

few_tokens = st.lists(st.lists(st.integers(0, 3) | some.tokens, max_size=40), max_size=6)


@given(few_tokens)
def test_rows_are_sorted(rows):
    assert some.rows_of(multisets.sort_rows(some.ragged(rows, np.uint32))) == list(map(sorted, rows))


@given(few_tokens)
def test_sets_are_sorted_without_repeats(rows):
    made = multisets.token_sets(some.ragged(rows, np.uint32))
    assert some.rows_of(made) == list(map(twin.token_set, rows))
    assert made.values.dtype == np.uint32


@given(few_tokens, some.seeds)
def test_multisets_are_those_of_the_twin(rows, seed):
    made = multisets.token_multisets(some.ragged(rows, np.uint32), seed)
    assert some.rows_of(made) == [twin.multiset(row, seed) for row in rows]


@given(few_tokens, some.seeds, st.sampled_from([1, 4, 16]))
def test_sets_and_multisets_of_large_rows_are_right(rows, seed, most):
    made = some.ragged(rows, np.uint32)
    sizes = mock.patch.multiple(multisets, _SORT_BLOCK=most, _COUNT_BLOCK=most)
    with sizes, mock.patch.object(murmur, "CHUNK", 3):
        assert some.rows_of(multisets.sort_rows(made)) == list(map(sorted, rows))
        assert some.rows_of(multisets.token_sets(made)) == list(map(twin.token_set, rows))
        assert some.rows_of(multisets.token_multisets(made, seed)) == [twin.multiset(row, seed) for row in rows]


@given(few_tokens, some.seeds)
def test_a_multiset_has_as_many_tokens_as_occurrences(rows, seed):
    made = multisets.token_sets(multisets.token_multisets(some.ragged(rows, np.uint32), seed))
    assert made.lengths.tolist() == list(map(len, rows))


@given(few_tokens, some.seeds)
def test_multisets_compare_by_minimum_over_maximum_of_the_counts(rows, seed):
    made = multisets.token_sets(multisets.token_multisets(some.ragged(rows, np.uint32), seed))
    left, right = (side.ravel() for side in np.indices((len(rows), len(rows))))
    expected = [multiset_jaccard(rows[a], rows[b]) for a, b in zip(left.tolist(), right.tolist(), strict=True)]
    assert jaccard.exact(made, left, right).tolist() == expected


@given(few_tokens, st.randoms(use_true_random=False))
def test_a_set_does_not_depend_on_the_order_of_its_tokens(rows, random):
    shuffled = [random.sample(row, len(row)) for row in rows]
    assert some.rows_of(multisets.token_sets(some.ragged(shuffled, np.uint32))) == list(map(twin.token_set, rows))


@pytest.mark.parametrize("lengths", [*slow([400_000]), [1] * 3_000, [0, 131_072, 1, 0, 131_071, 2, 0]])
def test_rows_of_any_size_are_sorted(lengths):
    draw = np.random.default_rng(len(lengths))
    rows = [draw.integers(0, 60_000, length).tolist() for length in lengths]
    made = some.ragged(rows, np.uint32)
    assert some.rows_of(multisets.sort_rows(made)) == list(map(sorted, rows))
    assert some.rows_of(multisets.token_sets(made)) == list(map(twin.token_set, rows))
    assert some.rows_of(multisets.token_multisets(made, 4)) == [twin.multiset(row, 4) for row in rows]
