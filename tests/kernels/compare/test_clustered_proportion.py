"""The interval of a proportion is that of Korn and Graubard, and contains the expected share often enough."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest

from simdocs.kernels.compare.pair_totals import beta_probability, interval
from tests.amounts import slow

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
