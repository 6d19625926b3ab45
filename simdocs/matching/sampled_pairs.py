"""Pairs of documents, drawn at random, more of them where signatures look alike, with their exact similarities."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simdocs.kernels.jaccard import estimates
from simdocs.matching.verify import Verifier
from simdocs.model.figures import STEPS
from simdocs.model.ragged import Floats, Index, Rows

_STEPS_AT = np.arange(STEPS + 1) / STEPS

_SIGNATURES = 10_000_000
"""Pairs whose signatures are compared, about: all pairs of 4,500 documents, or 500 of 20,000 documents with all."""

_COMPARED = 1000
"""Pairs of each twentieth of the estimates that are compared exactly."""


def twentieths(similarity: Floats) -> Index:
    """The number of whole twentieths in each similarity, from 0 to 20."""
    return np.searchsorted(_STEPS_AT, similarity, side="right") - 1


@dataclass(frozen=True, slots=True, eq=False)
class PairSample:
    """Pairs of documents with different texts, as a sample of all pairs.

    left, right: int64 (P,), their rows.
    similarity: float64 (P,), the exact similarities.
    weight: float64 (P,), the number of pairs that each stands for.
    """

    left: Rows
    right: Rows
    similarity: Floats
    weight: Floats

    @property
    def counts(self) -> Floats:
        """The estimated number of pairs in each twentieth: float64 (21,)."""
        counts: Floats = np.bincount(twentieths(self.similarity), self.weight, STEPS + 1).astype(np.float64)
        return counts


def sample_pairs(verifier: Verifier, firsts: Rows, seed: int, times: float) -> PairSample:
    """A sample of all pairs of these documents, which have different texts. The same documents give the same sample.

    Some documents are drawn, and their signatures are compared with all. Of the pairs whose estimates are in the same
    twentieth, all are compared exactly, or as many as there is time for, so all totals are unbiased. Pairs of documents
    that are missing are left out. times: how many times as many documents there are as those from which these are.
    """
    size, run, dice = len(firsts), verifier.run, np.random.default_rng(seed)
    signatures = verifier.corpus.signature_rows(firsts)
    drawn = dice.permutation(size)[: -(-_SIGNATURES // max(size, 1))]
    # The twentieth of each pair of a drawn document, from 1; 0: it is no pair, or one that was met before.
    steps = np.zeros((len(drawn), size), np.uint8)
    rest = np.ones(size, bool)
    for place, text in enumerate(drawn.tolist()):
        rest[text] = False
        others = np.flatnonzero(rest)
        estimated = estimates(signatures, np.full(len(others), text), others)
        steps[place, others] = 1 + (estimated * STEPS).astype(np.uint8)
        run.progress("sampling pairs", place + 1, len(drawn))
    counts = sum((np.bincount(row, minlength=STEPS + 2) for row in steps), np.zeros(STEPS + 2, np.int64))
    chances = np.minimum(1.0, _COMPARED / np.maximum(counts, 1))
    chances[0] = 0.0
    lefts, rights, chance = [np.empty(0, np.int64)], [np.empty(0, np.int64)], [np.empty(0)]
    for text, row in zip(drawn.tolist(), steps, strict=True):
        rights.append(np.flatnonzero(dice.random(size) < chances[row]))
        lefts.append(np.full(len(rights[-1]), text))
        chance.append(chances[row[rights[-1]]])
    left, right = np.concatenate(lefts), np.concatenate(rights)
    similarity = verifier.exact_jaccard(firsts[left], firsts[right])
    known = np.flatnonzero(~np.isnan(similarity))
    # A pair was met if one of its documents was drawn.
    left_out = size - len(drawn)
    met = 1 - left_out * (left_out - 1) / max(1, size * (size - 1))
    left, right = np.sort((left[known], right[known]), axis=0)
    return PairSample(firsts[left], firsts[right], similarity[known], times**2 / (met * np.concatenate(chance)[known]))
