"""The result of every search for similar documents."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from simdocs.model.documents import Documents
from simdocs.model.groups import Pairs
from simdocs.model.names import name_to_text
from simdocs.model.ragged import Index, Ragged
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


CHOSEN, UNMATCHED, INDEXED = "chosen", "unmatched", "indexed"
"""Why a document is kept: the first of its group in keep order; not similar to another kept one; in the index."""

EMPTY, IGNORED, CAPPED, UNVERIFIED = "empty", "ignored", "capped", "unverified"
"""Why a document is kept that was not compared with all others: it has no shingles; all its tokens are left out; too
many kept ones share a bucket with it; its text is gone or has changed since this run read it."""

IDENTICAL, SIMILAR, LINKED = "identical", "similar", "linked"
"""Why a document is a duplicate: the same text as the kept one; similar to it; linked to it by similar documents."""

MOST_LINKS = 100
"""Links of a chain that are listed at most: the chains of n documents in a line have n(n+1)/2 links."""


class Link(NamedTuple):
    """A document of a chain, and how similar it is to the one before it. jaccard: None if it was not computed."""

    document: str
    jaccard: float | None
    estimate: float


@dataclass(frozen=True, slots=True)
class ExplainedDocument:
    """Why one document is kept, or a duplicate of another one.

    kept: the kept document of its group, which may be the document itself. reason: one of those above. compared_with:
    the kept document of a duplicate; for a kept one, of its candidates that are kept before it, the one whose signature
    agrees most, if there is one. jaccard, estimate: how similar the document and that one are, exactly (None: not
    computed) and by their signatures. bands_met: the numbers of the bands, from 1, in which their signatures agree.
    bands: how many bands there are, if any. documents: the number of documents in the group. smallest_to_kept: the
    smallest similarity of one of them to the kept one.

    Of connected components: smallest_of_two, the smallest similarity of any two documents; all_compared, whether all
    pairs were compared for it, or only some, so that there may be a smaller one; links, the chain of similar documents
    after the kept one, up to this document; of a very long chain, the last MOST_LINKS.
    """

    kept: str
    document: str
    reason: str
    compared_with: str | None
    jaccard: float | None
    estimate: float | None
    bands_met: tuple[int, ...] | None
    bands: int | None
    documents: int
    smallest_to_kept: float | None
    smallest_of_two: float | None = None
    all_compared: bool | None = None
    links: tuple[Link, ...] | None = None


@dataclass(frozen=True, eq=False, repr=False)
class ComponentFacts:
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

    documents: those that were given. pairs: left, the row kept; right, that of its duplicate; in the order of the
    answer. With an index to compare against, row r of the index is len(documents) + r. names: of both documents of each
    pair. kept: the rows, among the documents given, of those that are no duplicates and are not
    known to the index. known: how many were known to the index. against_index: whether there is
    one. largest: the kept document with the most duplicates, and how many. duplicate_bytes: the size of the
    text of the duplicates, after decompression. duplicate_files: how many of them are files, and not lines or texts in
    memory. freed_bytes: the size on disk that deleting these files would free.
    advice: lines for people if k does not suit the documents, or if many of them may share only a template. explained:
    with explain, why each document is kept or a duplicate, in the order of the documents, after those of the index
    that are kept for them; None if it was handed over in blocks.
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
    """What a query found.

    documents: those that were asked about. pairs: left, their rows; right, rows of the index; in the order of the
    answer; empty if they were handed over in blocks. names: of both documents of each pair. indexed: documents in the
    index. found: matches. matched: documents that have one. similar: matches at the threshold or above. nearest: how
    many of the most similar documents were asked for, whatever the threshold (0: those at the threshold). advice: as
    of Deduplication. left_out: how many copies of the nearest documents are not listed.
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
