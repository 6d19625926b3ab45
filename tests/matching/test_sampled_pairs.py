"""A sample of pairs gives unbiased numbers of all pairs by similarity."""

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
from simdocs.matching.measured_recall import PairSample, sample_pairs, twentieths
from simdocs.matching.verify import Verifier
from tests.amounts import amount
from tests.asked import ASKED
from tests.similar_texts import family
from tests.twins.similarity import jaccard

SMALL = {"_SIGNATURES": 1500, "_COMPARED": 40}
"""Amounts with which a small corpus is sampled as a large one is."""

TEXTS = [text.data for text in family(3, 60)]


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
