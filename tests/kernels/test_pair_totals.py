"""Totals over all pairs equal those of the twin, and intervals are never empty where little was looked at."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simdocs.kernels.pair_totals import total
from simdocs.model.tuning import PairSample, SampledRange
from tests import strategies as some
from tests.twins import pair_totals as twin

CUT = 0.4

NONE = {"random": np.empty(0), "left": np.empty(0, np.int64), "right": np.empty(0, np.int64)}
"""No random pairs, and no texts of pairs."""


@st.composite
def samples(draw):
    """Draw a sample of two ranges."""
    parts, columns, end = [], [], 0
    for least, below in ((0.0, CUT), (CUT, np.inf)):
        inside = st.floats(least, min(below, 1.0), exclude_max=below < 1)
        pair = st.tuples(inside, st.floats(1, 50), st.floats(0.99, 1))
        rows = draw(st.lists(pair, max_size=8))
        draws = len(rows) + draw(st.integers(0, 9))
        begin, end = end, end + len(rows)
        not_drawn = draw(st.sampled_from([0, 0.5, 1]))
        parts.append(SampledRange(least, below, begin, end, draws, not_drawn=not_drawn, largest_weight=50.0))
        columns += rows
    every = some.frozen(np.array(columns).reshape(-1, 3))
    return PairSample(*every.T, tuple(parts), 100_000, **NONE)


def ones(similarity: np.ndarray) -> np.ndarray:
    return np.ones(len(similarity))


@given(samples(), st.integers(1, 4))
def test_totals_and_intervals_are_those_of_the_twin(sample, power):
    made = total(sample, lambda similarity: similarity**power)
    # The largest value in a range is looked for at some similarities only.
    assert made == pytest.approx(twin.total(sample, lambda similarity: similarity**power), rel=0.02)


def one_range(draws: int, not_drawn: float, similarity: list[float], each: float) -> PairSample:
    part = SampledRange(0.0, np.inf, 0, len(similarity), draws, not_drawn=not_drawn, largest_weight=each)
    count = len(similarity)
    return PairSample(np.array(similarity), np.full(count, each), np.ones(count), (part,), 10**9, **NONE)


def above(least: float) -> Callable[[np.ndarray], np.ndarray]:
    return lambda similarity: (similarity >= least).astype(float)


def test_a_total_over_pairs_that_were_all_compared_is_exact():
    sample = one_range(4, 0.0, [0.1, 0.2, 0.8, 0.9], 1.0)
    assert total(sample, above(0.5)) == (2, 2, 2)


def test_pairs_that_were_not_met_among_n_may_still_be_3_84_in_n():
    sample = one_range(1000, 1.0, [0.1] * 1000, 1000.0)
    value, low, high = total(sample, above(0.5))
    assert (value, low) == (0, 0)
    assert high == pytest.approx(3840, abs=2)


def test_a_proportion_has_its_textbook_interval():
    """100 of 400 draws: the standard error is sqrt(0.25 x 0.75 / 400) of all pairs."""
    sample = one_range(400, 1.0, [0.1] * 300 + [0.9] * 100, 25.0)
    value, low, high = total(sample, above(0.5))
    error = 10_000 * (0.25 * 0.75 / 400) ** 0.5
    assert value == 2500
    assert value - low == pytest.approx(1.96 * error, rel=0.002)
    assert high - value == pytest.approx(1.96 * error, rel=0.13)


def test_a_total_is_not_more_than_all_pairs():
    part = SampledRange(0.0, np.inf, 0, 1, 1, not_drawn=1.0, largest_weight=6.0)
    sample = PairSample(np.array([0.9]), np.array([6.0]), np.ones(1), (part,), 6, **NONE)
    assert total(sample, ones).high == 6
