"""The runs that two sequences have in common are those that their twin finds by comparing all places."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simdocs.kernels import common_runs as module
from simdocs.kernels.common_runs import Edges, common_runs
from tests import strategies as some
from tests.amounts import examples
from tests.twins import common_runs as twin

symbols = st.lists(st.integers(0, 1), max_size=24) | st.lists(st.integers(0, 6) | st.just(2**31), max_size=24)
leasts = st.integers(1, 6)


@st.composite
def kin(draw: st.DrawFn) -> tuple[list[int], list[int]]:
    """Draw two sequences of which the second is made of stretches of the first, with others between them."""
    a = draw(symbols)
    cuts = st.lists(st.tuples(st.integers(0, 24), st.integers(0, 24), symbols), max_size=4)
    return a, [each for begin, end, more in draw(cuts) for each in (*a[begin:end], *more[:3])]


def anywhere(a: list[int] | np.ndarray, least: int) -> Edges:
    return Edges.of(*np.ones((2, len(a)), bool), least)


def runs(a: list[int], b: list[int], least: int) -> tuple[np.ndarray, ...]:
    return common_runs(*(some.frozen(np.array(each, np.int64)) for each in (a, b)), least, anywhere(a, least))


def assert_like_the_twin(a: list[int], b: list[int], least: int) -> None:
    found = list(zip(*(each.tolist() for each in runs(a, b, least)), strict=True))
    assert [(begin, length) for begin, _, length in found] == twin.common_runs(a, b, least)
    assert all(a[i : i + length] == b[j : j + length] for i, j, length in found)


@examples(300)
@given(st.tuples(symbols, symbols) | kin(), leasts, st.data())
def test_runs_that_begin_and_end_only_at_some_symbols_are_those_of_the_twin(both, least, data):
    a, b = both
    opens, closes = (data.draw(st.lists(st.booleans(), min_size=len(a), max_size=len(a))) for _ in range(2))
    edges = Edges.of(np.array(opens, bool), np.array(closes, bool), least)
    found = common_runs(np.array(a, np.int64), np.array(b, np.int64), least, edges)
    expected = twin.common_runs(a, b, least, opens, closes)
    assert list(zip(found[0].tolist(), found[2].tolist(), strict=True)) == expected
    assert all(a[i : i + n] == b[j : j + n] for i, j, n in zip(*(each.tolist() for each in found), strict=True))


@pytest.mark.parametrize("keys", [1, 2, 7])
@examples(30)
@given(both=kin(), least=leasts)
def test_hashes_that_are_equal_by_accident_change_nothing(keys, both, least):
    hashed = module.window_keys
    with mock.patch.object(module, "window_keys", lambda *each: hashed(*each) % np.uint64(keys)):
        assert_like_the_twin(*both, least)


def test_a_symbol_that_is_repeated_gives_few_runs_and_is_not_compared_with_itself_everywhere():
    """All 10^10 pairs of places are equal."""
    a, b = np.full(200_000, 7), np.full(50_000, 7)
    found = common_runs(a, b, 10, anywhere(a, 10))
    assert found[2].tolist() == [50_000] * 4
    assert found[0].tolist() == [0, 50_000, 100_000, 150_000]
    assert found[1].tolist() == [0] * 4


def test_a_line_that_is_repeated_between_others_is_found_everywhere():
    """10^4 times 10^4 places have the line, and nothing else is in both."""
    line = np.arange(20)
    a = np.column_stack((np.tile(line, (10_000, 1)), 100 + np.arange(10_000))).ravel()
    b = np.column_stack((np.tile(line, (10_000, 1)), 20_000 + np.arange(10_000))).ravel()
    found = common_runs(a, b, 10, anywhere(a, 10))
    assert found[2].tolist() == [20] * 10_000
    assert found[0].tolist() == list(range(0, 210_000, 21))
    assert (found[1] % 21 == 0).all()


def test_short_runs_that_overlap_everywhere_are_chosen_in_time():
    """Nearly every place of random bits begins a run that is the longest from there."""
    a, b = np.random.default_rng(2).integers(0, 2, (2, 20_000))
    found = common_runs(a, b, 8, anywhere(a, 8))
    taken = np.concatenate([np.arange(begin, begin + size) for begin, _, size in zip(*found, strict=True)])
    assert len(np.unique(taken)) == len(taken)
    # All runs of 8 bits are in b, so none of them is left of a.
    assert np.diff(np.sort(np.concatenate(([-1], taken, [20_000])))).max() <= 8
    assert (np.diff(found[2]) <= 0).all()
