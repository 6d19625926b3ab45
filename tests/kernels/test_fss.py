"""Signatures of Fast Similarity Sketching equal those of the rounds in its definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from simdocs.kernels import fss
from tests import strategies as some
from tests.twins import signatures as twin

LAST = 2**32 - 1


@given(some.token_rows, some.sizes, some.seeds)
@example([[LAST]], 1, 0)
@example([[LAST], [LAST - 1, LAST], [0]], 2, 0)
def test_fss_signatures_are_those_of_the_twin(rows, num_perm, seed):
    made = fss.signatures(some.ragged(rows, np.uint32), num_perm, seed)
    assert made.tolist() == [twin.fss(row, num_perm, seed) for row in rows]
    assert made.shape == (len(rows), num_perm)
    assert made.dtype == np.uint32


def test_fss_finishes_large_rows_of_few_tokens():
    few = np.random.default_rng(3).integers(0, 2**32, 40, np.uint32).tolist()
    rows = [few, few * 1000, [5], [LAST] * 70_000, []]
    expected = [twin.fss(row, 64) for row in (few, few, [5], [LAST], [])]
    assert fss.signatures(some.ragged(rows, np.uint32), 64).tolist() == expected


@given(some.token_rows, some.sizes)
def test_later_rounds_of_fss_leave_their_input_as_it_was(rows, num_perm):
    filled_rows = [row for row in rows if row]
    made = some.ragged(filled_rows, np.uint32)
    first, filled = fss.first_round(made, num_perm)
    before = first.copy(), filled.copy()
    assert fss.later_rounds(made, first, filled).tolist() == [twin.fss(row, num_perm) for row in filled_rows]
    assert np.array_equal(first, before[0])
    assert np.array_equal(filled, before[1])


@given(some.token_rows, some.sizes, st.randoms(use_true_random=False))
def test_fss_signatures_do_not_depend_on_order_and_repeats(rows, num_perm, random):
    again = [random.sample(row + row, 2 * len(row)) for row in rows]
    made = fss.signatures(some.ragged(again, np.uint32), num_perm)
    assert np.array_equal(made, fss.signatures(some.ragged(rows, np.uint32), num_perm))


@given(st.lists(some.tokens, min_size=1, max_size=40), some.sizes)
def test_fss_round_0_keeps_the_first_token_of_each_bin(tokens, num_perm):
    made = fss.signatures(some.ragged([tokens], np.uint32), num_perm)[0].tolist()
    ordered = sorted(tokens)
    for place in range(num_perm):
        in_range = [token for token in ordered if token * num_perm >> 32 == place]
        if in_range:
            assert made[place] == in_range[0]


def test_fss_gives_an_empty_document_a_row_of_all_ones():
    assert fss.signatures(some.ragged([[], [5], []], np.uint32), 4)[[0, 2]].tolist() == [[LAST] * 4] * 2


@pytest.mark.parametrize("num_perm", [1, 7, 64])
def test_fss_signatures_of_large_batches_are_right(num_perm):
    draw = np.random.default_rng(num_perm)
    lengths = [70_000, 0, 3, 40_000, *draw.integers(0, 60, 700).tolist(), 0, 33_000]
    rows = [draw.integers(0, 2**32, length, np.uint32).tolist() for length in lengths]
    made = fss.signatures(some.ragged(rows, np.uint32), num_perm)
    assert made.tolist() == [twin.fss(row, num_perm) for row in rows]
