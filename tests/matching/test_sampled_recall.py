"""A recall that is estimated from drawn documents: its interval contains the true one often enough."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pytest

import simdocs
from simdocs.errors import MemoryNeededError
from simdocs.matching import found_similar, sampled_recall
from tests.amounts import slow
from tests.similar_texts import family

Population = tuple[np.ndarray, np.ndarray]
"""How many similar documents of each were found; and the pairs of documents that were missed, (P, 2)."""


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
    return np.bincount(both[hit].ravel(), minlength=size + others), both[~hit]


def hidden(size: int) -> Population:
    """A family without a found pair, beside others that are found, and single documents."""
    return population([size, *[2] * 50], [0.0, *[0.99] * 50], 1500)


POPULATIONS = {
    "pairs": population([2] * 1000, [0.97] * 1000, 8000),
    "few pairs": population([2] * 10, [0.8] * 10, 5000),
    "a large group": population([300, *[2] * 500], [0.95, *[0.99] * 500], 20000),
    "two groups that differ": population([120, 100], [0.99, 0.6], 1000),
    "groups of many sizes": population(
        [max(2, 200 // k) for k in range(1, 150)],
        [0.5 + k % 7 / 14 for k in range(1, 150)],
        5000,
    ),
    "bad bands": population([2, 3, 4, 5] * 200, [0.2] * 800, 3000),
    "very bad bands": population([20] * 10, [0.02] * 10, 1000),
    "nothing missed": population([2] * 300, [1.0] * 300, 300),
    "nothing found": population([2] * 300, [0.0] * 300, 300),
    "a hidden family of 5": hidden(5),
    "a hidden family of 12": hidden(12),
    "a hidden family of 30": hidden(30),
}


def of_ends(missed: np.ndarray, values: np.ndarray, size: int) -> np.ndarray:
    """The sum of a value of each missed pair, for both of its documents."""
    return np.bincount(missed.T.ravel(), np.tile(values, 2), size)


def judged(population: Population, seed: int, knowing: str) -> np.ndarray | None:
    """What signatures say about how many partners of each document were missed: each pair counts 0 to 1."""
    partners, missed = population
    dice = np.random.default_rng(seed)
    if knowing == "nothing":
        return None
    likely = of_ends(missed, dice.random(len(missed)), len(partners)).astype(np.float64)
    if knowing == "too much":  # a crowd below the threshold, whose estimates are as high
        likely[-len(partners) // 3 :] += 30 * dice.random(len(likely[-len(partners) // 3 :]))
    return likely


@pytest.mark.parametrize("knowing", ["nothing", "something", "too much"])
@pytest.mark.parametrize("name", POPULATIONS)
@pytest.mark.parametrize(("draws", "simulations"), [(200, 100), *slow((200, 1000), (1000, 1000))])
def test_the_interval_contains_what_is_missed_in_93_of_100_samples(name, draws, simulations, knowing):
    partners, missed = POPULATIONS[name]
    likely = judged(POPULATIONS[name], 7, knowing)
    dice = np.random.default_rng(7)
    covered, estimates = 0, list[float]()
    for _ in range(simulations):
        drawn = sampled_recall.Draws.of(partners, likely, draws, dice)
        contributions = of_ends(missed, drawn.weights(*missed.T), len(partners))
        assert float(drawn.expected @ contributions) == pytest.approx(2 * len(missed))
        low, high = drawn.interval(contributions[drawn.places])
        covered += low <= 2 * len(missed) <= high
        estimates.append(float(contributions[drawn.places].sum()))
    assert covered >= 0.93 * simulations
    error = float(np.std(estimates)) / simulations**0.5
    assert abs(np.mean(estimates) - 2 * len(missed)) <= 4.5 * error + 1e-6 * len(missed) + 0.5 * (error == 0)


def test_what_one_document_misses_is_met_from_the_other_ends_of_its_pairs():
    """Nobody would draw the one document of a family of which no partner was found."""
    pairs = np.array([*combinations(range(200), 2)])
    hit = pairs[:, 0] > 0
    partners = np.bincount(pairs[hit].ravel(), minlength=20000)
    assert (partners[0], partners[1], len(pairs[~hit])) == (0, 198, 199)
    for seed in range(10):
        drawn = sampled_recall.Draws.of(partners, None, 200, np.random.default_rng(seed))
        contributions = of_ends(pairs[~hit], drawn.weights(*pairs[~hit].T), 20000)[drawn.places]
        assert contributions.sum() == pytest.approx(2 * 199, rel=0.25)
        low, high = drawn.interval(contributions)
        assert low < 2 * 199 < high


def test_a_larger_sample_has_a_narrower_interval():
    partners, missed = population([2] * 1000, [0.9] * 1000, 5000)
    widths = []
    for draws in (200, 1000, 6000, 7000):
        drawn = sampled_recall.Draws.of(partners, None, draws, np.random.default_rng(1))
        contributions = of_ends(missed, drawn.weights(*missed.T), len(partners))
        widths.append(float(np.ptp(drawn.interval(contributions[drawn.places]))))
    assert widths == sorted(widths, reverse=True)
    assert widths[0] > 2 * widths[2] and widths[3] == 0


@pytest.mark.parametrize("knowing", ["nothing", "something", "too much"])
@pytest.mark.parametrize("singles", [1000, 5000])
def test_a_family_of_the_stated_size_is_missed_in_1_of_20_samples_at_most(singles, knowing):
    size = 2
    for _ in range(20):  # until the family has the size that is stated about it
        some = population([size, *[2] * 50], [0.0, *[1.0] * 50], singles)
        likely = judged(some, 3, knowing)
        drawn = sampled_recall.Draws.of(some[0], likely, 150, np.random.default_rng(1))
        if drawn.largest_missed <= size:
            break
        size = drawn.largest_missed
    else:
        pytest.fail(f"{size}: the size does not settle")
    dice = np.random.default_rng(5)
    runs = 400
    without = sum(
        not (sampled_recall.Draws.of(some[0], likely, 150, dice).places < size + 1).any() for _ in range(runs)
    )
    # Three standard deviations above 5%.
    assert without <= 0.05 * runs + 3 * (0.05 * 0.95 * runs) ** 0.5


def audited(texts: Any, **options: Any) -> dict[str, Any]:
    """Return the summary of an audit, with the family that a sample may miss."""
    found = simdocs.audit(texts=texts, **options)
    return {**found.summary(), "missed_family": dict(found.rows())["missed_family"]}


def test_a_hidden_family_is_within_the_interval_of_an_audit():
    """Most of what is missed is one family of 12, of which these bands find nothing."""
    dice = random.Random(2)

    def words(many: int) -> list[str]:
        return [f"w{dice.randrange(10**9)}" for _ in range(many)]

    def alike(many: int, changed: int) -> list[str]:
        common = words(60)
        return [" ".join(_changed(common, changed, dice)) for _ in range(many)]

    texts = [*alike(12, 2), *(text for _ in range(40) for text in alike(2, 1))]
    texts += [" ".join(words(60)) for _ in range(800)]
    options = {"unit": "word", "k": 1, "bands": 1, "rows": 20}
    every = audited(texts, **options)["similar_pairs"]
    assert every == 66 + 40
    for seed in range(10):
        found = audited(texts, **options, sample=100, seed=seed)
        assert found["recall"]["low"] <= found["found"] / every <= found["recall"]["high"]
        # Documents that were drawn evenly would miss the family in one of four samples.
        assert (found["similar_pairs"], found["missed_family"] < 12) == (pytest.approx(every, rel=0.5), True)


def _changed(common: list[str], many: int, dice: random.Random) -> list[str]:
    """The words with so many of them replaced."""
    places = dice.sample(range(len(common)), many)
    return [f"x{dice.randrange(10**9)}" if at in places else word for at, word in enumerate(common)]


OPTIONS = {"unit": "word", "k": 2, "threshold": 0.5, "num_perm": 16, "bands": 4, "rows": 4}


@pytest.fixture(scope="module")
def texts() -> list[bytes]:
    return [text.data for text in family(3, 60)]


@pytest.mark.parametrize("at_once", [1 << 23, 3000])
def test_a_sample_of_all_documents_gives_the_exact_recall(texts, at_once, monkeypatch):
    monkeypatch.setattr(sampled_recall, "_BYTES_AT_ONCE", at_once)
    exact = audited(texts, **OPTIONS)
    found = audited(texts, **OPTIONS, sample=1000)
    for name in ("similar_pairs", "found", "candidates", "distinct_texts", "precision"):
        assert found[name] == exact[name]
    assert (found["sampled"], exact["sampled"]) == (exact["distinct_texts"], 0)
    recall = found["recall"]
    assert recall["found"] == recall["low"] == recall["high"] == exact["recall"]["found"]
    assert recall["predicted"] == pytest.approx(exact["recall"]["predicted"])


def test_a_small_sample_estimates_what_is_missed(texts):
    exact = audited(texts, **OPTIONS)
    found = [audited(texts, **OPTIONS, sample=30, seed=seed) for seed in range(6)]
    assert len({each["similar_pairs"] for each in found}) > 1
    for each in found:
        recall = each["recall"]
        assert recall["low"] < recall["found"] < recall["high"]
        assert (each["sampled"], recall["seeds"], recall["mean"]) == (30, 0, None)
    # Other seeds give other signatures, but the mean of the estimates is near what is there.
    assert np.mean([each["similar_pairs"] for each in found]) == pytest.approx(exact["similar_pairs"], rel=0.15)


def test_a_sample_is_audited_where_all_texts_do_not_fit_in_memory(texts, monkeypatch):
    expected = simdocs.audit(texts=texts, **OPTIONS, sample=2000)

    def refuse(*_: object) -> None:
        raise MemoryNeededError(3, 4, 5, allowed=False)

    monkeypatch.setattr(found_similar, "ExactJoin", refuse)
    assert [*simdocs.audit(texts=texts, **OPTIONS).rows()] == [*expected.rows()]


def test_without_similar_pairs_in_the_sample_there_is_no_recall():
    for texts in ([], ["one text only"], ["one text", "another one", ""]):
        found = simdocs.audit(texts=texts, sample=5)
        facts = found.summary()
        assert (facts["similar_pairs"], facts["recall"], found.is_found) == (0, None, False)
