"""Totals over all pairs equal those of the twin, and intervals are never empty where little was looked at."""

from __future__ import annotations

from collections.abc import Callable
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simdocs.kernels.pair_totals import beta_probability, interval, total
from simdocs.model.tuning import PairSample, SampledRange
from tests import strategies as some
from tests.amounts import slow
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


# The interval of a proportion is that of Korn and Graubard, and contains the expected share often enough.

RUNS = 20


@pytest.mark.parametrize(("successes", "trials"), [(1, 1), (1, 5), (3, 10), (9, 10), (50, 60)])
@pytest.mark.parametrize("chance", [0.001, 0.2, 0.5, 0.7, 0.99])
def test_the_beta_distribution_is_a_sum_of_binomial_probabilities(successes, trials, chance):
    at_least = sum(
        comb(trials, many) * chance**many * (1 - chance) ** (trials - many) for many in range(successes, trials + 1)
    )
    assert beta_probability(chance, successes, trials - successes + 1) == pytest.approx(at_least, abs=1e-12)


def test_the_beta_distribution_ends_at_0_and_1():
    assert (beta_probability(0.0, 2, 3), beta_probability(1.0, 2, 3)) == (0.0, 1.0)


def test_runs_that_agree_count_as_one_case_each():
    assert interval(np.ones(RUNS), 1000) == (pytest.approx(0.025 ** (1 / RUNS)), 1.0)
    assert interval(np.zeros(RUNS), 1000) == (0.0, pytest.approx(1 - 0.025 ** (1 / RUNS)))


def test_more_cases_that_do_not_depend_on_each_other_give_a_narrower_interval():
    draw = np.random.default_rng(1)
    widths = [np.ptp(interval(draw.binomial(many, 0.9, RUNS) / many, many)) for many in (10, 100, 1000)]
    assert widths[0] > 2 * widths[1] > 4 * widths[2]
    of_families = np.ptp(interval(draw.binomial(1000, 0.9, RUNS) / 1000, 10))
    assert of_families > 3 * widths[2]


SIMULATIONS = [(0.5, 40, 8), (0.95, 200, 1), (0.99, 5, 30), (0.97, 1, 50), (0.9855, 3, 1)]


@pytest.mark.parametrize(("share", "families", "size"), SIMULATIONS)
@pytest.mark.parametrize("simulations", [100, *slow(1000)])
def test_the_interval_contains_the_expected_share_in_93_of_100_runs(share, families, size, simulations):
    """Families of pairs: some of their pairs are found together, and others by themselves."""
    draw = np.random.default_rng(families)
    covered = 0
    for _ in range(simulations):
        together = draw.random((RUNS, families, 1)) < 0.5
        found = np.where(together, draw.random((RUNS, families, 1)), draw.random((RUNS, families, size))) < share
        low, high = interval(found.mean(axis=(1, 2)), families)
        covered += low <= share <= high
    assert covered >= 0.93 * simulations
