"""Measured recall: exact counts of all texts or of a sample, and an interval that holds the recall to expect."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import simdocs
from simdocs.matching import measured_recall
from simdocs.matching.measured_recall import MeasuredRecall
from tests.amounts import slow
from tests.similar_texts import family

OPTIONS: dict[str, Any] = {"unit": "word", "k": 2, "threshold": 0.5, "num_perm": 16, "bands": 4, "rows": 4}


def audited(texts: Any, **options: Any) -> dict[str, Any]:
    return simdocs.audit(texts=texts, **options).summary()


@pytest.fixture(scope="module")
def texts() -> list[bytes]:
    return [text.data for text in family(3, 60)]


@pytest.mark.parametrize("at_once", [1 << 23, 3000])
def test_a_sample_of_all_documents_gives_the_exact_recall(texts, at_once, monkeypatch):
    monkeypatch.setattr(measured_recall, "_BYTES_AT_ONCE", at_once)
    monkeypatch.setattr(measured_recall, "_FEWEST_BYTES", at_once // 2)
    exact, found = audited(texts, **OPTIONS), audited(texts, **OPTIONS, sample=1000)
    assert (found["sampled"], exact["sampled"]) == (exact["distinct_texts"], 0)
    assert {**found, "sampled": 0} == exact


def test_a_sample_counts_the_pairs_of_its_documents(texts):
    exact = audited(texts, **OPTIONS)
    found = [audited(texts, **OPTIONS, sample=30, seed=seed) for seed in range(8)]
    assert len({each["similar_pairs"] for each in found}) > 1
    for each in found:
        assert each["sampled"] == 30
        assert each["recall_low"] < each["recall"] < each["recall_high"]
    # A pair is counted if one of its documents or both were drawn. Another seed also gives other signatures.
    texts_read = exact["distinct_texts"]
    drawn = 1 - (texts_read - 30) * (texts_read - 31) / (texts_read * (texts_read - 1))
    mean = np.mean([each["similar_pairs"] for each in found])
    assert mean == pytest.approx(drawn * exact["similar_pairs"], rel=0.15)


def test_a_proportion_has_its_textbook_interval():
    """Wilson's interval of 10 successes in 20 cases."""
    assert MeasuredRecall(40, 0, 20, 10, 20).interval() == pytest.approx((0.2993, 0.7007), abs=1e-4)


@pytest.mark.parametrize("share", [0.3, 0.9, 0.97])
@pytest.mark.parametrize(("families", "size"), [(5, 30), (20, 1), (20, 10), (200, 3)])
@pytest.mark.parametrize("simulations", [400, *slow(4000)])
def test_the_interval_holds_the_recall_to_expect_in_93_of_100_runs(share, families, size, simulations):
    """Pairs of a family are found or missed together: here with a chance that differs from family to family."""
    dice = np.random.default_rng(5)
    held = 0
    for _ in range(simulations):
        chances = dice.beta(4 * share, 4 * (1 - share), families)
        found = int(dice.binomial(size, chances).sum())
        low, high = MeasuredRecall(0, 0, families * size, found, families).interval() or (0.0, 0.0)
        held += low <= share <= high
    assert held >= 0.93 * simulations
