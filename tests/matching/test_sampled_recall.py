"""A recall that is estimated from drawn documents: its interval contains the true one often enough."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest

import simdocs
from simdocs.errors import MemoryNeededError
from simdocs.matching.sampling import found_similar, sampled_recall
from simdocs.matching.sampling.sampled_recall import Draws, ends
from tests.amounts import slow
from tests.similar_texts import family

Population = tuple[np.ndarray, np.ndarray, int]
"""How many similar documents of each were found; what each contributes to the missed ones; and the sum of these."""


def population(groups: Sequence[int], chances: Sequence[float], others: int) -> Population:
    """Documents of which the similar ones are groups. A chance: that a pair of the group is found."""
    dice = np.random.default_rng(len(groups))
    pairs, found = [np.empty((0, 2), np.int64)], [np.empty(0, bool)]
    size = 0
    for many, chance in zip(groups, chances, strict=True):
        pairs.append(size + np.array([*combinations(range(many), 2)]))
        found.append(dice.random(len(pairs[-1])) < chance)
        size += many
    both, hit = np.concatenate(pairs), np.concatenate(found)
    return of_pairs(both, hit, size + others)


def of_pairs(pairs: np.ndarray, hit: np.ndarray, size: int) -> Population:
    """So many documents with these similar pairs. hit: which of them are found."""
    partners = np.bincount(pairs[hit].ravel(), minlength=size)
    missed = np.concatenate((pairs[~hit], pairs[~hit][:, ::-1]))
    weights = ends(partners[missed[:, 0]], partners[missed[:, 1]])
    return partners, np.bincount(missed[:, 0], weights, size), len(missed)


POPULATIONS = {
    "pairs": ([2] * 1000, [0.97] * 1000, 8000),
    "few pairs": ([2] * 10, [0.8] * 10, 5000),
    "a large group": ([300, *[2] * 500], [0.95, *[0.99] * 500], 20000),
    "two groups that differ": ([120, 100], [0.99, 0.6], 1000),
    "groups of many sizes": (
        [max(2, 200 // k) for k in range(1, 150)],
        [0.5 + k % 7 / 14 for k in range(1, 150)],
        5000,
    ),
    "bad bands": ([2, 3, 4, 5] * 200, [0.2] * 800, 3000),
    "very bad bands": ([20] * 10, [0.02] * 10, 1000),
    "nothing missed": ([2] * 300, [1.0] * 300, 300),
    "nothing found": ([2] * 300, [0.0] * 300, 300),
}


@pytest.mark.parametrize("name", POPULATIONS)
@pytest.mark.parametrize(("draws", "simulations"), [(200, 100), *slow((200, 1000), (1000, 1000))])
def test_the_interval_contains_what_is_missed_in_93_of_100_samples(name, draws, simulations):
    partners, contributions, missed = population(*POPULATIONS[name])
    assert contributions.sum() == missed
    dice = np.random.default_rng(7)
    covered = 0
    for _ in range(simulations):
        drawn = Draws.of(partners, draws, dice)
        low, high = drawn.interval(drawn.scale * contributions[drawn.places])
        covered += low <= missed <= high
    assert covered >= 0.93 * simulations


def test_what_one_document_misses_is_met_from_the_other_ends_of_its_pairs():
    """Nobody would draw the one document of a family of which no partner was found."""
    pairs = np.array([*combinations(range(200), 2)])
    partners, contributions, missed = of_pairs(pairs, pairs[:, 0] > 0, 20000)
    assert (partners[0], partners[1], contributions[0], missed) == (0, 198, 0, 398)
    for seed in range(10):
        drawn = Draws.of(partners, 200, np.random.default_rng(seed))
        estimates = drawn.scale * contributions[drawn.places]
        assert estimates.sum() == pytest.approx(missed)
        low, high = drawn.interval(estimates)
        assert low < missed < high


def test_a_larger_sample_has_a_narrower_interval():
    partners, contributions, missed = population([2] * 1000, [0.9] * 1000, 5000)
    widths = []
    for draws in (200, 1000, 6000, 7000):
        drawn = Draws.of(partners, draws, np.random.default_rng(1))
        widths.append(float(np.ptp(drawn.interval(drawn.scale * contributions[drawn.places]))))
    assert widths == sorted(widths, reverse=True)
    assert widths[0] > missed > 2 * widths[2] and widths[3] == 0


OPTIONS = {"unit": "word", "k": 2, "threshold": 0.5, "num_perm": 16, "bands": 4, "rows": 4}


@pytest.fixture(scope="module")
def texts() -> list[bytes]:
    return [text.data for text in family(3, 60)]


@pytest.mark.parametrize("at_once", [1 << 23, 3000])
def test_a_sample_of_all_documents_gives_the_exact_recall(texts, at_once, monkeypatch):
    monkeypatch.setattr(sampled_recall, "_BYTES_AT_ONCE", at_once)
    exact = simdocs.audit(texts=texts, **OPTIONS)
    found = simdocs.audit(texts=texts, **OPTIONS, sample=1000)
    assert (found.pairs, found.found, found.candidates) == (exact.pairs, exact.found, exact.candidates)
    assert (found.sampled, exact.sampled, found.texts) == (exact.texts, 0, exact.texts)
    assert found.recall.found == found.recall.low == found.recall.high == exact.recall.found
    assert found.recall.predicted == pytest.approx(exact.recall.predicted)
    assert found.precision == exact.precision


def test_a_small_sample_estimates_what_is_missed(texts):
    exact = simdocs.audit(texts=texts, **OPTIONS)
    found = [simdocs.audit(texts=texts, **OPTIONS, sample=30, seed=seed) for seed in range(6)]
    assert len({each.pairs for each in found}) > 1
    for each in found:
        assert each.recall.low < each.recall.found < each.recall.high
        assert (each.sampled, each.recall.seeds, each.recall.mean) == (30, 0, None)
    # Other seeds give other signatures, but the mean of the estimates is near what is there.
    assert np.mean([each.pairs for each in found]) == pytest.approx(exact.pairs, rel=0.15)


def test_a_sample_is_audited_where_all_texts_do_not_fit_in_memory(texts, monkeypatch):
    expected = simdocs.audit(texts=texts, **OPTIONS, sample=2000)

    def refuse(*_: object) -> None:
        raise MemoryNeededError(3, 4, 5, allowed=False)

    monkeypatch.setattr(found_similar.ExactJoin, "of", refuse)
    assert [*simdocs.audit(texts=texts, **OPTIONS).rows()] == [*expected.rows()]


def test_without_similar_pairs_in_the_sample_there_is_no_recall():
    for texts in ([], ["one text only"], ["one text", "another one", ""]):
        found = simdocs.audit(texts=texts, sample=5)
        assert (found.pairs, found.recall, found.is_below) == (0, None, False)
