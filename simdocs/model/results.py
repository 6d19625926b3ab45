"""Results: what each question comes back with, complete when it is returned.

Answers that may be larger than memory (all similar pairs, all matches, lines) are handed over in blocks on the way, in
their final order; the result itself then has the counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from simdocs.model.documents import Documents
from simdocs.model.groups import Pairs
from simdocs.model.names import name_to_text
from simdocs.model.ragged import Floats, Index, Ragged
from simdocs.model.skipped import Skipped
from simdocs.recipes import Banding, Bands, Grouping, Recipe, Walking


@dataclass(frozen=True, eq=False, repr=False)
class PairBlock:
    """Some pairs of an answer: the names, the exact similarities (NaN: not computed) and the estimates."""

    left: list[bytes]
    right: list[bytes]
    jaccard: Floats
    estimate: Floats


@dataclass(frozen=True, eq=False, repr=False)
class NameBlock:
    """Some names of an answer."""

    names: list[bytes]


@dataclass(frozen=True, eq=False, repr=False)
class LineBlock:
    """Some lines of an answer, without their ends."""

    lines: list[bytes]


@dataclass(frozen=True, eq=False, repr=False)
class TokenBlock:
    """Some shingles of a text, in text order, with their tokens."""

    shingles: list[bytes]
    tokens: list[int]


@dataclass(frozen=True, eq=False, repr=False)
class FactBlock:
    """Some keys of an answer with their values."""

    keys: list[str]
    values: list[str]


@dataclass(frozen=True, eq=False, repr=False)
class ChangeBlock:
    """Some documents of an answer, with the status of each."""

    statuses: list[str]
    names: list[bytes]


Block = PairBlock | NameBlock | LineBlock | TokenBlock | FactBlock | ChangeBlock

Take = Callable[[Block], None]
"""Takes the blocks of an answer as they come."""


@dataclass(frozen=True, eq=False, repr=False)
class Expectation:
    """What bands will find.

    curve: the probability that a pair becomes a candidate, at the tenths of similarity. at_threshold: the same at the
    threshold. candidates: expected candidates a document, from sampled pairs. better_num_perm, better_candidates: where
    those are many, a signature length that needs fewer (0: none does).
    """

    curve: tuple[tuple[float, float], ...]
    at_threshold: float
    candidates: float
    better_num_perm: int = 0
    better_candidates: float = 0.0


@dataclass(frozen=True, slots=True)
class UpdateFacts:
    """How many documents of an artifact are unchanged, changed and new, and how many were removed, by their names.

    note: what else to know, such as why nothing was taken over from the artifact that was there; may be empty.
    """

    unchanged: int
    changed: int
    new: int
    removed: int
    note: str = ""


@dataclass(frozen=True, eq=False, repr=False)
class BuildResult:
    """An artifact was built: of these documents, with this recipe.

    expectation: of an index. advice: on parameters that do not suit the documents. update: what changed.
    """

    kind: str
    documents: Documents
    recipe: Recipe
    skipped: Skipped
    expectation: Expectation | None = None
    advice: tuple[str, ...] = ()
    found: int = 0
    update: UpdateFacts = UpdateFacts(0, 0, 0, 0)


UNCHANGED, CHANGED, NEW, REMOVED = "unchanged", "changed", "new", "removed"
"""What an update does with a document: the statuses of a dry run."""


@dataclass(frozen=True, eq=False, repr=False)
class DryRun:
    """What a build would change in the artifact that it would replace.

    built: what the build would say. earlier: the documents of the artifact that is there; None if there is none that
    can be read. new, changed: rows of `documents`. removed: rows of `earlier`.
    """

    built: BuildResult
    earlier: Documents | None
    new: Index
    changed: Index
    removed: Index

    @property
    def documents(self) -> Documents:
        """The documents that the artifact would hold."""
        return self.built.documents

    @property
    def skipped(self) -> Skipped:
        """The documents that the artifact would not hold."""
        return self.built.skipped

    @property
    def counts(self) -> UpdateFacts:
        """How many documents are unchanged, changed, new and removed."""
        return self.built.update

    def statuses(self, *, unchanged: bool = False) -> tuple[Index, list[str]]:
        """The rows of documents that are changed or new, ascending, and the status of each.

        unchanged: take unchanged documents, too.
        """
        numbers = np.zeros(len(self.documents), np.int8)
        numbers[self.changed], numbers[self.new] = 1, 2
        rows = np.arange(len(numbers)) if unchanged else np.flatnonzero(numbers)
        return rows, [(UNCHANGED, CHANGED, NEW)[number] for number in numbers[rows].tolist()]

    def rows(self, *, unchanged: bool = False) -> Iterator[tuple[str, str]]:
        """Status and name: of changed and new documents in their order, then of removed ones in their old order.

        unchanged: list unchanged documents, too.
        """
        rows, statuses = self.statuses(unchanged=unchanged)
        for row, status in zip(rows.tolist(), statuses, strict=True):
            yield status, self.documents.name(row)
        if self.earlier is not None:
            for row in self.removed.tolist():
                yield REMOVED, self.earlier.name(row)

    def __repr__(self) -> str:
        found = self.counts
        counts = f"unchanged={found.unchanged}, changed={found.changed}, new={found.new}, removed={found.removed}"
        return f"<DryRun: {counts}>"


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """What all answers about similar documents have in common.

    documents: those that were asked about. bands: how candidates were found; None: by an exact join. threshold: in
    force. probability: that a pair at the threshold becomes a candidate. candidates: pairs that did. verified: pairs
    whose exact similarity was computed, copies of one text included. changed: how many documents are new or changed, if
    only pairs with one of them were looked for.
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

    def __repr__(self) -> str:
        counts = f"documents={len(self.documents)}, candidates={self.candidates}, verified={self.verified}"
        return f"<Comparison: {counts}, threshold={self.threshold:g}>"


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
class Deduplication:
    """Which documents are kept and which are duplicates.

    documents: those that were given. pairs: left, the row kept; right, that of its duplicate; in the order of the
    answer. With an index to compare against, row r of the index is len(documents) + r. names: of both documents of each
    pair. kept: the rows, among the documents given, of those that are no duplicates and are not
    known to the index. known: how many were known to the index. against_index: whether there is
    one. largest: the kept document with the most duplicates, and how many. duplicate_bytes: what the duplicates take.
    advice: a line for people if many documents may share only a template.
    """

    documents: Documents
    pairs: Pairs
    names: tuple[Ragged, Ragged]
    kept: Index
    comparison: Comparison
    groups: int
    known: int = 0
    against_index: bool = False
    largest: tuple[bytes, int] | None = None
    duplicate_bytes: int = 0
    components: tuple[ComponentFacts, ...] | None = None
    advice: tuple[str, ...] = ()

    @property
    def found(self) -> int:
        """How many duplicates there are."""
        return len(self.pairs)

    @property
    def skipped(self) -> Skipped:
        """The documents that were not compared."""
        return self.comparison.skipped

    @property
    def warnings(self) -> tuple[str, ...]:
        """What to know before trusting the answer, such as that many pairs at this threshold are missed."""
        return tuple(self.skipped.warnings)

    @property
    def kept_names(self) -> list[str]:
        """The names of the documents that are kept."""
        return [self.documents.name(row) for row in self.kept.tolist()]

    @property
    def duplicate_names(self) -> list[str]:
        """The names of the duplicates."""
        return [name_to_text(self.names[1][at].tobytes()) for at in range(len(self.pairs))]

    def rows(self) -> Iterator[tuple[str, str, float, float]]:
        """Name kept, name of its duplicate, exact similarity (NaN: not computed), estimate."""
        return _named(self.pairs, *self.names)

    def __repr__(self) -> str:
        return f"<Deduplication: documents={len(self.documents)}, groups={self.groups}, duplicates={self.found}>"


@dataclass(frozen=True, eq=False, repr=False)
class SimilarPairs:
    """Every pair of near-duplicates. pairs, names: as of Deduplication, empty if the pairs were handed over in blocks.

    found: how many pairs are listed. left_out: how many similar pairs are not, because copies of one text are listed
    as a chain. advice: as of Deduplication.
    """

    documents: Documents
    pairs: Pairs
    names: tuple[Ragged, Ragged]
    comparison: Comparison
    found: int
    left_out: int = 0
    advice: tuple[str, ...] = ()

    @property
    def skipped(self) -> Skipped:
        """The documents that were not compared."""
        return self.comparison.skipped

    @property
    def warnings(self) -> tuple[str, ...]:
        """What to know before trusting the answer, such as that many pairs at this threshold are missed."""
        return tuple(self.skipped.warnings)

    def rows(self) -> Iterator[tuple[str, str, float, float]]:
        """Name, other name, exact similarity (NaN: not computed), estimate."""
        return _named(self.pairs, *self.names)

    def __repr__(self) -> str:
        return f"<SimilarPairs: documents={len(self.documents)}, pairs={self.found}>"


@dataclass(frozen=True, eq=False, repr=False)
class Matches:
    """What a query found.

    documents: those that were asked about. pairs: left, their rows; right, rows of the index; in the order of the
    answer; empty if they were handed over in blocks. names: of both documents of each pair. indexed: documents in the
    index. found: matches. matched: documents that have one. similar: matches at the threshold or above. nearest: how
    many of the most similar documents were asked for, whatever the threshold (0: those at the threshold).
    """

    documents: Documents
    pairs: Pairs
    names: tuple[Ragged, Ragged]
    comparison: Comparison
    indexed: int
    found: int
    matched: int
    similar: int
    nearest: int = 0

    @property
    def skipped(self) -> Skipped:
        """The documents that were not compared."""
        return self.comparison.skipped

    @property
    def warnings(self) -> tuple[str, ...]:
        """What to know before trusting the answer, such as that many pairs at this threshold are missed."""
        return tuple(self.skipped.warnings)

    def rows(self) -> Iterator[tuple[str, str, float, float]]:
        """Name asked about, name of the match, exact similarity (NaN: not computed), estimate."""
        return _named(self.pairs, *self.names)

    def __repr__(self) -> str:
        return f"<Matches: documents={len(self.documents)}, matched={self.matched}, matches={self.found}>"


@dataclass(frozen=True, eq=False, repr=False)
class ArtifactInfo:
    """What an artifact is. facts: keys and values, in the order in which they are shown."""

    kind: str
    facts: tuple[tuple[str, str], ...]
    banding: Banding | None = None
    expectation: Expectation | None = None

    def __repr__(self) -> str:
        return f"<ArtifactInfo: kind={self.kind!r}, documents={dict(self.facts)['documents']}>"


@dataclass(frozen=True, eq=False, repr=False)
class CheckResult:
    """What is wrong with artifacts: a line for each damage, and for each that could not be looked at."""

    damages: tuple[str, ...] = ()
    unreadable: tuple[str, ...] = field(default=())

    def __repr__(self) -> str:
        return f"<CheckResult: damages={len(self.damages)}, unreadable={len(self.unreadable)}>"


def _named(pairs: Pairs, left: Ragged, right: Ragged) -> Iterator[tuple[str, str, float, float]]:
    figures = zip(pairs.jaccard.tolist(), pairs.estimate.tolist(), strict=True)
    for at, (jaccard, estimate) in enumerate(figures):
        yield name_to_text(left[at].tobytes()), name_to_text(right[at].tobytes()), jaccard, estimate
