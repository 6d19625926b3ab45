"""Documents that are compared with each other, and groups: which are duplicates of which.

Groups are decided greedily or by connected components.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import NamedTuple, TypeAlias

import numpy as np

from simdocs.engines.engine import Progress, each_band, in_threads, no_progress, threads_for
from simdocs.kernels.buckets import (
    buckets_of_band,
    candidate_pairs,
    joined_bands,
    joined_blocks,
    shared_of_table,
)
from simdocs.kernels.grouping import KEPT, REMOVED, PairGraph, connect, keep_order
from simdocs.matching.candidates import BucketCandidates, ExactJoin, GroupingState
from simdocs.matching.corpus import Corpus
from simdocs.matching.verify import Verifier
from simdocs.model.artifact import BandIndex, damaged
from simdocs.model.documents import Documents
from simdocs.model.groups import Pairs
from simdocs.model.ragged import Index, Mask, Ragged, Rows, TextNumbers, count_true_in_rows, distinct, ranges
from simdocs.model.skipped import Skip
from simdocs.options.answers import Grouping
from simdocs.options.recipes import Bands

Candidates: TypeAlias = BucketCandidates | ExactJoin
"""The candidate pairs among texts that are numbered in keep order."""


class SelfJoin:
    """Documents to compare with each other, and the way to find candidates.

    Documents of an artifact that have copies are looked up again when the join is made.

    verifier: compares the documents of its corpus.
    bands: candidates share a bucket of one of these; None: an exact join, in which they share a rare token.
    most_memory: the bytes that an exact join may take; None: all available memory.
    lost: (N,) which documents of an artifact are missing or have changed, if they have copies. They are left out. None:
        no document is lost.
    """

    def __init__(self, verifier: Verifier, bands: Bands | None, most_memory: int | None = None) -> None:
        self.verifier, self.bands, self.most_memory = verifier, bands, most_memory
        documents, self.lost = verifier.corpus.documents, None
        if verifier.corpus.recorded(np.arange(len(documents))).any():
            _, text = documents.distinct_texts()
            rows, lost = np.flatnonzero(text >= 0), np.zeros(len(text), bool)
            lost[rows] = verifier.lost_copies(rows, text[rows])
            self.lost = lost if lost.any() else None

    def distinct_texts(self) -> tuple[Rows, TextNumbers]:
        """The first document of each distinct text, and the number of each document's text, without lost documents."""
        return self.verifier.corpus.documents.distinct_texts(self.lost)

    def candidates(self, firsts: Rows, numbers: TextNumbers, most: int) -> tuple[Candidates, Verifier]:
        """The candidate pairs of documents `firsts`, as texts numbered 0, 1, ..., for grouping; and their verifier.

        That of an exact join has the token sets in memory. Only the join's own verifier notices files that change.
        numbers: (N,) the number of each document's text. most: see BucketCandidates.
        """
        if self.bands is None:
            exact = ExactJoin(self.verifier, firsts, self.most_memory)
            return exact, exact.verifier
        shared = self._buckets(self.bands, firsts, numbers)
        self.verifier.copy(firsts[distinct(shared.values)])
        return BucketCandidates(shared, len(firsts), most), self.verifier

    def pairs(
        self, firsts: Rows, numbers: TextNumbers | None, wanted: Mask | None = None
    ) -> tuple[Iterator[tuple[Index, Index]], Verifier]:
        """The candidate pairs of documents `firsts`, as members numbered 0, 1, ..., and their verifier.

        The pairs ascend, in blocks that have all pairs of each of their left members.
        numbers: (N,) the number of each document's text, if firsts are the first documents of the texts. wanted: (M,)
        only pairs with a wanted member are listed; None: all are.
        """
        if self.bands is None:
            exact = ExactJoin(self.verifier, firsts, self.most_memory)
            return exact.pairs(wanted), exact.verifier
        shared = self._buckets(self.bands, firsts, numbers)
        compared = shared
        if wanted is not None:
            compared = shared.take(np.flatnonzero(count_true_in_rows(wanted[shared.values], shared.offsets)))
        self.verifier.copy(firsts[distinct(compared.values)])
        return joined_blocks(candidate_pairs(shared, len(firsts), wanted)), self.verifier

    def _buckets(self, bands: Bands, firsts: Rows, numbers: TextNumbers | None) -> Ragged:
        # The tables of an index name the first copy of each text, which may be lost.
        numbers = numbers if self.lost is None else None
        corpus, run = self.verifier.corpus, self.verifier.run
        if corpus.index is not None and numbers is not None:
            return buckets_of_index(corpus.index, numbers, len(firsts), run.progress)
        of_band = partial(buckets_of_band, corpus.signatures.all(), firsts, rows=bands.rows)
        made = in_threads(of_band, range(bands.bands), threads_for(len(firsts), run.engine))
        return joined_bands(each_band(made, bands.bands, run.progress))


def buckets_of_index(index: BandIndex, numbers: TextNumbers, size: int, progress: Progress = no_progress) -> Ragged:
    """The buckets that documents of an index share, from its tables: Ragged int32, of text numbers below `size`.

    numbers: (N,) the number of each document's text, in row order of their first documents.
    """
    tables, owners = index["band_keys"], index["band_rows"]
    bands = len(owners.all())
    members = (_members(index, numbers[rows], size) for rows in each_band(owners.all(), bands, progress))
    shared = joined_bands(map(shared_of_table, tables.all(), members))
    tables.release()
    owners.release()
    return shared


def _members(index: BandIndex, texts: TextNumbers, size: int) -> TextNumbers:
    """The texts in a band of the index. ArtifactError: they are not all numbers below `size`, each once."""
    if len(texts) != size or (np.bincount(texts + 1, minlength=size + 1)[1:] != 1).any():
        raise damaged(f"{index.name}/band_rows.npy", "does not hold every distinct text once in each band")
    return texts


def rows_around(index: BandIndex, changed: Rows, *, linked: bool) -> Rows:
    """The documents of an index among which all pairs with changed documents are found, ascending.

    These are the changed documents, and all documents whose texts share a bucket with the text of a changed one.
    linked: also the documents that share a bucket with any of these, and so on, until no bucket has other members. Then
    grouping them makes the same decisions as grouping the whole index.
    """
    firsts, text = index.documents.distinct_texts()
    buckets = buckets_of_index(index, text, len(firsts))
    chosen = np.zeros(len(firsts) + 1, bool)  # the -1 of an empty document selects the last entry
    chosen[text[changed]] = True
    if linked:
        heads = buckets.values[buckets.offsets[:-1]]
        component = connect(np.arange(len(firsts)), np.repeat(heads, buckets.lengths), buckets.values)
        chosen[:-1] = np.isin(component, component[chosen[:-1]])
    else:
        shared = count_true_in_rows(chosen[buckets.values], buckets.offsets)
        chosen[buckets.take(np.flatnonzero(shared)).values] = True
    return np.flatnonzero(chosen[text])


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
        self.found.add(pairs.left, pairs.right, np.zeros(len(pairs), bool))
        return replace(self, verifier=verifier, pairs=pairs)

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


class DistinctTexts(NamedTuple):
    """M distinct texts, numbered in keep order by their first copy. Empty documents have no number.

    first: (M,) the row of that copy.
    number: (N,) the number of each document's text, or -1.
    rank: (N,) the position of each document in keep order.
    """

    first: Rows
    number: TextNumbers
    rank: Index

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
    found, first, number = PairGraph(len(verifier.corpus)), texts.first, texts.number

    def compare(left: TextNumbers, right: TextNumbers) -> Pairs:
        pairs = verifier.similar(first[left], first[right])
        found.add(pairs.left, pairs.right, pairs.score < 1)
        return replace(pairs, left=number[pairs.left], right=number[pairs.right])

    state = candidates.decide(compare, lambda decided: verifier.run.progress("grouping", decided, len(texts.first)))
    copies = texts.copies
    fate = state.status[texts.number[copies]]
    kept = copies[fate == KEPT]
    of_kept = Pairs.of_copies(texts.first[texts.number[kept]], kept, exact=verifier.exact)
    removed = np.flatnonzero(state.status == REMOVED)
    of_removed = _removed_pairs(texts, state, removed, texts.first[removed], verifier)
    late = _later_copies(texts, candidates, state, copies[fate == REMOVED], verifier)
    pairs = Pairs.concat([of_kept, of_removed, late]).in_row_order()
    capped = np.sort(texts.first[candidates.capped(state.status)])
    return Decision(verifier=verifier, pairs=pairs, found=found, capped=capped)


def _removed_pairs(
    texts: DistinctTexts, state: GroupingState, removed: TextNumbers, rows: Rows, verifier: Verifier
) -> Pairs:
    """Each of these rows, which are copies of removed texts, with the kept document of its text."""
    jaccard = state.score[removed] if verifier.exact else np.full(len(removed), np.nan)
    return Pairs(texts.first[state.under[removed]], rows, jaccard, state.estimate[removed])


def _later_copies(
    texts: DistinctTexts,
    candidates: Candidates,
    state: GroupingState,
    copies: Rows,
    verifier: Verifier,
) -> Pairs:
    """Later copies of removed texts, each with the most similar of the documents kept before *it*.

    A document that is kept after the first copy and before this one may be more similar than that of the first copy.
    """
    base = _removed_pairs(texts, state, texts.number[copies], copies, verifier)
    if not len(copies):
        return base
    last = np.full(len(texts.first), -1)  # the greatest rank of one of its copies
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
    members = np.flatnonzero(label != np.arange(len(texts.first)))
    left, right = texts.first[label[members]], texts.first[members]
    estimate = verifier.corpus.estimates(left, right)
    jaccard = verifier.exact_jaccard(left, right) if verifier.exact else np.full(len(left), np.nan)
    firsts = Pairs(left, right, jaccard, estimate)
    copies = texts.copies
    to = texts.first[label[texts.number[copies]]]
    own = to == texts.first[texts.number[copies]]
    of_first = Pairs.of_copies(to[own], copies[own], exact=verifier.exact)
    place = np.searchsorted(members, texts.number[copies[~own]])
    others = Pairs(to[~own], copies[~own], firsts.jaccard[place], firsts.estimate[place])
    pairs = Pairs.concat([firsts, of_first, others]).in_row_order()
    found = PairGraph(len(verifier.corpus))
    found.add(pairs.left, pairs.right, pairs.score < 1)
    return Decision(verifier=verifier, pairs=pairs, found=found)


def _labels(texts: DistinctTexts, candidates: Candidates, verifier: Verifier) -> TextNumbers:
    """The first text of each text's component."""
    label = np.arange(len(texts.first))
    for left, right in candidates.links(label):
        apart = label[left] != label[right]
        similar = verifier.similar(texts.first[left[apart]], texts.first[right[apart]])
        label[:] = connect(label, texts.number[similar.left], texts.number[similar.right])
        verifier.run.progress("connecting", verifier.run.tally.candidates, 0)
    return label
