"""The longest common subsequence is that of the table which its twin fills cell by cell."""

from __future__ import annotations

from itertools import chain
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simdocs.kernels import subsequence
from tests import strategies as some
from tests.twins import subsequence as twin

symbols = st.lists(st.integers(0, 2) | st.just(2**31), max_size=20)


def array(values: list[int]) -> np.ndarray:
    return some.frozen(np.array(values, np.int64))


@given(symbols, symbols)
def test_the_length_is_that_of_the_twin(a, b):
    assert subsequence.lcs_length(array(a), array(b)) == twin.lcs_length(a, b)


@pytest.mark.parametrize(("stored", "masks"), [(1 << 28, 1 << 29), (1, 0), (30, 20)])
@given(symbols, symbols)
def test_the_places_are_a_common_subsequence_of_that_length(stored, masks, a, b):
    """Also if the table is divided down to single rows, and no mask is kept."""
    with mock.patch.multiple(subsequence, _STORED_CELLS=stored, _MASK_BITS=masks):
        left, right = subsequence.lcs_places(array(a), array(b))
    assert len(left) == len(right) == twin.lcs_length(a, b)
    assert [a[place] for place in left] == [b[place] for place in right]
    assert all((np.diff(places) > 0).all() for places in (left, right))


def test_long_sequences_are_compared_in_parts_as_they_are_as_a_whole():
    draw = np.random.default_rng(5)
    a, b = (draw.integers(0, 30, size) for size in (3000, 2000))
    whole = len(subsequence.lcs_places(a, b)[0])
    with mock.patch.object(subsequence, "_STORED_CELLS", 10**5):
        assert len(subsequence.lcs_places(a, b)[0]) == whole == subsequence.lcs_length(b, a)


# Long sequences are matched at runs that each has once, and compared exactly between them.

few_symbols = st.lists(st.integers(0, 1) | st.integers(0, 2**31), max_size=40)


@pytest.mark.parametrize("apart", [1, 256])
@given(few_symbols, few_symbols, st.lists(st.integers(0, 3), max_size=4))
def test_the_places_are_a_common_subsequence(apart, a, b, order):
    """Also where passages that both have stand in another order."""
    passages = [[*range(100 * number, 100 * number + subsequence.RUN + 4)] for number in range(4)]
    a, b = [*a, *chain(*passages)], [*chain(*(passages[number] for number in order)), *b]
    with mock.patch.object(subsequence, "_APART", apart):
        left, right = subsequence.anchored_places(array(a), array(b), 10**6)
    assert [a[place] for place in left] == [b[place] for place in right]
    assert all((np.diff(places) > 0).all() for places in (left, right))
    assert len(left) <= subsequence.lcs_length(array(a), array(b))


@pytest.mark.parametrize("at_once", [3, 1 << 16])
def test_of_passages_in_another_order_most_are_matched(at_once):
    passages = np.arange(60).reshape(5, 12)
    for order, longest in (([1, 2, 0, 3], 36), ([3, 0, 1, 4, 2], 36), ([4, 3, 2, 1, 0], 12)):
        a, b = passages.ravel(), passages[order].ravel()
        with mock.patch.multiple(subsequence, _APART=1, _AT_ONCE=at_once):
            left, right = subsequence.anchored_places(a, b, 10**6)
        assert a[left].tolist() == b[right].tolist()
        assert len(left) == longest
        assert all((np.diff(places) > 0).all() for places in (left, right))


def test_without_runs_in_common_there_is_no_result_beyond_the_bound():
    assert subsequence.anchored_places(np.arange(100), np.arange(200, 300), 9_999) is None
    left, _ = subsequence.anchored_places(np.arange(100), np.arange(200, 300), 10_000)
    assert len(left) == 0
    # A run that comes twice stands for no place.
    repeated = np.tile(np.arange(subsequence.RUN), 3)
    assert subsequence.anchored_places(repeated, repeated, len(repeated) ** 2 - 1) is None
    assert len(subsequence.anchored_places(repeated, repeated, len(repeated) ** 2)[0]) == len(repeated)
