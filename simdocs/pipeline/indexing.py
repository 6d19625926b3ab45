"""From signatures to buckets: index, the third stage; and what is to be expected of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from simdocs.errors import UnreachableRecallError
from simdocs.kernels.compare import jaccard
from simdocs.kernels.lsh import banding, buckets
from simdocs.model.artifact import BucketTables
from simdocs.model.documents import Documents
from simdocs.model.ragged import Array, Floats, Index, Tokens
from simdocs.parameters import MAX_NUM_PERM, Banding

SAMPLED = 10_000
"""Pairs of documents from which the number of candidates is foretold."""

MANY_CANDIDATES = 100
"""Candidates a document from which on more places are advised."""

CURVE = tuple(tenth / 10 for tenth in range(1, 11))
"""Similarities at which the S-curve is told."""


def tables(documents: Documents, signatures: Tokens, bands: int, rows: int) -> BucketTables:
    """The bucket tables of these documents."""
    firsts, place = documents.distinct_texts()
    keys, owners = buckets.bucket_tables(buckets.band_keys(signatures, firsts, bands, rows), firsts)
    same_as = np.arange(len(documents))
    same_as[place >= 0] = firsts[place[place >= 0]]
    return BucketTables(keys, owners, same_as.astype(np.uint32))


@dataclass(frozen=True, slots=True)
class Expectation:
    """What bands and rows will find: P at the tenths and at the threshold; candidates a document, from sampled pairs;
    and where those are many, places that need fewer, with theirs (0: none do)."""

    curve: tuple[tuple[float, float], ...]
    at_threshold: float
    candidates: float
    better_places: int = 0
    better_candidates: float = 0.0


def expectation(signatures: Callable[[Index], Tokens], firsts: Array, how: Banding, seed: int) -> Expectation:
    """What is to be expected of an index. signatures: gives those of these rows. how: with its bands and rows."""
    bands, rows = how.bands or 1, how.rows or 1
    similar = _sampled(signatures, firsts, seed)
    others = max(0, len(firsts) - 1)
    curve = tuple((s, banding.candidate_probability(s, bands, rows)) for s in CURVE)
    at_threshold = banding.candidate_probability(how.threshold, bands, rows)
    candidates = _candidates(similar, others, bands, rows)
    if candidates <= MANY_CANDIDATES:
        return Expectation(curve, at_threshold, candidates)
    return Expectation(curve, at_threshold, candidates, *_better(similar, others, how, bands * rows))


def _sampled(signatures: Callable[[Index], Tokens], firsts: Array, seed: int) -> Floats:
    """Estimated similarities of SAMPLED random pairs of distinct texts, or of all where there are fewer."""
    size = len(firsts)
    if size * (size - 1) // 2 <= SAMPLED:
        left, right = np.triu_indices(size, 1)
    else:
        random = np.random.Generator(np.random.PCG64(seed))
        left = random.integers(0, size, SAMPLED)
        right = (left + random.integers(1, size, SAMPLED)) % size
    rows, places = np.unique(firsts[np.concatenate((left, right))], return_inverse=True)
    return jaccard.estimates(signatures(rows), places[: len(left)], places[len(left) :])


def _candidates(similar: Floats, others: int, bands: int, rows: int) -> float:
    if not len(similar):
        return 0.0
    return float(np.mean(1 - (1 - similar**rows) ** bands)) * others


def _better(similar: Floats, others: int, how: Banding, places: int) -> tuple[int, float]:
    """The smallest of 2, 4, 8, ... times the places with which the rule needs no more than MANY_CANDIDATES."""
    while (places := 2 * places) <= MAX_NUM_PERM:
        try:
            bands, rows = banding.by_recall(how.threshold, how.recall, places)
        except UnreachableRecallError:
            continue
        candidates = _candidates(similar, others, bands, rows)
        if candidates <= MANY_CANDIDATES:
            return places, candidates
    return 0, 0.0
