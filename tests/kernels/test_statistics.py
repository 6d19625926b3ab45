"""The laws of the estimates, measured on random pairs of random sets: every seed is fixed, so every figure is.

The agreement rate of two signatures has the Jaccard similarity of the sets as its mean (Broder 1997, theorem 1;
Dahlgaard, Knudsen, Thorup 2017, theorem 1), and bands of it make candidates on the S-curve.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product
from math import sqrt

import numpy as np
import pytest

from simdocs.kernels import banding, buckets, jaccard
from tests import strategies as some
from tests.amounts import slow

PLACES = 128
SEEDS = 10
"""The number of seeds, of the hash functions and of the tokens, over which each case is spread."""

SMALL = [(1, 1), (1, 0), (2, 1), (3, 1), (5, 4), (10, 1), (20, 10), (20, 16), (100, 95), (200, 100), (200, 160)]
LARGE = [(1_000, 200), (1_000, 800), (4_000, 3_200), (10_000, 5_000)]
MORE = [(10, 4), (20, 8), (50, 20), (1_000, 400)]
LARGEST = [(30_000, 24_000), (100_000, 50_000), (100_000, 90_000)]
"""The numbers of tokens in the union of a pair and in both documents."""


UNIONS = [5, 10, 20, 50, 100, 200]


def pairs(union: int, shared: int, count: int) -> Iterator[tuple[some.Ragged, some.Ragged, int]]:
    """Return this number of pairs of random token sets, as two batches for each seed."""
    for seed in range(SEEDS):
        tokens = np.random.default_rng([union, shared, seed]).integers(0, 2**32, (count // SEEDS, union), np.uint32)
        cut = shared + (union - shared) // 2
        right = np.concatenate((tokens[:, :shared], tokens[:, cut:]), axis=1)
        yield rows_of(tokens[:, :cut]), rows_of(right), seed


def rows_of(tokens: np.ndarray) -> some.Ragged:
    count, length = tokens.shape
    return some.Ragged.from_lengths(tokens.ravel(), np.full(count, length))


def estimates(scheme: str, union: int, shared: int, count: int) -> np.ndarray:
    """Return the estimated similarity of each pair."""
    signatures = partial(some.signatures, scheme=scheme)
    parts = []
    for left, right, seed in pairs(union, shared, count):
        both = np.concatenate((signatures(left, PLACES, seed), signatures(right, PLACES, seed)))
        rows = np.arange(len(left))
        parts.append(jaccard.estimates(both, rows, rows + len(left)))
    return np.concatenate(parts)


def candidate_rate(scheme: str, union: int, shared: int, bands: int, rows: int, count: int) -> float:
    """Return the share of the pairs that share a bucket."""
    signatures = partial(some.signatures, scheme=scheme)
    met = 0
    for left, right, seed in pairs(union, shared, count):
        order = np.arange(len(left))
        keys = [buckets.band_keys(signatures(side, PLACES, seed), order, bands, rows) for side in (left, right)]
        met += np.count_nonzero((keys[0] == keys[1]).any(axis=0))
    return met / count


def rmse(estimated: np.ndarray, similarity: float) -> float:
    return float(np.sqrt(np.mean((estimated - similarity) ** 2)))


def standard_error(similarity: float) -> float:
    """Return the standard error of the mean of K independent agreements."""
    return sqrt(similarity * (1 - similarity) / PLACES)


def assert_unbiased(scheme: str, union: int, shared: int, count: int) -> None:
    similarity = shared / union
    estimated = estimates(scheme, union, shared, count)
    assert len(estimated) == count
    error = float(estimated.std()) / sqrt(count)
    assert abs(estimated.mean() - similarity) <= 4 * error
    assert rmse(estimated, similarity) <= 1.1 * standard_error(similarity)


@pytest.mark.parametrize(
    ("scheme", "union", "shared"),
    [
        *((s, *case) for s, case in product(some.members("scheme"), SMALL[::2])),
        *slow(*((s, *case) for s, case in product(some.members("scheme"), SMALL[1::2]))),
    ],
)
def test_agreement_is_the_similarity_of_small_sets(scheme, union, shared):
    assert_unbiased(scheme, union, shared, 1_000)


@pytest.mark.parametrize(
    ("scheme", "union", "shared"),
    [
        *((s, *LARGE[1]) for s in some.members("scheme")),
        *slow(*((s, *case) for s, case in product(some.members("scheme"), LARGE) if case != LARGE[1])),
    ],
)
def test_agreement_is_the_similarity_of_large_sets(scheme, union, shared):
    assert_unbiased(scheme, union, shared, 500)


@pytest.mark.parametrize("scheme", ["fss", *slow(*(scheme for scheme in some.members("scheme") if scheme != "fss"))])
def test_agreement_is_the_similarity_of_100000_tokens(scheme):
    assert_unbiased(scheme, 100_000, 80_000, 50)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("scheme", "union", "shared"), [(s, *case) for s, case in product(some.members("scheme"), LARGEST)]
)
def test_agreement_is_the_similarity_of_the_largest_sets(scheme, union, shared):
    assert_unbiased(scheme, union, shared, 500)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("scheme", "union", "shared"), [(s, *case) for s, case in product(some.members("scheme"), SMALL + LARGE)]
)
def test_agreement_is_the_similarity_of_many_more_pairs(scheme, union, shared):
    assert_unbiased(scheme, union, shared, 100_000 if union <= 200 else 10_000)


@some.each("scheme")
@pytest.mark.parametrize("size", [1, 50, 5_000])
def test_the_same_set_always_agrees_and_sets_apart_never_do(scheme, size):
    assert (estimates(scheme, size, size, 50) == 1).all()
    assert (estimates(scheme, 2 * size, 0, 50) == 0).all()


@pytest.mark.parametrize("union", [*UNIONS[::2], *slow(*UNIONS[1::2])])
def test_fss_errs_less_than_independent_functions_on_small_sets(union):
    estimated = estimates("fss", union, union * 4 // 5, 2_000)
    assert 0.022 <= rmse(estimated, 0.8) <= 0.030 < standard_error(0.8)


@pytest.mark.parametrize("union", [4_000, *slow(8_000)])
def test_fss_errs_as_much_as_independent_functions_on_large_sets(union):
    estimated = estimates("fss", union, union * 4 // 5, 4_000)
    assert rmse(estimated, 0.8) == pytest.approx(standard_error(0.8), rel=0.05)


@pytest.mark.parametrize(("bands", "rows"), [(18, 7), (20, 5)])
@pytest.mark.parametrize("tenths", [3, 5, 7, 8, *slow(4, 6, 9)])
def test_candidates_of_permutation_lie_on_the_s_curve(tenths, bands, rows):
    count = 5_000
    expected = banding.candidate_probability(tenths / 10, bands, rows)
    found = candidate_rate("permutation", 50, 5 * tenths, bands, rows, count)
    assert abs(found - expected) <= 4 * sqrt(expected * (1 - expected) / count)


@pytest.mark.parametrize(("union", "count"), [(20, 10_000), *slow(*product(UNIONS, [20_000]))])
def test_candidates_of_fss_at_the_threshold_lie_above_the_s_curve(union, count):
    expected = banding.candidate_probability(0.8, 18, 7)
    assert expected == pytest.approx(0.9855, abs=5e-5)
    found = candidate_rate("fss", union, union * 4 // 5, 18, 7, count)
    assert 0.990 <= found <= 0.994
    assert found - expected >= 4 * sqrt(expected * (1 - expected) / count)


@pytest.mark.parametrize(("union", "shared"), [(20, 17), (100, 95), (1_000, 900), *slow((20, 18), (100, 85))])
def test_candidates_of_fss_above_the_threshold_lie_on_the_s_curve_or_above(union, shared):
    count = 5_000
    expected = banding.candidate_probability(shared / union, 18, 7)
    found = candidate_rate("fss", union, shared, 18, 7, count)
    assert found >= expected - 4 * sqrt(expected * (1 - expected) / count)


STATED = [(0.8, 8, 16), (0.5, 42, 3), (0.8, 16, 8), (0.9, 4, 32), (0.7, 8, 16), (0.95, 4, 32)]
"""Similarities, bands and rows, from low to high on the curve."""


@pytest.mark.parametrize(
    ("scheme", "case", "union"),
    [
        ("fss", STATED[0], 20),
        ("fss", STATED[2], 20),
        *slow(*product(some.members("scheme"), STATED, [10, 20, 30, 50, 100, 300])),
    ],
)
def test_the_stated_probability_holds_everywhere_on_the_curve(scheme, case, union):
    (similarity, bands, rows), count = case, 5_000
    shared = round(similarity * union)
    expected = banding.least_probability(shared / union, bands, rows)
    found = candidate_rate(scheme, union, shared, bands, rows, count)
    assert found >= expected - 4 * sqrt(expected * (1 - expected) / count)


def test_a_small_stated_probability_is_below_the_curve_as_fss_is():
    assert banding.candidate_probability(0.8, 8, 16) == pytest.approx(0.2042, abs=5e-5)
    assert banding.least_probability(0.8, 8, 16) == pytest.approx(0.1795, abs=5e-5)


WELL_UNDER = [(5, 2), (20, 6), (100, 50), *slow(*MORE)]


@pytest.mark.parametrize(("union", "shared"), WELL_UNDER)
def test_candidates_of_fss_well_under_the_threshold_lie_on_the_s_curve_or_below(union, shared):
    count = 5_000
    expected = banding.candidate_probability(shared / union, 18, 7)
    found = candidate_rate("fss", union, shared, 18, 7, count)
    assert found <= expected + 4 * sqrt(expected * (1 - expected) / count)


def test_half_similar_sets_of_20_tokens_are_candidates_117_times_in_a_thousand():
    count = 15_000
    expected = banding.candidate_probability(0.5, 18, 7)
    assert expected == pytest.approx(0.132, abs=5e-4)
    found = candidate_rate("fss", 20, 10, 18, 7, count)
    error = sqrt(expected * (1 - expected) / count)
    assert abs(found - 0.117) <= 4 * error
    assert found <= expected - 4 * error
