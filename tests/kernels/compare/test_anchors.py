"""Long sequences are matched at runs that each has once, and compared exactly between them."""

from __future__ import annotations

from itertools import chain
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simdocs.kernels.compare import subsequence
from simdocs.kernels.compare.subsequence import RUN, anchored_places, lcs_length
from tests import strategies as some

symbols = st.lists(st.integers(0, 1) | st.integers(0, 2**31), max_size=40)


def array(values: list[int]) -> np.ndarray:
    return some.frozen(np.array(values, np.int64))


@pytest.mark.parametrize("apart", [1, 256])
@given(symbols, symbols, st.lists(st.integers(0, 3), max_size=4))
def test_the_places_are_a_common_subsequence(apart, a, b, order):
    """Also where passages that both have stand in another order."""
    passages = [[*range(100 * number, 100 * number + RUN + 4)] for number in range(4)]
    a, b = [*a, *chain(*passages)], [*chain(*(passages[number] for number in order)), *b]
    with mock.patch.object(subsequence, "_APART", apart):
        left, right = anchored_places(array(a), array(b), 10**6)
    assert [a[place] for place in left] == [b[place] for place in right]
    assert all((np.diff(places) > 0).all() for places in (left, right))
    assert len(left) <= lcs_length(array(a), array(b))


@pytest.mark.parametrize("changed", [0.02, 0.1])
def test_scattered_changes_are_found_as_by_the_whole_table(changed):
    draw = np.random.default_rng(3)
    a = np.minimum(draw.zipf(1.3, 3000), 2000)
    b = np.where(draw.random(3000) < changed, draw.integers(1, 2000, 3000), a)[draw.random(3000) > changed / 3]
    left, right = anchored_places(a, b, 10**6)
    assert (a[left] == b[right]).all()
    assert len(left) == lcs_length(a, b)


def test_without_runs_in_common_there_is_no_result_beyond_the_bound():
    assert anchored_places(np.arange(100), np.arange(200, 300), 9_999) is None
    left, _ = anchored_places(np.arange(100), np.arange(200, 300), 10_000)
    assert len(left) == 0
    # A run that comes twice stands for no place.
    repeated = np.tile(np.arange(RUN), 3)
    assert anchored_places(repeated, repeated, len(repeated) ** 2 - 1) is None
    assert len(anchored_places(repeated, repeated, len(repeated) ** 2)[0]) == len(repeated)


def test_an_empty_sequence_has_nothing_in_common():
    nothing = np.empty(0, np.int64)
    for a, b in ((nothing, nothing), (nothing, np.arange(20)), (np.arange(20), nothing)):
        assert [len(side) for side in anchored_places(a, b, 0)] == [0, 0]
