"""Groups: which documents are duplicates of which, decided greedily or by connected components."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from simdocs.kernels import grouping
from simdocs.kernels.grouping import KEPT, REMOVED, PairGraph, keep_order, with_pairs
from simdocs.matching.corpus import Corpus
from simdocs.matching.rounds import GroupingState
from simdocs.matching.self_join import Candidates, PairCollector, SelfJoin
from simdocs.matching.verify import Verifier
from simdocs.model.documents import Documents
from simdocs.model.groups import Pairs
from simdocs.model.ragged import Index, Mask, Rows, TextNumbers, distinct, ranges
from simdocs.model.skipped import Skip
from simdocs.options.answers import Grouping


@dataclass(frozen=True, eq=False, kw_only=True)
class Decision:
    """Which documents of a corpus are duplicates of which.

    verifier: for the corpus.
    pairs: each duplicate (right) with its kept document (left), by row, ascending by both.
    found: the graph of the similar pairs that were found. For connected components, its pairs are those of each
        document with the first one.
    capped: the kept documents that were not compared with all documents kept before them, because a bucket was full.
    eligible: (N,) which documents could have been duplicates, because they are not always kept; None: all.
    known: rows of new documents that an index holds already.
    """

    verifier: Verifier
    pairs: Pairs
    found: PairGraph
    capped: Rows = field(default_factory=lambda: np.empty(0, np.int64))
    eligible: Mask | None = None
    known: Rows = field(default_factory=lambda: np.empty(0, np.int64))

    @property
    def corpus(self) -> Corpus:
        """The corpus whose rows the decision has."""
        return self.verifier.corpus

    def confirmed(self, verifier: Verifier) -> Decision:
        """The decision without pairs of documents that are missing or have changed. Reports known and capped documents.

        verifier: for the same corpus, without token sets in memory.
        """
        corpus = verifier.corpus
        for reason, rows in (("known", self.known), ("capped", self.capped)):
            named = zip(corpus.names(rows), corpus.printed_names(rows), strict=True)
            verifier.run.skipped.extend(Skip(reason, name, root=printed.removesuffix(name)) for name, printed in named)
        pairs = verifier.confirmed(self.pairs)
        # These pairs connect documents, too, without being counted.
        found = with_pairs(self.found, pairs.left, pairs.right, np.zeros(len(pairs), bool))
        return replace(self, verifier=verifier, pairs=pairs, found=found)

    @property
    def groups(self) -> int:
        """The number of kept documents that have duplicates."""
        return len(distinct(self.pairs.left))

    @property
    def largest(self) -> tuple[int, int] | None:
        """The row of the kept document with the most duplicates, and their number. Of several, it is the first."""
        kept, counts = np.unique(self.pairs.left, return_counts=True)
        if not len(kept):
            return None
        most = int(counts.argmax())
        return int(kept[most]), int(counts[most])

    def with_changed(self, changed: Mask) -> Decision:
        """The part of the decision that is new: pairs with a changed document, and the changed documents themselves.

        changed: (N,) which documents are new or changed.
        """
        pairs = self.pairs.with_any(changed)
        eligible = changed if self.eligible is None else self.eligible & changed
        return replace(self, pairs=pairs, eligible=eligible)

    def duplicates(self) -> Rows:
        """The rows of all duplicates, ascending."""
        return self._unchanged(distinct(self.pairs.right))

    def kept(self) -> Rows:
        """The rows of all eligible documents that are not duplicates, ascending.

        For an exact answer, documents of an artifact that are missing or have changed are reported and left out.
        """
        return self._without_lost(self._unchanged(self._all_kept()))

    def kept_and_found(self) -> Rows:
        """The rows of the kept documents, ascending, without those that are already known to have changed.

        For an exact answer, documents of an artifact that are missing are reported and left out.
        """
        rows = self._all_kept()
        rows = rows[self.verifier.found(rows)] if self.verifier.exact else rows
        return self._without_lost(rows)

    def _without_lost(self, rows: Rows) -> Rows:
        """These rows without documents of an artifact that could not be read again for a comparison."""
        if not (lost := {name for root, name in self.verifier.run.tally.lost if root}):
            return rows
        recorded = np.flatnonzero(self.corpus.recorded(rows))
        names = self.corpus.names(rows[recorded])
        return np.delete(rows, recorded[[name in lost for name in names]])

    def _all_kept(self) -> Rows:
        kept = np.ones(len(self.corpus), bool) if self.eligible is None else self.eligible.copy()
        kept[self.pairs.right] = False
        return np.flatnonzero(kept)

    def _unchanged(self, rows: Rows) -> Rows:
        return rows[self.verifier.unchanged(rows)] if self.verifier.exact else rows


def decide(join: SelfJoin, grouping: Grouping) -> Decision:
    """Group documents that are compared with each other. Capped documents are reported in the run."""
    texts = in_keep_order(join.verifier.corpus.documents, grouping.keep, join.lost)
    candidates, verifier = join.candidates(texts.first, texts.number, grouping.max_candidates)
    if grouping.cluster == "components":
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
    found, first, number = PairCollector(len(verifier.corpus)), texts.first, texts.number

    def compare(left: TextNumbers, right: TextNumbers) -> Pairs:
        pairs = verifier.similar(first[left], first[right])
        found.add(pairs)
        return replace(pairs, left=number[pairs.left], right=number[pairs.right])

    state = candidates.decide(compare, lambda decided: verifier.run.progress("grouping", decided, len(texts)))
    copies = texts.copies
    fate = state.status[texts.number[copies]]
    kept = copies[fate == KEPT]
    of_kept = Pairs.of_copies(texts.first[texts.number[kept]], kept, exact=verifier.exact)
    removed = np.flatnonzero(state.status == REMOVED)
    of_removed = _removed_pairs(texts, state, removed, texts.first[removed], verifier)
    late = _later_copies(texts, candidates, state, copies[fate == REMOVED], verifier)
    pairs = Pairs.concat([of_kept, of_removed, late]).in_row_order()
    capped = np.sort(texts.first[candidates.capped(state.status)])
    return Decision(verifier=verifier, pairs=pairs, found=found.graph(), capped=capped)


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
    last = np.full(len(texts), -1)  # the greatest rank of one of its copies
    np.maximum.at(last, texts.number[copies], texts.rank[copies])
    removed = np.flatnonzero(last >= 0)
    pairs = []
    for left, right in candidates.with_kept(removed, state.status):
        between = (right > left) & (texts.rank[texts.first[right]] < last[left])
        pairs.append(verifier.similar(texts.first[right[between]], texts.first[left[between]]))
    return _most_similar(texts, base, Pairs.concat(pairs)) if pairs else base


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


def connected(texts: DistinctTexts, candidates: Candidates, verifier: Verifier) -> Decision:
    """Group documents by component: all except the first in keep order are duplicates of that first one.

    The similarity to the first one is exact, and may be below the threshold.
    """
    label = _labels(texts, candidates, verifier)
    members = np.flatnonzero(label != np.arange(len(texts)))
    firsts = _compared(texts.first[label[members]], texts.first[members], verifier)
    copies = texts.copies
    to = texts.first[label[texts.number[copies]]]
    own = to == texts.first[texts.number[copies]]
    of_first = Pairs.of_copies(to[own], copies[own], exact=verifier.exact)
    place = np.searchsorted(members, texts.number[copies[~own]])
    others = Pairs(to[~own], copies[~own], firsts.jaccard[place], firsts.estimate[place])
    pairs = Pairs.concat([firsts, of_first, others]).in_row_order()
    collector = PairCollector(len(verifier.corpus))
    collector.add(pairs)
    return Decision(verifier=verifier, pairs=pairs, found=collector.graph())


def _labels(texts: DistinctTexts, candidates: Candidates, verifier: Verifier) -> TextNumbers:
    """The first text of each text's component."""
    label = np.arange(len(texts))
    for phase in (candidates.links(), None):
        for left, right in phase if phase is not None else candidates.other_links(label):
            apart = label[left] != label[right]
            similar = verifier.similar(texts.first[left[apart]], texts.first[right[apart]])
            label = grouping.connect(label, texts.number[similar.left], texts.number[similar.right])
            verifier.run.progress("connecting", verifier.run.tally.candidates, 0)
    return label


def _compared(left: Rows, right: Rows, verifier: Verifier) -> Pairs:
    estimate = verifier.corpus.estimates(left, right)
    jaccard = verifier.exact_jaccard(left, right) if verifier.exact else np.full(len(left), np.nan)
    return Pairs(left, right, jaccard, estimate)
