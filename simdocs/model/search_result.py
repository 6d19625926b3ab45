"""The result of every search for similar documents."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from simdocs.model.documents import Documents
from simdocs.model.groups import Pairs
from simdocs.model.names import name_to_text
from simdocs.model.ragged import Ragged
from simdocs.model.skipped import Skipped
from simdocs.recipes import Banding, Bands, Grouping, Recipe, Walking

PairRow = tuple[Any, ...]
"""A row of an answer: two names, exact similarity, estimate; and if containment was measured, what is said of it.

Its length depends on the measure. Type checkers let nobody unpack a tuple of an open length, unless all its values have
the type Any.
"""


@dataclass(frozen=True, eq=False, repr=False)
class SearchFacts:
    """What a search did, whatever it looked for.

    documents: those that were asked about. bands: how candidates were found; None: by an exact join. threshold: in
    force. probability: the least with which a pair at the threshold becomes a candidate. candidates: pairs that did.
    verified: pairs whose exact similarity was computed, copies of one text included. changed: how many documents are
    new or changed, if only pairs with one of them were looked for. measure: what was compared with the threshold.
    ignored: how many tokens are left out of all documents. undecided: how many documents were too short for the sketch
    of the index, so that each was compared with all documents; None: candidates were not found by a sketch.
    """

    documents: Documents
    recipe: Recipe
    walking: Walking
    grouping: Grouping
    banding: Banding | None
    bands: Bands | None
    threshold: float
    probability: float
    candidates: int
    verified: int
    skipped: Skipped
    changed: int | None = None
    measure: str = "jaccard"
    ignored: int = 0
    undecided: int | None = None

    def __repr__(self) -> str:
        counts = f"documents={len(self.documents)}, candidates={self.candidates}, verified={self.verified}"
        return f"<SearchFacts: {counts}, threshold={self.threshold:g}>"


@dataclass(frozen=True, eq=False, repr=False)
class SearchResult:
    """Pairs of similar documents, complete when it is returned.

    documents: those that were given. pairs: their rows, in the order of the answer; empty if they were handed over in
    blocks. names: of both documents of each pair. comparison: what was compared, and how.
    """

    documents: Documents
    pairs: Pairs
    names: tuple[Ragged, Ragged]
    comparison: SearchFacts

    @property
    def skipped(self) -> Skipped:
        """The documents that were not compared."""
        return self.comparison.skipped

    @property
    def warnings(self) -> tuple[str, ...]:
        """What to know before trusting the answer, such as that many pairs at this threshold are missed."""
        return tuple(self.skipped.warnings)

    def rows(self) -> Iterator[PairRow]:
        """The names of the two documents of each pair, exact similarity (NaN: not computed), estimate.

        If containment was measured, that comes next; among similar pairs, it is the larger of both, and the last is
        which of the two documents is contained: document, other or both.
        """
        (left, right), pairs = self.names, self.pairs
        figures = zip(pairs.jaccard.tolist(), pairs.estimate.tolist(), *pairs.more, strict=True)
        for at, (jaccard, estimate, *more) in enumerate(figures):
            yield name_to_text(left[at].tobytes()), name_to_text(right[at].tobytes()), jaccard, estimate, *more
