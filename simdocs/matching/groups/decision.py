"""Decisions: which documents are duplicates of which."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from simdocs.kernels.group.connectivity import PairGraph
from simdocs.matching.corpus import Corpus
from simdocs.matching.similar_pairs import with_copies
from simdocs.matching.verification.verify import Verifier
from simdocs.model.groups import Components, Pairs
from simdocs.model.ragged import Mask, Rows, distinct
from simdocs.model.skipped import Skip


def _none() -> Rows:
    return np.empty(0, np.int64)


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
    components: how similar the documents of each connected component are; None: greedy groups.
    """

    verifier: Verifier
    pairs: Pairs
    found: PairGraph
    capped: Rows = field(default_factory=_none)
    eligible: Mask | None = None
    known: Rows = field(default_factory=_none)
    components: Components | None = None

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
        return replace(self, verifier=verifier, pairs=pairs, found=with_copies(self.found, pairs))

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
        components = self.components
        if components is not None:
            components = components.take(np.flatnonzero(np.isin(components.kept, pairs.left)))
        eligible = changed if self.eligible is None else self.eligible & changed
        return replace(self, pairs=pairs, eligible=eligible, components=components)

    def duplicates(self) -> Rows:
        """The rows of all duplicates, ascending."""
        return self._unchanged(np.flatnonzero(self._is_duplicate()))

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
        kept = ~self._is_duplicate()
        return np.flatnonzero(kept if self.eligible is None else kept & self.eligible)

    def _is_duplicate(self) -> Mask:
        is_duplicate = np.zeros(len(self.corpus), bool)
        is_duplicate[self.pairs.right] = True
        return is_duplicate

    def _unchanged(self, rows: Rows) -> Rows:
        return rows[self.verifier.unchanged(rows)] if self.verifier.exact else rows
