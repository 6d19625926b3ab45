"""The laws of the estimates, measured on random pairs of random sets: every seed is fixed, so every figure is.

The agreement rate of two signatures has the Jaccard similarity of the sets as its mean (Broder 1997, theorem 1;
Dahlgaard, Knudsen, Thorup 2017, theorem 1), and bands of it make candidates on the S-curve.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt

import numpy as np
import pytest

from simdocs.kernels import banding, buckets, jaccard
from simdocs.options.recipes import Bands
from tests import strategies as some

PLACES = 128
SEEDS = 10
"""The number of seeds, of the hash functions and of the tokens, over which each case is spread."""


def signed(scheme: str, union: int, shared: int, count: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the signatures of random token sets, of which this number are pairs: left and right ones for each seed."""
    for seed in range(SEEDS):
        tokens = np.random.default_rng([union, shared, seed]).integers(0, 2**32, (count // SEEDS, union), np.uint32)
        cut = shared + (union - shared) // 2
        sides = tokens[:, :cut], np.concatenate((tokens[:, :shared], tokens[:, cut:]), axis=1)
        rows = (some.Ragged.from_lengths(side.ravel(), np.full(len(side), side.shape[1])) for side in sides)
        left, right = (some.signatures(side, PLACES, seed, scheme) for side in rows)
        yield left, right


def candidate_rate(scheme: str, union: int, shared: int, bands: int, rows: int, count: int) -> float:
    """Return the share of the pairs that share a bucket."""
    met = 0
    for sides in signed(scheme, union, shared, count):
        left, right = (buckets.band_keys(side, np.arange(len(side)), bands, rows) for side in sides)
        met += np.count_nonzero((left == right).any(axis=0))
    return met / count


@some.each("scheme")
@pytest.mark.parametrize(("union", "shared"), [(1, 1), (2, 1), (5, 4), (20, 16), (200, 100), (1_000, 800)])
def test_agreement_is_the_similarity_and_errs_no_more_than_independent_functions(scheme, union, shared):
    similarity, count, parts = shared / union, 1_000, []
    for left, right in signed(scheme, union, shared, count):
        rows = np.arange(len(left))
        parts.append(jaccard.estimates(np.concatenate((left, right)), rows, rows + len(left)))
    estimated = np.concatenate(parts)
    assert abs(estimated.mean() - similarity) <= 4 * float(estimated.std()) / sqrt(count)
    error = sqrt(float(np.mean((estimated - similarity) ** 2)))
    assert error <= 1.1 * sqrt(similarity * (1 - similarity) / PLACES)


@pytest.mark.parametrize(("bands", "rows"), [(18, 7), (20, 5)])
@pytest.mark.parametrize("tenths", [3, 7, 8])
def test_candidates_of_permutation_lie_on_the_s_curve(tenths, bands, rows):
    count = 5_000
    expected = Bands(bands, rows).chance(tenths / 10)
    found = candidate_rate("permutation", 50, 5 * tenths, bands, rows, count)
    assert abs(found - expected) <= 4 * sqrt(expected * (1 - expected) / count)


def test_candidates_of_fss_at_the_threshold_lie_above_the_s_curve():
    count = 10_000
    expected = Bands(18, 7).chance(0.8)
    assert expected == pytest.approx(0.9855, abs=5e-5)
    found = candidate_rate("fss", 20, 16, 18, 7, count)
    assert 0.990 <= found <= 0.994
    assert found - expected >= 4 * sqrt(expected * (1 - expected) / count)


@pytest.mark.parametrize(("similarity", "bands", "rows"), [(0.8, 8, 16), (0.8, 16, 8)])
def test_the_stated_probability_holds_low_and_high_on_the_curve(similarity, bands, rows):
    count, union = 5_000, 20
    expected = banding.least_probability(similarity, bands, rows)
    found = candidate_rate("fss", union, round(similarity * union), bands, rows, count)
    assert found >= expected - 4 * sqrt(expected * (1 - expected) / count)
