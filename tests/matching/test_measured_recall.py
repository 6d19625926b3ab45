"""Measured recall: exact counts of all texts or of a sample, and an interval. A sample of pairs is unbiased."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any
from unittest import mock

import numpy as np
import pytest

import simdocs
from simdocs.engines.engine import running
from simdocs.matching import measured_recall
from simdocs.matching.corpus import Corpus
from simdocs.matching.measured_recall import MeasuredRecall, PairSample, sample_pairs, twentieths
from simdocs.matching.verify import Verifier
from tests.amounts import amount, slow
from tests.asked import ASKED
from tests.similar_texts import family
from tests.twins.similarity import jaccard

OPTIONS: dict[str, Any] = {"unit": "word", "k": 2, "threshold": 0.5, "num_perm": 16, "bands": 4, "rows": 4}


def audited(texts: Any, **options: Any) -> dict[str, Any]:
    return simdocs.audit(texts=texts, **options).summary()


TEXTS = [text.data for text in family(3, 60)]


@pytest.mark.parametrize("at_once", [1 << 23, 3000])
def test_a_sample_of_all_documents_gives_the_exact_recall(at_once, monkeypatch):
    monkeypatch.setattr(measured_recall, "_BYTES_AT_ONCE", at_once)
    monkeypatch.setattr(measured_recall, "_FEWEST_BYTES", at_once // 2)
    exact, found = audited(TEXTS, **OPTIONS), audited(TEXTS, **OPTIONS, sample=1000)
    assert (found["sampled"], exact["sampled"]) == (exact["distinct_texts"], 0)
    assert {**found, "sampled": 0} == exact


def test_a_sample_counts_the_pairs_of_its_documents():
    exact = audited(TEXTS, **OPTIONS)
    found = [audited(TEXTS, **OPTIONS, sample=30, seed=seed) for seed in range(8)]
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


SMALL = {"_SIGNATURES": 1500, "_COMPARED": 40}
"""Amounts with which a small corpus is sampled as a large one is."""


def sampled(texts: list[bytes], seed: int, times: float = 1.0, **amounts: Any) -> tuple[PairSample, Corpus]:
    made = simdocs.signature(texts=texts, unit="word", k=2, seed=seed)
    with running(ASKED["tune"](documents=(b"x",))) as run, ExitStack() as patched:
        for name, value in amounts.items():
            patched.enter_context(mock.patch.object(measured_recall, name, value))
        corpus = Corpus.of_artifact(made)
        firsts, _ = corpus.documents.distinct_texts()
        return sample_pairs(Verifier(corpus, 0.5, run), firsts, seed, times), corpus


def every_similarity() -> np.ndarray:
    """Return the similarities of all pairs of different texts, by the twin."""
    _, corpus = sampled(TEXTS, 1)
    firsts, _ = corpus.documents.distinct_texts()
    sets = simdocs.shingle(texts=TEXTS, unit="word", k=2)
    tokens = [set(sets.tokens[row].tolist()) for row in firsts.tolist()]
    return np.array([jaccard(a, b) for at, b in enumerate(tokens) for a in tokens[:at]])


def test_few_documents_are_all_compared():
    sample, _ = sampled(TEXTS, 1)
    true = every_similarity()
    assert np.sort(sample.similarity) == pytest.approx(np.sort(true))
    assert (sample.weight == 1).all()
    assert (sample.left < sample.right).all()
    assert sample.counts.tolist() == np.bincount(twentieths(true), minlength=21).tolist()


def test_totals_of_a_sample_are_unbiased():
    true = every_similarity()
    found = [sampled(TEXTS, seed, **SMALL)[0] for seed in range(amount(40))]
    assert max(len(each.similarity) for each in found) < len(true) / 2
    for least, below in ((0, 0.05), (0.05, 0.3), (0.3, 0.6), (0.6, 1.1)):
        totals = [float(s.weight[(s.similarity >= least) & (s.similarity < below)].sum()) for s in found]
        expected = int(((true >= least) & (true < below)).sum())
        error = float(np.std(totals, ddof=1)) / len(totals) ** 0.5
        assert abs(np.mean(totals) - expected) <= 4.5 * error + 1e-4 * expected, (least, below)
