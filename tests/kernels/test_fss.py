"""Signatures of Fast Similarity Sketching equal those of the rounds in its definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given

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
    rows = [few, sorted(few * 1000), [5], [LAST] * 70_000, []]
    expected = [twin.fss(row, 64) for row in (few, few, [5], [LAST], [])]
    assert fss.signatures(some.ragged(rows, np.uint32), 64).tolist() == expected


@pytest.mark.parametrize("num_perm", [1, 7, 64])
def test_fss_signatures_of_large_batches_are_right(num_perm):
    draw = np.random.default_rng(num_perm)
    lengths = [70_000, 0, 3, 40_000, *draw.integers(0, 60, 700).tolist(), 0, 33_000]
    rows = [draw.integers(0, 2**32, length, np.uint32).tolist() for length in lengths]
    made = fss.signatures(some.ragged(rows, np.uint32), num_perm)
    assert made.tolist() == [twin.fss(row, num_perm) for row in rows]
