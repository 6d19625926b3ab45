"""The distinct texts of an index, each with the copies of it that are still there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simdocs.kernels.lsh.buckets import equal_runs
from simdocs.matching.documents.corpus import Corpus
from simdocs.matching.verification.verify import Verifier
from simdocs.model.artifact import BandIndex
from simdocs.model.documents import WITHOUT_TOKENS
from simdocs.model.numbering import Rows
from simdocs.model.ragged import Ragged


@dataclass(frozen=True, slots=True, eq=False)
class IndexTexts:
    """The distinct texts of an index, in row order of their first documents. copies: the rows of each, ascending.

    A copy is lost if it is missing or has changed. A document without copies counts as not lost until it is read.
    """

    copies: Ragged

    @classmethod
    def of(
        cls, index: BandIndex, indexed: Corpus, verifier: Verifier | None = None, firsts: Rows | None = None
    ) -> IndexTexts:
        """The texts of an index that have tokens. indexed: its documents.

        verifier: that of these documents, which leaves out lost copies; None: all copies. firsts: only these texts, by
        the first document that the index has of each; None: all.
        """
        same_as = index["same_as"].all()
        rows = np.flatnonzero((indexed.all_facts()["flags"] & WITHOUT_TOKENS) == 0)
        if firsts is not None:
            rows = rows[np.isin(same_as[rows], firsts)]
        if verifier is not None:
            rows = rows[~verifier.lost_copies(rows, same_as[rows])]
        rows = rows[np.argsort(same_as[rows], kind="stable")]
        return cls(Ragged.from_lengths(rows, equal_runs(same_as[rows])[1]))

    @property
    def firsts(self) -> Rows:
        """The first copy of each text."""
        return self.copies.values[self.copies.offsets[:-1]]
