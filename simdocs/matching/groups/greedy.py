"""Greedy groups: every duplicate has a verified similarity to its kept document."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from simdocs.kernels.group.connectivity import PairGraph
from simdocs.kernels.group.greedy_rounds import KEPT, REMOVED, most_similar_kept
from simdocs.matching.candidates.candidates import Candidates, GroupingState
from simdocs.matching.documents.prepared import DistinctTexts, pairs_of_copies
from simdocs.matching.pairs.similar_pairs import PairCollector
from simdocs.matching.verification.verify import Verifier
from simdocs.model.groups import Pairs
from simdocs.model.ragged import Array, Index, Rows, TextNumbers, ranges


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


class GreedyGroups(NamedTuple):
    """Greedy groups of documents.

    pairs: every duplicate (right) with its kept document (left), in row order. capped: the rows of kept documents that
    were not compared with all documents kept before them, because a bucket was full; ascending. found: the graph of all
    similar pairs of a kept text and another one, by the rows of their first copies. nearest: see `nearest_kept`.
    """

    pairs: Pairs
    capped: Rows
    found: PairGraph
    nearest: Pairs | None


def greedy(texts: DistinctTexts, candidates: Candidates, verifier: Verifier, *, explain: bool = False) -> GreedyGroups:
    """The same groups as if documents were decided about one after the other, in keep order.

    explain: also find the nearest kept documents.
    """
    comparer = _Comparer(texts, verifier, PairCollector(len(verifier.corpus)))
    state = candidates.decide(comparer)
    copies = texts.copies
    fate = state.status[texts.number[copies]]
    kept = copies[fate == KEPT]
    of_kept = pairs_of_copies(texts.first[texts.number[kept]], kept, verifier.exact)
    removed = np.flatnonzero(state.status == REMOVED)
    of_removed = _removed_pairs(texts, state, removed, texts.first[removed], verifier)
    late = _later_copies(texts, candidates, state, copies[fate == REMOVED], verifier)
    capped = candidates.capped(state.status)
    pairs = Pairs.concat([of_kept, of_removed, late]).in_row_order()
    nearest = nearest_kept(texts, candidates, state.status, verifier) if explain else None
    return GreedyGroups(pairs, np.sort(texts.first[capped]), comparer.found.graph(), nearest)


@dataclass(frozen=True, slots=True)
class _Comparer:
    """Comparison of distinct texts by their first copies. found: collects the similar pairs of kept texts, by row."""

    texts: DistinctTexts
    verifier: Verifier
    found: PairCollector

    def similar(self, left: TextNumbers, right: TextNumbers) -> Pairs:
        """The similar ones among these pairs of texts, in the order given."""
        similar = self.verifier.similar(self.texts.first[left], self.texts.first[right])
        number = self.texts.number
        return replace(similar, left=number[similar.left], right=number[similar.right])

    def use(self, pairs: Pairs) -> None:
        """Collect these similar pairs."""
        first = self.texts.first
        self.found.add(replace(pairs, left=first[pairs.left], right=first[pairs.right]))

    def progress(self, decided: int) -> None:
        """Report how many texts are decided."""
        self.verifier.run.progress("grouping", decided, len(self.texts))


def _removed_pairs(
    texts: DistinctTexts, state: GroupingState, removed: TextNumbers, rows: Rows, verifier: Verifier
) -> Pairs:
    """Each of these rows, which are copies of removed texts, with the kept document of its text."""
    jaccard = state.jaccard[removed] if verifier.exact else np.full(len(removed), np.nan)
    return Pairs(texts.first[state.under[removed]], rows, jaccard, state.estimate[removed])


def _later_copies(
    texts: DistinctTexts, candidates: Candidates, state: GroupingState, copies: Rows, verifier: Verifier
) -> Pairs:
    """Later copies of removed texts, each with the most similar of the documents kept before *it*.

    A document that is kept after the first copy and before this one may be more similar than that of the first copy.
    """
    base = _removed_pairs(texts, state, texts.number[copies], copies, verifier)
    if not len(copies):
        return base
    removed, last = _with_last_rank(texts, copies)
    pairs = []
    for left, right in candidates.with_kept(removed, state.status):
        between = (right > left) & (texts.rank[texts.first[right]] < last[left])
        pairs.append(verifier.similar(texts.first[right[between]], texts.first[left[between]]))
    return _most_similar(texts, base, Pairs.concat(pairs)) if pairs else base


def _with_last_rank(texts: DistinctTexts, copies: Rows) -> tuple[TextNumbers, Index]:
    """The texts of these copies, and for every text the greatest rank of one of its copies."""
    last = np.full(len(texts), -1)
    np.maximum.at(last, texts.number[copies], texts.rank[copies])
    return np.flatnonzero(last >= 0), last


def _most_similar(texts: DistinctTexts, base: Pairs, found: Pairs) -> Pairs:
    """For each row on the right of `base`, the most similar kept document: that of base, or one found for its text.

    Only documents that are kept before the row count. Ties go to the one kept earlier.
    """
    order = np.argsort(texts.number[found.right], kind="stable")
    found = found.take(order)
    of_found = texts.number[found.right]
    begins = np.searchsorted(of_found, texts.number[base.right], side="left")
    counts = np.searchsorted(of_found, texts.number[base.right], side="right") - begins
    row = np.repeat(np.arange(len(base)), counts)
    more = found.take(ranges(begins, counts))
    more = Pairs(more.left, base.right[row], more.jaccard, more.estimate)
    in_time = texts.rank[more.left] < texts.rank[more.right]
    every = Pairs.concat([base, more.take(np.flatnonzero(in_time))])
    every = every.take(np.lexsort((texts.rank[every.left], -every.score, every.right)))
    return every.take(np.flatnonzero(np.append(True, np.diff(every.right) != 0)[: len(every)]))
