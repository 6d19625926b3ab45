"""The results of building an artifact, and of a dry run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self

import numpy as np

from simdocs.errors import mention
from simdocs.model.answers import NAME, Block, Look, table_head
from simdocs.model.documents import SHORT, Documents
from simdocs.model.figures import counted, figure, found_by, shown_probability, size
from simdocs.model.ragged import Index
from simdocs.model.run_result import LooksLike, RunResult, facts_left_out, left_out_in_words
from simdocs.model.skipped import Skipped
from simdocs.parameters.recipes import Banding, IndexRecipe, Recipe

_BYTES_SKETCHED = 8
"""Bytes that a token takes in the containment sketch: the token and the row of a document, each uint32."""


@dataclass(frozen=True, eq=False, repr=False)
class Expectation:
    """What bands will find.

    curve: the least probability that a pair becomes a candidate, at the tenths of similarity.
    at_threshold: the same at the threshold.
    candidates: how many other texts share a bucket with a text, on average, counted in the buckets.
    _: KW_ONLY
    better_num_perm, better_candidates: if those are many, a signature length that is expected to need fewer (0: none
        does), and how many.
    sketched: how many tokens the containment sketch has; None if there is none.
    """

    curve: tuple[tuple[float, float], ...]
    at_threshold: float
    candidates: float
    better_num_perm: int = 0
    better_candidates: float = 0.0
    sketched: int | None = None

    def lines(self, banding: Banding, *, verbose: bool) -> Iterator[str]:
        """Yield the lines of a summary. verbose: with the curve."""
        yield found_by(banding.bands, banding.rows, banding.threshold, self.at_threshold)
        if verbose:
            curve = (f"{shown_probability(found)} at {s:g}" for s, found in self.curve)
            yield f"chance of being found: {', '.join(curve)}"
        number = figure(self.candidates)
        line = f"about {number} candidate{'' if number == '1' else 's'} per document, counted in the buckets"
        if self.better_num_perm:
            better = f"{mention('num_perm')} {self.better_num_perm}"
            line += f": {better} would need about {figure(self.better_candidates)}"
        yield line

    def summary(self, banding: Banding) -> dict[str, Any]:
        """The same as values that JSON has."""
        facts: dict[str, Any] = {
            "threshold": banding.threshold,
            "bands": banding.bands,
            "rows": banding.rows,
            "probability": self.at_threshold,
            "curve": [[similarity, probability] for similarity, probability in self.curve],
            "candidates_a_document": self.candidates,
        }
        if self.sketched is not None:
            facts["sketch_tokens"] = self.sketched
        if self.better_num_perm:
            facts["fewer_with"] = {
                "num_perm": self.better_num_perm,
                "candidates_a_document": self.better_candidates,
            }
        return facts


class UpdateFacts(NamedTuple):
    """How many documents of an artifact are unchanged, changed and new, and how many were removed, by their names.

    note: what else to know, such as why nothing was taken over from the artifact that was there; may be empty.
    kept: how many are kept though they cannot be read, so that it is not known whether they have changed.
    renamed: how many have a new name, and the text of a document whose name is gone; these are neither new nor removed.
    """

    unchanged: int = 0
    changed: int = 0
    new: int = 0
    removed: int = 0
    note: str = ""
    kept: int = 0
    renamed: int = 0

    def in_words(self) -> str:
        """The counts."""
        known = f"{self.unchanged:,} unchanged, {self.changed:,} changed, {self.new:,} new, {self.removed:,} removed"
        more = f", {self.renamed:,} renamed" if self.renamed else ""
        return known + more + (f", {self.kept:,} kept (unreadable)" if self.kept else "")

    def lines(self) -> Iterator[str]:
        """Yield the lines of a summary; nothing about the first build of an artifact."""
        if self.note:
            yield self.note
        if self.unchanged or self.changed or self.removed or self.kept or self.renamed:
            yield self.in_words()


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class BuildResult(RunResult):
    """An artifact was built: of these documents, with this recipe.

    target: its name; empty in memory.
    expectation: of an index.
    advice: on parameters that do not suit the documents.
    update: what changed.
    ignored: how many tokens are left out of all documents.
    looks_like: see LooksLike.
    """

    kind: str
    documents: Documents
    recipe: Recipe
    skipped: Skipped
    target: str = ""
    expectation: Expectation | None = None
    advice: tuple[str, ...] = ()
    update: UpdateFacts
    ignored: int = 0
    looks_like: LooksLike = ()

    SUMMARY_LAST = True

    @property
    def warned_of(self) -> tuple[str, ...]:
        """The advice."""
        return self.advice

    def lines(self, seconds: float, *, verbose: bool = False) -> Iterator[str]:
        """Yield the lines of the summary."""
        yield f"{self._read()}, {counted(self.documents.tokens, 'token')}"
        yield from left_out_in_words(self.documents, self.ignored)
        yield from self.update.lines()
        if self.expectation is not None and isinstance(self.recipe, IndexRecipe):
            yield from self.expectation.lines(self.recipe.banding, verbose=verbose)
            if (tokens := self.expectation.sketched) is not None:
                each = tokens / max(len(self.documents), 1)
                yield (
                    f"containment sketch: {counted(tokens, 'token')}, {each:,.1f} for each document on average;"
                    f" {size(_BYTES_SKETCHED * tokens)}"
                )
        yield f"{self.target}: written in {seconds:.2f} s"

    def summary(self, seconds: float) -> dict[str, Any]:
        """The summary as values that JSON has."""
        facts = self._facts_of_documents()
        facts |= {"short": self.documents.flagged(SHORT), "tokens": self.documents.tokens}
        facts |= {"skipped": self.skipped.counts, "parameters": self.recipe.as_dict()}
        if self.kind != "shingles":
            facts |= facts_left_out(self.documents, self.ignored)
        facts["update"] = self.update._asdict()
        if self.expectation is not None and isinstance(self.recipe, IndexRecipe):
            facts |= self.expectation.summary(self.recipe.banding)
        facts |= {"kind": self.kind, "advice": list(self.advice), "seconds": seconds}
        return facts | {"looks_like": dict(self.looks_like)}

    def spelled(self, spelling: Callable[[str], str]) -> Self:
        """The result with the parameters that its texts mention spelled like this."""
        update = self.update._replace(note=spelling(self.update.note))
        return replace(self, advice=tuple(map(spelling, self.advice)), update=update)


UNCHANGED, CHANGED, NEW, KEPT, RENAMED, REMOVED = "unchanged", "changed", "new", "kept", "renamed", "removed"
"""What an update does with a document: the statuses of a dry run."""

CHANGES = table_head(status=NAME, document=NAME)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class DryRun(RunResult):
    """What a build would change in the artifact that it would replace.

    built: what the build would say.
    earlier: the documents of the artifact that is there; None if there is none that can be read.
    new, changed, kept, renamed: rows of `documents`.
    removed: rows of `earlier`.
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

    @property
    def looks_like(self) -> LooksLike:
        """Containers that documents look like, and how many of them do."""
        return self.built.looks_like

    SUMMARY_LAST = True

    @property
    def warned_of(self) -> tuple[str, ...]:
        """What the build would advise."""
        return self.built.advice

    def lines(self, seconds: float, *, verbose: bool = False) -> Iterator[str]:  # noqa: ARG002
        """Yield the lines of the summary."""
        yield self._read()
        if self.counts.note:
            yield self.counts.note
        yield self.counts.in_words()
        yield f"{self.built.target}: not written, because this is a dry run ({seconds:.2f} s)"

    def summary(self, seconds: float) -> dict[str, Any]:
        """The summary as values that JSON has."""
        facts = self.built.summary(seconds)
        looks_like = facts.pop("looks_like")
        return facts | {"dry_run": True, "looks_like": looks_like}

    def blocks(self, look: Look) -> Iterator[Block]:
        """Yield the changes."""
        yield Block(CHANGES, list(self.rows(unchanged=look.verbose)))

    def spelled(self, spelling: Callable[[str], str]) -> Self:
        """The result with the parameters that its texts mention spelled like this."""
        return replace(self, built=self.built.spelled(spelling))

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
