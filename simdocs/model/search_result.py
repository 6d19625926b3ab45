"""The result of every search for similar documents."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from simdocs.model.answers import GROUPED, NAME, SIMILARITY, table_head
from simdocs.model.byte_strings import ByteStrings
from simdocs.model.documents import Documents
from simdocs.model.groups import Pairs
from simdocs.model.names import name_to_text
from simdocs.model.ragged import Index, Ragged
from simdocs.model.skipped import Skipped
from simdocs.parameters.answers import Grouping
from simdocs.parameters.recipes import Banding, Bands, Recipe
from simdocs.parameters.texts import Walking

if TYPE_CHECKING:
    from simdocs.model.explanation import ExplainedDocument

GROUPS, PAIRS, MATCHES = (
    table_head(GROUPED, **{left: NAME, right: NAME, "jaccard": SIMILARITY, "estimate": SIMILARITY})
    for left, right in (("kept", "duplicate"), ("document", "other"), ("query", "match"))
)
CONTAINING = MATCHES.but(GROUPED, containment=SIMILARITY)
NESTED = PAIRS.but(GROUPED, containment=SIMILARITY, contained=NAME)

PairRow = tuple[Any, ...]
"""A row of an answer: two names, exact similarity, estimate; and if containment was measured, what is said of it.

Its length depends on the measure. Type checkers refuse to unpack a tuple of unknown length unless all its values have
the type Any.
"""


@dataclass(frozen=True, eq=False, repr=False)
class SearchFacts:
    """What a search did.

    documents: those that were asked about.
    bands: how candidates were found; None: by an exact join.
    threshold: in force.
    probability: the smallest with which a pair at the threshold becomes a candidate.
    candidates: pairs that became one.
    verified: pairs whose exact similarity was computed, copies of one text included.
    changed: how many documents are new or changed, if only pairs with one of them were looked for.
    measure: what was compared with the threshold.
    ignored: how many tokens are left out of all documents.
    undecided: how many documents were too short for the sketch of the index, so that each was compared with all
        documents; None: candidates were not found by a sketch.
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
        left, right = (map(name_to_text, ByteStrings(names)) for names in self.names)
        yield from self.pairs.named(left, right)


class ComponentFacts(NamedTuple):
    """How loosely one connected component hangs together.

    smallest_to_kept, smallest_of_two: the smallest similarity to the kept document, and of any two (None: unknown).
    all_compared: whether all pairs of its distinct texts were compared.
    """

    kept: bytes
    documents: int
    smallest_to_kept: float | None
    smallest_of_two: float | None
    all_compared: bool


@dataclass(frozen=True, eq=False, repr=False)
class Deduplication(SearchResult):
    """Which documents are kept and which are duplicates.

    documents: those that were given.
    pairs: left, the row kept; right, that of its duplicate; in the order of the answer. With an index to compare
        against, row r of the index is len(documents) + r.
    names: of both documents of each pair.
    kept: the rows, among the documents given, of those that are no duplicates and not known to the index.
    known: how many were known to the index.
    against_index: whether there is one.
    largest: the kept document with the most duplicates, and how many.
    duplicate_bytes: the size of the text of the duplicates, after decompression.
    duplicate_files: how many of them are files, and not lines or texts in memory.
    freed_bytes: the size on disk that deleting these files would free.
    advice: lines for people if k does not suit the documents, or if many of them may share only a template.
    explained: with explain, why each document is kept or a duplicate, in the order of the documents, after those of the
        index that are kept for them; None if it was handed over in blocks.
    """

    kept: Index
    groups: int
    known: int = 0
    against_index: bool = False
    largest: tuple[bytes, int] | None = None
    duplicate_bytes: int = 0
    duplicate_files: int = 0
    freed_bytes: int = 0
    components: tuple[ComponentFacts, ...] | None = None
    advice: tuple[str, ...] = ()
    explained: tuple[ExplainedDocument, ...] | None = None

    @property
    def found(self) -> int:
        """How many duplicates there are."""
        return len(self.pairs)

    @property
    def kept_names(self) -> list[str]:
        """The names of the documents that are kept."""
        return [self.documents.name(row) for row in self.kept.tolist()]

    @property
    def duplicate_names(self) -> list[str]:
        """The names of the duplicates."""
        return [name_to_text(self.names[1][at].tobytes()) for at in range(len(self.pairs))]

    def __repr__(self) -> str:
        return f"<Deduplication: documents={len(self.documents)}, groups={self.groups}, duplicates={self.found}>"


@dataclass(frozen=True, eq=False, repr=False)
class SimilarPairs(SearchResult):
    """Every pair of near-duplicates. pairs, names: as of Deduplication, empty if the pairs were handed over in blocks.

    found: how many pairs are listed. left_out: how many similar pairs are not, because copies of one text are listed
    as a chain. advice: as of Deduplication.
    """

    found: int
    left_out: int = 0
    advice: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<SimilarPairs: documents={len(self.documents)}, pairs={self.found}>"


@dataclass(frozen=True, eq=False, repr=False)
class Matches(SearchResult):
    """The matches that a query found.

    documents: those that were asked about.
    pairs: left, their rows; right, rows of the index; in the order of the answer. Empty if they were handed over in
        blocks.
    names: of both documents of each pair.
    indexed: how many documents the index has.
    found: how many matches there are.
    matched: how many documents have one.
    similar: how many matches are at the threshold or above.
    nearest: how many of the most similar documents were asked for, whatever the threshold; 0: those at the threshold.
    advice: as of Deduplication.
    left_out: how many copies of the nearest documents are not listed.
    """

    indexed: int
    found: int
    matched: int
    similar: int
    nearest: int = 0
    advice: tuple[str, ...] = ()
    left_out: int = 0

    def __repr__(self) -> str:
        return f"<Matches: documents={len(self.documents)}, matched={self.matched}, matches={self.found}>"
