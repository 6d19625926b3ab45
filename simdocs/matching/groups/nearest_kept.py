"""The nearest kept documents: what a document that is kept might have been a duplicate of."""

from __future__ import annotations

import numpy as np

from simdocs.kernels.group.greedy_rounds import most_similar_kept
from simdocs.matching.candidates.candidates import Candidates
from simdocs.matching.documents.distinct_texts import DistinctTexts
from simdocs.matching.verification.verify import Verifier
from simdocs.model.groups import Pairs
from simdocs.model.ragged import Array


def nearest_kept(texts: DistinctTexts, candidates: Candidates, status: Array, verifier: Verifier) -> Pairs:
    """Each kept document (right) with the one kept before it (left), of its candidates, that has the largest estimate.

    Of several it is the earliest. Documents without candidates have no pair. Only the pairs returned are compared
    exactly. status: int8 (M,), of the texts.
    """
    near, best = np.full(len(texts), -1), np.full(len(texts), -1.0)
    for left, right in candidates.of_kept(status):
        estimate = verifier.corpus.estimates(texts.first[left], texts.first[right])
        chosen = most_similar_kept(left, right, estimate)
        one, other, similarity = left[chosen], right[chosen], estimate[chosen]
        better = similarity > best[other]  # the earlier documents come in the earlier blocks
        near[other[better]], best[other[better]] = one[better], similarity[better]
    found = np.flatnonzero(near >= 0)
    left, right = texts.first[near[found]], texts.first[found]
    if not verifier.exact:
        return Pairs(left, right, np.full(len(found), np.nan), best[found])
    jaccard = verifier.exact_jaccard(left, right)
    return Pairs(left, right, jaccard, best[found]).take(np.flatnonzero(~np.isnan(jaccard)))
