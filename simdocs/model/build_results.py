"""What the build of an artifact comes back with, and a dry run of one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from simdocs.model.answers import NAME, table_head
from simdocs.model.documents import Documents
from simdocs.model.ragged import Index
from simdocs.model.skipped import Skipped
from simdocs.parameters.recipes import Banding, Recipe


@dataclass(frozen=True, eq=False, repr=False)
class Expectation:
    """What bands will find.

    curve: the least probability that a pair becomes a candidate, at the tenths of similarity. at_threshold: the same at
    the threshold. candidates: how many other texts share a bucket with a text, on average, counted in the buckets.
    better_num_perm, better_candidates: if those are many, a signature length that is expected to need fewer (0: none
    does), and how many. sketched: how many tokens the containment sketch has; None if there is none.
    """

    curve: tuple[tuple[float, float], ...]
    at_threshold: float
    candidates: float
    better_num_perm: int = 0
    better_candidates: float = 0.0
    sketched: int | None = None


@dataclass(frozen=True, slots=True)
class UpdateFacts:
    """How many documents of an artifact are unchanged, changed and new, and how many were removed, by their names.

    kept: how many are kept though they cannot be read, so that it is not known whether they have changed. note: what
    else to know, such as why nothing was taken over from the artifact that was there; may be empty. renamed: how many
    have a new name, and the text of a document whose name is gone; these are neither new nor removed.
    """

    unchanged: int
    changed: int
    new: int
    removed: int
    note: str = ""
    kept: int = 0
    renamed: int = 0


@dataclass(frozen=True, eq=False, repr=False)
class BuildResult:
    """An artifact was built: of these documents, with this recipe.

    expectation: of an index. advice: on parameters that do not suit the documents. update: what changed. ignored: how
    many tokens are left out of all documents.
    """

    kind: str
    documents: Documents
    recipe: Recipe
    skipped: Skipped
    expectation: Expectation | None = None
    advice: tuple[str, ...] = ()
    found: int = 0
    update: UpdateFacts = UpdateFacts(0, 0, 0, 0)
    ignored: int = 0


UNCHANGED, CHANGED, NEW, KEPT, RENAMED, REMOVED = "unchanged", "changed", "new", "kept", "renamed", "removed"
"""What an update does with a document: the statuses of a dry run."""

CHANGES = table_head(status=NAME, document=NAME)


@dataclass(frozen=True, eq=False, repr=False)
class DryRun:
    """What a build would change in the artifact that it would replace.

    built: what the build would say. earlier: the documents of the artifact that is there; None if there is none that
    can be read. new, changed, kept, renamed: rows of `documents`. removed: rows of `earlier`.
    """

    built: BuildResult
    earlier: Documents | None
    new: Index
    changed: Index
    removed: Index
    kept: Index
    renamed: Index

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
        """How many documents are unchanged, changed, new, removed, kept and renamed."""
        return self.built.update

    def statuses(self, *, unchanged: bool = False) -> tuple[Index, list[str]]:
        """The rows of documents that are changed, new, kept or renamed, ascending, and the status of each.

        unchanged: take unchanged documents, too.
        """
        numbers = np.zeros(len(self.documents), np.int8)
        for number, marked in enumerate((self.changed, self.new, self.kept, self.renamed), 1):
            numbers[marked] = number
        rows = np.arange(len(numbers)) if unchanged else np.flatnonzero(numbers)
        return rows, [(UNCHANGED, CHANGED, NEW, KEPT, RENAMED)[number] for number in numbers[rows].tolist()]

    def rows(self, *, unchanged: bool = False) -> Iterator[tuple[str, str]]:
        """Status and name: of documents in their order, then of removed ones in their old order.

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
        names = (UNCHANGED, CHANGED, NEW, REMOVED, RENAMED)
        return f"<DryRun: {', '.join(f'{name}={getattr(found, name)}' for name in names)}>"


FactValue = str | int | float
"""A value that is shown: a number as one."""


@dataclass(frozen=True, eq=False, repr=False)
class ArtifactInfo:
    """What an artifact is. facts: keys and values, in the order in which they are shown; a key may come again."""

    kind: str
    facts: tuple[tuple[str, FactValue], ...]
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
