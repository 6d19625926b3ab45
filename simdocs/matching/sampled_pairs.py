"""Samples of pairs of documents, and the facts about the corpus and its bands that they estimate.

Almost all pairs of a corpus are hardly similar, and few random pairs are near-duplicates. So the similarities are cut
into ranges, and each range has a sample of its own. The lowest has random pairs. Each other one has pairs that share a
bucket of bands that find the pairs of this range almost certainly: all of them if they are few, otherwise random ones.
A pair counts only in the range of its exact similarity, so the estimates of the ranges can be added.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from simdocs.engines.run import Progress
from simdocs.errors import UnreachableRecallError
from simdocs.kernels import banding, jaccard
from simdocs.kernels.banding import by_recall, candidate_probabilities
from simdocs.kernels.bucket_sample import agreeing_bands, count_pairs, drawn_pairs, every_pair
from simdocs.kernels.buckets import keys_of_band
from simdocs.kernels.pair_totals import Value, total
from simdocs.model.ragged import Floats, Index, Keys, Mask, TextNumbers, Tokens, distinct
from simdocs.model.tuning import BandChoice, CorpusFacts, CurvePoint, PairSample, SampledRange
from simdocs.options.recipes import Banding, Bands, IndexRecipe

ALL_PAIRS = 20_000
"""If there are at most this many pairs, those of 200 documents, all are compared."""

RANDOM_PAIRS = 4_000
"""Random pairs that are compared."""

COMPARED_PAIRS = 2_000
"""Pairs of each other range that are compared, about."""

DRAWN_PAIRS = 1 << 16
"""Pairs of each other range that are drawn. All but COMPARED_PAIRS of them are only estimated."""

_LEASTS = (0.1, 0.3, 0.5, 0.7, 0.9)
"""Where ranges begin. Below the first, pairs are random."""

_REACHED = 0.99
"""Minimum probability with which the bands of a range find its pairs."""

_STANDARD_ERRORS = 5.0
"""A pair whose estimate is this far outside a range is in it in one case in a million."""

Compare = Callable[[TextNumbers, TextNumbers], Floats]
"""Returns the exact similarity of pairs of texts, (P,), and NaN where one of them cannot be read any more."""


@dataclass(frozen=True, slots=True)
class _Range:
    """A range of similarities, and the bands that find its pairs. No bands: pairs are drawn from all pairs."""

    least: float
    below: float
    bands: Bands | None

    def reachable(self, similarity: Floats) -> Floats:
        """The probability with which pairs of these similarities share a bucket."""
        return np.ones(len(similarity)) if self.bands is None else candidate_probabilities(similarity, *self.bands)


class _Draw(NamedTuple):
    """Pairs that were drawn for a range, with the number of pairs that each stands for.

    left, right: int64 (P,), the numbers of the texts.
    weight: float64 (P,), the number of pairs that each stands for.
    draws, not_drawn: see SampledRange.
    weight_of_least: the weight to expect of a pair at the lower end of the range.
    """

    left: TextNumbers
    right: TextNumbers
    weight: Floats
    draws: int
    not_drawn: float
    weight_of_least: float


def sample_pairs(signatures: Tokens, compare: Compare, seed: int, progress: Progress) -> PairSample:
    """A sample of all pairs of texts. The same texts and seed give the same sample.

    signatures: (M, K), one for each distinct text.
    """
    size = len(signatures)
    pairs = size * (size - 1) // 2
    random = np.random.Generator(np.random.PCG64(seed))
    similarity, weight, reachable, parts = [np.empty(0)], [np.empty(0)], [np.empty(0)], list[SampledRange]()
    lefts, rights = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    of_random, filled = np.empty(0), 0
    planned = _ranges(signatures.shape[1], pairs)
    for done, part in enumerate(planned):
        progress("sampling pairs", done, len(planned))
        draw = _drawn(signatures, part, pairs, random)
        found = compare(draw.left, draw.right)
        if part.bands is None:
            of_random = found[~np.isnan(found)]
        inside = (found >= part.least) & (found < part.below)
        found = found[inside]
        chance = part.reachable(found)
        similarity.append(found)
        weight.append(draw.weight[inside] / chance)
        lefts.append(draw.left[inside])
        rights.append(draw.right[inside])
        reachable.append(chance)
        largest = draw.weight_of_least / float(part.reachable(np.array([part.least]))[0])
        end = filled + len(found)
        parts.append(
            SampledRange(
                least=part.least,
                below=part.below,
                begin=filled,
                end=end,
                draws=draw.draws,
                not_drawn=draw.not_drawn,
                largest_weight=largest,
            )
        )
        filled = end
    return PairSample(
        similarity=np.concatenate(similarity),
        weight=np.concatenate(weight),
        reachable=np.concatenate(reachable),
        ranges=tuple(parts),
        pairs=pairs,
        random=of_random,
        left=np.concatenate(lefts),
        right=np.concatenate(rights),
    )


def _ranges(num_perm: int, pairs: int) -> list[_Range]:
    """The ranges. A range whose pairs no bands find belongs to the one below it."""
    found = list[tuple[float, Bands | None]]([(0.0, None)])
    for least in _LEASTS if pairs > ALL_PAIRS else ():
        try:
            bands = by_recall(least, _REACHED, num_perm)
        except UnreachableRecallError:
            continue
        if bands != found[-1][1]:
            found.append((least, bands))
    belows = [*(least for least, _ in found[1:]), np.inf]
    return [_Range(least, below, bands) for (least, bands), below in zip(found, belows, strict=True)]


def _drawn(signatures: Tokens, part: _Range, pairs: int, random: np.random.Generator) -> _Draw:
    if part.bands is None:
        return _random_pairs(len(signatures), pairs, random)
    shared = [count_pairs(keys) for keys in _keys(signatures, part.bands)]
    if sum(shared) <= DRAWN_PAIRS:
        return _all_sharing(signatures, part, random)
    return _some_sharing(signatures, part, np.array(shared), random)


def _random_pairs(size: int, pairs: int, random: np.random.Generator) -> _Draw:
    if pairs <= ALL_PAIRS:
        left, right = np.triu_indices(size, 1)
        return _Draw(left, right, np.ones(pairs), draws=pairs, not_drawn=0.0, weight_of_least=1.0)
    left = random.integers(0, size, RANDOM_PAIRS)
    right = (left + random.integers(1, size, RANDOM_PAIRS)) % size
    each = pairs / RANDOM_PAIRS
    return _Draw(left, right, np.full(RANDOM_PAIRS, each), draws=RANDOM_PAIRS, not_drawn=1.0, weight_of_least=each)


def _all_sharing(signatures: Tokens, part: _Range, random: np.random.Generator) -> _Draw:
    """All pairs that share a bucket and may be in the range, or a random part of them if they are many."""
    assert part.bands is not None
    size = len(signatures)
    found = [left * size + right for left, right in map(every_pair, _keys(signatures, part.bands))]
    left, right = np.divmod(distinct(np.concatenate(found)), size)
    likely = np.flatnonzero(_may_be_in(part, signatures, left, right))
    many = len(likely)
    if many > COMPARED_PAIRS:
        likely = np.sort(random.permutation(likely)[:COMPARED_PAIRS])
    each = many / max(1, len(likely))
    weight, not_drawn = np.full(len(likely), each), 1 - 1 / max(1.0, each)
    return _Draw(left[likely], right[likely], weight, draws=len(likely), not_drawn=not_drawn, weight_of_least=each)


def _some_sharing(signatures: Tokens, part: _Range, shared: Index, random: np.random.Generator) -> _Draw:
    """Random pairs that share a bucket and may be in the range. A pair in m buckets has m chances, and counts 1/m.

    Drawing ends before the pair that would be one too many: Haldane, On a method of estimating frequencies (1945).
    """
    assert part.bands is not None
    every = int(shared.sum())
    wanted = random.multinomial(DRAWN_PAIRS, shared / every)
    drawn = [
        drawn_pairs(keys, random.random((count, 3)))
        for keys, count in zip(_keys(signatures, part.bands), wanted.tolist(), strict=True)
        if count
    ]
    order = random.permutation(DRAWN_PAIRS)
    left, right = (np.concatenate(side)[order] for side in zip(*drawn, strict=True))
    likely = np.flatnonzero(_may_be_in(part, signatures, left, right))
    draws = DRAWN_PAIRS
    if len(likely) > COMPARED_PAIRS:
        draws, likely = int(likely[COMPARED_PAIRS]), likely[:COMPARED_PAIRS]
    left, right = left[likely], right[likely]
    times = np.maximum(agreeing_bands(signatures, left, right, part.bands), 1)
    each = every / draws
    least_times = max(1.0, part.bands.bands * part.least**part.bands.rows)
    return _Draw(left, right, each / times, draws=draws, not_drawn=1.0, weight_of_least=each / least_times)


def _keys(signatures: Tokens, bands: Bands) -> Iterator[Keys]:
    """The keys of each band."""
    every = np.arange(len(signatures))
    return (keys_of_band(signatures, every, band, bands.rows) for band in range(bands.bands))


def _may_be_in(part: _Range, signatures: Tokens, left: TextNumbers, right: TextNumbers) -> Mask:
    """Which pairs have an estimate that is possible for a pair in the range."""
    estimate = jaccard.estimates(signatures, left, right)
    low, high = (
        _STANDARD_ERRORS * np.sqrt(s * (1 - s) / signatures.shape[1]) for s in (part.least, min(part.below, 1.0))
    )
    possible: Mask = (estimate >= part.least - low) & (estimate <= part.below + high)
    return possible


NEIGHBOURS = 3
"""Bands with up to this many rows less or more than the chosen ones are listed, too."""

_STEP = 20
"""Points of the curve for similarities from 0 to below 1."""

_AROUND = 0.1
"""The distance below and above the threshold at which probabilities are stated."""

_BYTES_OF_PLACE, _BYTES_OF_BAND = 4, 12
"""Bytes of one number of a signature, and of the key and the row of a document in one bucket table."""


def choices(recipe: IndexRecipe, sample: PairSample | None) -> Iterator[BandChoice]:
    """Yield the bands of a recipe, and those with a few rows less and more."""
    threshold, num_perm = recipe.banding.threshold, recipe.sketching.num_perm
    for cut in banding.choices_near(recipe.banding.cut, num_perm, NEIGHBOURS):
        yield BandChoice(
            bands=cut.bands,
            rows=cut.rows,
            num_perm=num_perm,
            threshold=threshold,
            probability=banding.least_probability(threshold, *cut),
            probability_below=banding.least_probability(max(0.0, threshold - _AROUND), *cut),
            probability_above=banding.least_probability(min(1.0, threshold + _AROUND), *cut),
            half=banding.similarity_found_with(0.5, *cut),
            steepest=banding.approximate_threshold(*cut),
            bytes=_BYTES_OF_PLACE * num_perm + _BYTES_OF_BAND * cut.bands,
            misses=None if sample is None else total(sample, _misses(cut, threshold)),
            false_candidates=None if sample is None else total(sample, false_candidates(cut, threshold)),
            chosen=cut == recipe.banding.cut,
        )


def curve(chosen: Banding, sample: PairSample | None) -> Iterator[CurvePoint]:
    """Yield the points of the S-curve, at every 1/20."""
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
    """The facts about a corpus that a sample shows. texts: the number of texts. of_documents: that of all documents."""
    similar = total(sample, _within(threshold, 2.0, np.ones_like))
    typical, unusual = None, None
    if len(sample.random):
        typical, unusual = np.quantile(sample.random, (0.5, 0.99), method="lower").tolist()
    return CorpusFacts(
        texts=texts,
        pairs=sample.pairs,
        compared=len(sample.similarity),
        similar=similar,
        typical=typical,
        unusual=unusual,
        of_documents=of_documents,
    )


def _within(least: float, below: float, value: Value) -> Value:
    """The value for pairs in a range of similarities, and 0 for others."""
    return lambda similarity: np.where((similarity >= least) & (similarity < below), value(similarity), 0.0)


def _misses(cut: Bands, threshold: float) -> Value:
    """The probability that a pair at the threshold or above is missed."""
    return lambda s: np.where(s >= threshold, 1.0 - banding.candidate_probabilities(s, *cut), 0.0)


def false_candidates(cut: Bands, threshold: float) -> Value:
    """The probability that a pair below the threshold becomes a candidate."""
    return lambda s: np.where(s < threshold, banding.candidate_probabilities(s, *cut), 0.0)
