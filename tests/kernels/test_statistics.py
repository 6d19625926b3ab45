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
