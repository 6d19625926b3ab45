"""A sample of pairs gives unbiased totals over all pairs, with intervals that hold as often as they state."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any
from unittest import mock

import numpy as np
import pytest

from simdocs.kernels import jaccard, pair_totals
from simdocs.kernels.murmur import fmix32
from simdocs.matching import sampled_pairs
from simdocs.model.tuning import PairSample, SampledRange
from tests import strategies as some
from tests.amounts import amount, slow

SMALL = {"ALL_PAIRS": 0, "RANDOM_PAIRS": 500, "COMPARED_PAIRS": 200, "DRAWN_PAIRS": 2_000}
"""Amounts with which a small corpus is sampled as a large one is."""


def corpus(size: int) -> some.Ragged:
    """Return token sets: unrelated ones, families of near-duplicates, and sets that share a template."""
    random = np.random.default_rng(5)
    vocabulary = random.integers(0, 2**32, 3000, dtype=np.uint32)
    rows = list[np.ndarray]()
    while len(rows) < size:
        text = random.choice(vocabulary, int(random.integers(20, 120)), replace=False)
        rows.append(text)
        for share in random.choice([0.02, 0.05, 0.1, 0.2, 0.4], 4) if random.random() < 0.2 else ():
            changed = random.random(len(text)) < share
            rows.append(np.where(changed, random.choice(vocabulary, len(text)), text))
        if random.random() < 0.3:
            rows.append(np.concatenate((vocabulary[:40], random.choice(vocabulary, int(random.integers(5, 60))))))
    return some.Ragged.from_rows([np.unique(row) for row in rows[:size]], np.uint32)


def sampled(sets: some.Ragged, seed: int, scheme: str = "fss", num_perm: int = 128) -> Any:
    """Return a sample of these sets, with hash functions of this seed."""
    mixed = some.Ragged(
        fmix32(sets.values + np.uint32(seed * 0x9E3779B9 % 2**32)),
        sets.offsets,
    )
    ordered = some.Ragged.from_rows([np.sort(mixed[row]) for row in range(len(mixed))], np.uint32)
    signatures = some.signatures(ordered, num_perm, seed, scheme)
    return sampled_pairs.sample_pairs(signatures, partial(jaccard.exact, sets), seed, unheard)


def unheard(*_: object) -> None:
    """Ignore progress."""


def chances(similarity: np.ndarray, bands: int, rows: int) -> np.ndarray:
    """Return the probabilities with which pairs of these similarities share a bucket."""
    return 1 - (1 - similarity**rows) ** bands


def misses(bands: int, rows: int, least: float) -> Callable[[np.ndarray], np.ndarray]:
    return lambda s: np.where(s >= least, 1 - chances(s, bands, rows), 0)


def false_candidates(bands: int, rows: int, least: float) -> Callable[[np.ndarray], np.ndarray]:
    return lambda s: np.where(s < least, chances(s, bands, rows), 0)


TOTALS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "misses of 18 x 7": misses(18, 7, 0.8),
    "misses of 20 x 5": misses(20, 5, 0.6),
    "false candidates of 18 x 7": false_candidates(18, 7, 0.8),
    "false candidates of 20 x 5": false_candidates(20, 5, 0.6),
    "pairs of 0.3 to 0.35": lambda s: ((s >= 0.3) & (s < 0.35)).astype(float),
    "pairs of 0.55 to 0.6": lambda s: ((s >= 0.55) & (s < 0.6)).astype(float),
}


@pytest.mark.parametrize(
    ("scheme", "num_perm", "size", "runs"),
    [
        ("fss", 128, 160, 6),
        ("permutation", 32, 160, 6),
        *slow(("fss", 128, 700, 60), ("permutation", 32, 700, 60)),
    ],
)
def test_intervals_hold_as_often_as_they_state(scheme, num_perm, size, runs):
    sets = corpus(size)
    true = jaccard.exact(sets, *np.triu_indices(size, 1))
    runs = amount(runs)
    found = {name: list[float]() for name in TOTALS}
    held = dict.fromkeys(TOTALS, 0)
    with mock.patch.multiple(sampled_pairs, **SMALL):
        for seed in range(runs):
            sample = sampled(sets, seed, scheme, num_perm)
            for name, value in TOTALS.items():
                value_here, low, high = pair_totals.total(sample, value)
                held[name] += low <= value(true).sum() <= high
                found[name].append(value_here)
    for name, value in TOTALS.items():
        expected = float(value(true).sum())
        # Three standard deviations of a binomial count below 95%.
        assert held[name] >= 0.95 * runs - 3 * (0.95 * 0.05 * runs) ** 0.5, name
        error = float(np.std(found[name], ddof=1)) / runs**0.5
        assert abs(np.mean(found[name]) - expected) <= 4.5 * error + 1e-4 * expected, name


def test_few_documents_are_all_compared():
    sets = corpus(60)
    sample = sampled(sets, 1)
    true = jaccard.exact(sets, *np.triu_indices(60, 1))
    assert np.sort(sample.similarity).tolist() == np.sort(true).tolist()
    for value in TOTALS.values():
        assert pair_totals.total(sample, value) == pytest.approx((value(true).sum(),) * 3)


def test_each_pair_counts_for_those_that_no_bucket_brought_together():
    with mock.patch.multiple(sampled_pairs, **SMALL):
        sample = sampled(corpus(160), 1)
    part = sample.ranges[-1]
    assert (part.least, part.not_drawn) == (0.9, 0)
    inside = slice(part.begin, part.end)
    assert part.end - part.begin > 5
    assert sample.reachable[inside] == pytest.approx(chances(sample.similarity[inside], 12, 10))
    assert sample.weight[inside] == pytest.approx(1 / sample.reachable[inside], rel=1e-12)
    assert (sample.reachable[: sample.ranges[0].end] == 1).all()


@pytest.mark.parametrize("size", [0, 1, 2])
def test_hardly_any_document_gives_a_sample(size):
    sample = sampled(corpus(size), 1)
    assert (len(sample.similarity), sample.pairs) == (size // 2, size // 2)
    assert pair_totals.total(sample, lambda s: s * 0 + 1) == (size // 2,) * 3


def test_the_same_texts_and_seed_give_the_same_sample():
    sets = corpus(160)
    with mock.patch.multiple(sampled_pairs, **SMALL):
        one, same, other = (sampled(sets, seed) for seed in (3, 3, 4))
    assert one.similarity.tobytes() == same.similarity.tobytes()
    assert one.weight.tobytes() == same.weight.tobytes()
    assert one.similarity.tobytes() != other.similarity.tobytes()


def test_pairs_of_texts_that_are_gone_are_left_out():
    sets = corpus(160)

    def compare(left: np.ndarray, right: np.ndarray) -> np.ndarray:
        return np.where((left % 2 == 0) | (right % 2 == 0), np.nan, jaccard.exact(sets, left, right))

    signatures = some.signatures(sets, 128)
    sample = sampled_pairs.sample_pairs(signatures, compare, 0, unheard)
    assert not np.isnan(sample.similarity).any()
    assert len(sample.similarity) == 80 * 79 // 2


def test_ranges_that_no_bands_find_have_random_pairs():
    with mock.patch.multiple(sampled_pairs, **SMALL):
        parts = sampled(corpus(100), 1, num_perm=4).ranges
    assert [(part.least, part.below) for part in parts] == [(0, 0.7), (0.7, np.inf)]
    assert parts[0].draws == SMALL["RANDOM_PAIRS"]


@pytest.mark.parametrize("size", [3, 40, 160])
def test_no_document_is_paired_with_itself(size):
    sets, drawn = corpus(size), list[np.ndarray]()

    def compare(left: np.ndarray, right: np.ndarray) -> np.ndarray:
        drawn.append(np.column_stack((left, right)))
        return jaccard.exact(sets, left, right)

    signatures = some.signatures(sets, 128)
    with mock.patch.multiple(sampled_pairs, **SMALL):
        sampled_pairs.sample_pairs(signatures, compare, 0, unheard)
    every = np.concatenate(drawn)
    assert len(drawn[0]) == SMALL["RANDOM_PAIRS"]
    assert (every[:, 0] != every[:, 1]).all()
    assert len(np.unique(drawn[0] % size, axis=0)) >= min(size * (size - 1), SMALL["RANDOM_PAIRS"]) // 2


# What tune expects counts every pair, also those of different texts that have the same tokens.

SIMILARITIES = np.array([0.0, 0.04, 0.05, 0.5, 0.79, 0.8, 0.95, 1.0, 1.0])
ONES = np.ones(len(SIMILARITIES))
SAMPLE = PairSample(
    SIMILARITIES,
    ONES,
    ONES,
    (SampledRange(0.0, np.inf, 0, len(ONES), len(ONES), not_drawn=0.0, largest_weight=1.0),),
    len(ONES),
    random=SIMILARITIES,
    left=np.arange(len(ONES)),
    right=np.arange(1, len(ONES) + 1),
)


def test_pairs_at_1_are_similar():
    assert sampled_pairs.corpus_facts(SAMPLE, 5, 0.8, 5).similar == (4, 4, 4)
    assert sampled_pairs.corpus_facts(SAMPLE, 5, 1.0, 5).similar == (2, 2, 2)


def test_each_pair_is_counted_at_one_point_of_the_curve():
    points = list(sampled_pairs.curve(some.banding(), SAMPLE))
    pairs = {round(point.similarity, 2): point.pairs.value for point in points if point.pairs.value}
    assert pairs == {0.0: 2, 0.05: 1, 0.5: 1, 0.75: 1, 0.8: 1, 0.95: 1, 1.0: 2}
    assert points[-1].misses.value == pytest.approx(0)
