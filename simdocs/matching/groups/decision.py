"""Decisions: which documents are duplicates of which. A decision is complete when it is returned."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from simdocs.families import CLUSTERS
from simdocs.kernels.group.connectivity import PairGraph
from simdocs.matching.candidates.self_join import SelfJoin
from simdocs.matching.documents.corpus import Documented
from simdocs.matching.documents.prepared import in_keep_order
from simdocs.matching.groups.chains import Chains, Groups
from simdocs.matching.groups.components import connected
from simdocs.matching.groups.greedy import greedy
from simdocs.matching.pairs.similar_pairs import PairCollector, with_copies
from simdocs.matching.verification.verify import Verifier
from simdocs.model.groups import Components, Pairs
from simdocs.model.ragged import Mask, Rows
from simdocs.model.skipped import Skip
from simdocs.recipes import Grouping


@dataclass(frozen=True, slots=True, eq=False)
class Decision:
    """Which documents of a corpus are duplicates of which.

    verifier: that of the corpus. pairs: each duplicate (right) with its kept document (left), by row, ascending by
    both. found: the graph of the similar pairs that were found among all rows (for connected components: the pairs of
    each document with the first one). eligible: (N,) which documents could have been duplicates, because they are not
    always kept. known: rows of new documents that an index holds already. capped: rows of kept documents that were not
    compared with all documents kept before them, because a bucket was full. of_all: the pairs, even if only those of
    changed documents are wanted. components, chains, nearest: see Groups. of_index: the first documents of the corpus
    may come from an index; these are their rows there.
    """

    verifier: Verifier
    pairs: Pairs
    found: PairGraph
    eligible: Mask
    known: Rows
    capped: Rows
    of_all: Pairs
    components: Components | None = None
    chains: Chains | None = None
    nearest: Pairs | None = None
    of_index: Rows = field(default_factory=lambda: np.empty(0, np.int64))

    @property
    def corpus(self) -> Documented:
        """The documents that the rows of the decision number."""
        return self.verifier.corpus

    @property
    def groups(self) -> int:
        """The number of kept documents that have duplicates."""
        return len(np.unique(self.pairs.left))

    @property
    def largest(self) -> tuple[int, int] | None:
        """The row of the kept document with the most duplicates, and their number. Of several, it is the first."""
        kept, counts = np.unique(self.pairs.left, return_counts=True)
        if not len(kept):
            return None
        most = int(counts.argmax())
        return int(kept[most]), int(counts[most])

    def pairs_of_given(self) -> Pairs:
        """The pairs, in which the documents given have their own rows, and those of the index come after them all."""
        first, given = len(self.of_index), len(self.corpus) - len(self.of_index)
        rows = np.concatenate((given + self.of_index, np.arange(given)))
        return replace(self.pairs, left=rows[self.pairs.left], right=self.pairs.right - first)

    def with_changed(self, changed: Mask) -> Decision:
        """The part of the decision that is news: pairs with a changed document, and the changed documents themselves.

        changed: (N,) which documents are new or changed.
        """
        pairs = self.pairs.with_any(changed)
        components = self.components
        if components is not None:
            components = components.take(np.flatnonzero(np.isin(components.kept, pairs.left)))
        return replace(self, pairs=pairs, eligible=self.eligible & changed, components=components)

    def duplicates(self) -> Rows:
        """The rows of all duplicates, ascending."""
        return self._unchanged(np.flatnonzero(self._is_duplicate()))

    def kept(self) -> Rows:
        """The rows of all eligible documents that are not duplicates, ascending.

        For an exact answer, documents of an artifact that are missing or have changed are reported and left out.
        """
        return self._without_lost(self._unchanged(self._all_kept()))

    def kept_and_found(self) -> Rows:
        """The rows of the kept documents, ascending. Only those that are known by now to have changed are left out.

        For an exact answer, documents of an artifact that are missing are reported and left out.
        """
        rows = self._all_kept()
        rows = rows[self.verifier.found(rows)] if self.verifier.exact else rows
        return self._without_lost(rows)

    def _without_lost(self, rows: Rows) -> Rows:
        """These rows without documents of an artifact that could not be read again when they were to be compared."""
        if not (lost := {name for root, name in self.verifier.run.tally.lost if root}):
            return rows
        recorded = np.flatnonzero(self.corpus.recorded(rows))
        names = self.corpus.names(rows[recorded])
        return np.delete(rows, recorded[[name in lost for name in names]])

    def _all_kept(self) -> Rows:
        return np.flatnonzero(self.eligible & ~self._is_duplicate())

    def _is_duplicate(self) -> Mask:
        is_duplicate = np.zeros(len(self.eligible), bool)
        is_duplicate[self.pairs.right] = True
        return is_duplicate

    def _unchanged(self, rows: Rows) -> Rows:
        return rows[self.verifier.unchanged(rows)] if self.verifier.exact else rows


def decide(join: SelfJoin, grouping: Grouping, *, explain: bool = False) -> Decision:
    """Group documents that are compared with each other. Capped documents are reported in the run.

    explain: see `connected`.
    """
    texts = in_keep_order(join.prepared.documents, grouping.keep, join.lost)
    candidates, verifier = join.candidates(texts.first, texts.number, grouping.max_candidates)
    capped = np.empty(0, np.int64)
    if CLUSTERS[grouping.cluster].by_chains:
        groups = connected(texts, candidates, verifier, explain=explain)
        collector = PairCollector(len(join.verifier.corpus))
        collector.add(groups.pairs)
        found = collector.graph()
    else:
        pairs, capped, found, nearest = greedy(texts, candidates, verifier, explain=explain)
        groups = Groups(pairs, nearest=nearest)
    eligible = np.ones(len(join.prepared.documents), bool)
    return decision_of(join.verifier, groups, found, eligible, np.empty(0, np.int64), capped)


def decision_of(
    verifier: Verifier, groups: Groups, found: PairGraph, eligible: Mask, known: Rows, capped: Rows
) -> Decision:
    """The decision without pairs of documents that are missing or have changed. Reports known and capped documents."""
    for reason, rows in (("known", known), ("capped", capped)):
        named = zip(verifier.corpus.names(rows), verifier.corpus.printed_names(rows), strict=True)
        verifier.run.skipped.extend(Skip(reason, name, root=printed.removesuffix(name)) for name, printed in named)
    pairs = verifier.confirmed(groups.pairs)
    found = with_copies(found, pairs)
    more = groups.components, groups.chains, groups.nearest
    return Decision(verifier, pairs, found, eligible, known, capped, pairs, *more)
