"""Distinct texts in keep order, and greedy groups, in which every duplicate is similar to its kept document."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from simdocs.kernels.group.greedy_rounds import KEPT, REMOVED, keep_order
from simdocs.matching.candidates.rounds import GroupingState
from simdocs.matching.candidates.self_join import Candidates, SelfJoin
from simdocs.matching.groups.decision import Decision
from simdocs.matching.similar_pairs import PairCollector
from simdocs.matching.verification.verify import Verifier
from simdocs.model.documents import Documents
from simdocs.model.groups import Pairs
from simdocs.model.ragged import Index, Mask, Rows, TextNumbers, ranges
from simdocs.options.answers import Grouping
from simdocs.options.families import CLUSTERS


def decide(join: SelfJoin, grouping: Grouping) -> Decision:
    """Group documents that are compared with each other. Capped documents are reported in the run."""
    texts = in_keep_order(join.verifier.corpus.documents, grouping.keep, join.lost)
    candidates, verifier = join.candidates(texts.first, texts.number, grouping.max_candidates)
    if CLUSTERS[grouping.cluster].by_chains:
        from simdocs.matching.groups.components import connected

        decision = connected(texts, candidates, verifier)
    else:
        decision = greedy(texts, candidates, verifier)
    return decision.confirmed(join.verifier)


class DistinctTexts:
    """M distinct texts, numbered in keep order by their first copy. Empty documents have no number.

    first: (M,) the row of that copy.
    number: (N,) the number of each document's text, or -1.
    rank: (N,) the position of each document in keep order.
    """

    __slots__ = ("first", "number", "rank")

    def __init__(self, first: Rows, number: TextNumbers, rank: Index) -> None:
        self.first, self.number, self.rank = first, number, rank

    def __len__(self) -> int:
        return len(self.first)

    @property
    def copies(self) -> Rows:
        """The rows that are not the first copy of their text, ascending."""
        is_first = np.zeros(len(self.number), bool)
        is_first[self.first] = True
        return np.flatnonzero(~is_first & (self.number >= 0))


def in_keep_order(documents: Documents, policy: str, left_out: Mask | None = None) -> DistinctTexts:
    """The distinct texts of the documents in the keep order of this policy. Documents left out have no number."""
    order = keep_order(policy, documents.facts["size"], documents.mtimes())
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    _, text = documents.distinct_texts(left_out)
    ranked = order[text[order] >= 0]
    texts, place = np.unique(text[ranked], return_index=True)
    by_first = np.argsort(place)
    number = np.full(int(text.max(initial=-1)) + 2, -1)  # the -1 of an empty document selects the last entry
    number[texts[by_first]] = np.arange(len(place))
    return DistinctTexts(ranked[place[by_first]], number[text], rank)


def greedy(texts: DistinctTexts, candidates: Candidates, verifier: Verifier) -> Decision:
    """Group documents greedily, with the same result as deciding about them one by one, in keep order."""
    comparer = _Comparer(texts, verifier, PairCollector(len(verifier.corpus)))
    state = candidates.decide(comparer)
    copies = texts.copies
    fate = state.status[texts.number[copies]]
    kept = copies[fate == KEPT]
    of_kept = Pairs.of_copies(texts.first[texts.number[kept]], kept, exact=verifier.exact)
    removed = np.flatnonzero(state.status == REMOVED)
    of_removed = _removed_pairs(texts, state, removed, texts.first[removed], verifier)
    late = _later_copies(texts, candidates, state, copies[fate == REMOVED], verifier)
    pairs = Pairs.concat([of_kept, of_removed, late]).in_row_order()
    capped = np.sort(texts.first[candidates.capped(state.status)])
    return Decision(verifier=verifier, pairs=pairs, found=comparer.found.graph(), capped=capped)


class _Comparer:
    """Compares distinct texts by their first copies. found: collects the similar pairs of kept texts, by row."""

    def __init__(self, texts: DistinctTexts, verifier: Verifier, found: PairCollector) -> None:
        self.texts, self.verifier, self.found = texts, verifier, found

    def similar(self, left: TextNumbers, right: TextNumbers) -> Pairs:
        similar = self.verifier.similar(self.texts.first[left], self.texts.first[right])
        number = self.texts.number
        return replace(similar, left=number[similar.left], right=number[similar.right])

    def use(self, pairs: Pairs) -> None:
        first = self.texts.first
        self.found.add(replace(pairs, left=first[pairs.left], right=first[pairs.right]))

    def progress(self, decided: int) -> None:
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
