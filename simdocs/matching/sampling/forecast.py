"""What bands will find, in general and among the documents of a sample."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from simdocs.kernels.compare.pair_totals import Value, total
from simdocs.kernels.lsh import banding
from simdocs.model.pair_sample import PairSample
from simdocs.model.tuning import BandChoice, CorpusFacts, CurvePoint
from simdocs.recipes import Banding, Bands, IndexRecipe

NEIGHBOURS = 3
"""Choices with up to so many rows less and more than the chosen one are listed."""

_STEP = 20
"""Points of the curve for similarities from 0 to below 1."""

_AROUND = 0.1
"""How far below and above the threshold probabilities are stated."""

_BYTES_OF_PLACE, _BYTES_OF_BAND = 4, 12
"""Bytes of one number of a signature, and of the key and the row of a document in one bucket table."""


def choices(recipe: IndexRecipe, sample: PairSample | None) -> Iterator[BandChoice]:
    """Yield the bands of a recipe, and those with a few rows less and more."""
    threshold, num_perm = recipe.banding.threshold, recipe.sketching.num_perm
    for cut in banding.choices_near(recipe.banding.cut, num_perm, NEIGHBOURS):
        yield BandChoice(
            cut.bands,
            cut.rows,
            num_perm,
            threshold,
            banding.least_probability(threshold, *cut),
            banding.least_probability(max(0.0, threshold - _AROUND), *cut),
            banding.least_probability(min(1.0, threshold + _AROUND), *cut),
            banding.similarity_found_with(0.5, *cut),
            banding.approximate_threshold(*cut),
            _BYTES_OF_PLACE * num_perm + _BYTES_OF_BAND * cut.bands,
            None if sample is None else total(sample, _misses(cut, threshold)),
            None if sample is None else total(sample, false_candidates(cut, threshold)),
            cut == recipe.banding.cut,
        )


def curve(chosen: Banding, sample: PairSample | None) -> Iterator[CurvePoint]:
    """Yield the points of the S-curve, at every twentieth."""
    for step in range(_STEP + 1):
        least, below = step / _STEP, (step + 1) / _STEP
        values = (
            _within(least, below, np.ones_like),
            _within(least, below, _misses(chosen.cut, chosen.threshold)),
            _within(least, below, false_candidates(chosen.cut, chosen.threshold)),
        )
        figures = (None if sample is None else total(sample, value) for value in values)
        yield CurvePoint(least, banding.candidate_probability(least, *chosen.cut), *figures)


def corpus_facts(sample: PairSample, texts: int, threshold: float, of_documents: int) -> CorpusFacts:
    """How similar so many texts are to each other. of_documents: how many documents there are."""
    similar = total(sample, _within(threshold, 2.0, np.ones_like))
    typical, unusual = None, None
    if len(sample.random):
        typical, unusual = np.quantile(sample.random, (0.5, 0.99), method="lower").tolist()
    return CorpusFacts(texts, sample.pairs, len(sample.similarity), similar, typical, unusual, of_documents)


def _within(least: float, below: float, value: Value) -> Value:
    """The value for pairs in a range of similarities, and 0 for others."""
    return lambda similarity: np.where((similarity >= least) & (similarity < below), value(similarity), 0.0)


def _misses(cut: Bands, threshold: float) -> Value:
    """The probability that a pair at the threshold or above is missed."""
    return lambda s: np.where(s >= threshold, 1.0 - banding.candidate_probabilities(s, *cut), 0.0)


def false_candidates(cut: Bands, threshold: float) -> Value:
    """The probability that a pair below the threshold becomes a candidate."""
    return lambda s: np.where(s < threshold, banding.candidate_probabilities(s, *cut), 0.0)
