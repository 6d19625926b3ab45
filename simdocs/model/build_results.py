"""The results of building an artifact, and of a dry run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from simdocs.model.answers import NAME, Block, Look, Tabular, table_head
from simdocs.model.documents import SHORT, Documents
from simdocs.model.figures import counted, figure, found_by, shown_probability, size
from simdocs.model.ragged import Index
from simdocs.model.run_result import LooksLike, RunResult, facts_left_out, left_out_in_words
from simdocs.model.skipped import Skipped
from simdocs.options.recipes import Banding, IndexRecipe, Recipe

if TYPE_CHECKING:
    from simdocs.model.artifact import Artifact

_BYTES_SKETCHED = 8
"""Bytes that a token takes in the containment sketch: the token and the row of a document, each uint32."""


@dataclass(frozen=True, eq=False, repr=False)
class Expectation:
    """The pairs that bands are expected to find.

    curve: pairs of a similarity, at every tenth, and the least probability that a pair of it becomes a candidate.
    at_threshold: the least probability at the threshold.
    candidates: the mean number of other texts that share a bucket with a text, counted in the buckets.
    better_num_perm: if those are many, a signature length that is expected to have fewer; 0 if there is none.
    better_candidates: the number of candidates to expect with that length.
    sketched: the number of tokens in the containment sketch; None if there is none.
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
            better = f"--num-perm {self.better_num_perm}"
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
    """The numbers of documents of an artifact that are unchanged, changed, new and removed, by their names.

    note: what else to know, such as why nothing was taken over from the earlier artifact; may be empty.
    renamed: the number of documents with a new name, and the text of one whose name is gone. They are neither new nor
        removed.
    """

    unchanged: int = 0
    changed: int = 0
    new: int = 0
    removed: int = 0
    note: str = ""
    renamed: int = 0

    def in_words(self) -> str:
        """The counts."""
        known = f"{self.unchanged:,} unchanged, {self.changed:,} changed, {self.new:,} new, {self.removed:,} removed"
        return known + (f", {self.renamed:,} renamed" if self.renamed else "")

    def lines(self) -> Iterator[str]:
        """Yield the lines of a summary; nothing about the first build of an artifact."""
        if self.note:
            yield self.note
        if self.unchanged or self.changed or self.removed or self.renamed:
            yield self.in_words()


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class BuildResult(RunResult):
    """The result of building an artifact.

    kind: its kind.
    documents: its documents.
    recipe: its parameters.
    skipped: the documents that it does not hold.
    target: its name; empty if it is in memory.
    expectation: what the bands of an index will find; None for other artifacts.
    advice: lines about parameters that do not suit the documents.
    update: what changed.
    ignored: the number of tokens that are left out of all documents.
    looks_like: see LooksLike.
    made: the artifact, if it is in memory.
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
    made: Artifact | None = None

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

    def summary(self, seconds: float | None = None) -> dict[str, Any]:
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


UNCHANGED, CHANGED, NEW, RENAMED, REMOVED = "unchanged", "changed", "new", "renamed", "removed"
"""The statuses of a document in a dry run: what the update would do with it."""

CHANGES = table_head(status=NAME, document=NAME)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class DryRun(RunResult, Tabular[tuple[str, str]]):
    """The changes that a build would make in the artifact that it would replace.

    built: the result that the build would have.
    earlier: the documents of the artifact that is there; None if there is none that can be read.
    new, changed, renamed: rows of `documents`.
    removed: rows of `earlier`.
    """

    built: BuildResult
    earlier: Documents | None
    new: Index
    changed: Index
    removed: Index
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
        """The numbers of documents that are unchanged, changed, new, removed and renamed."""
        return self.built.update

    @property
    def looks_like(self) -> LooksLike:
        """The kinds of container that documents look like, and the number of documents for each."""
        return self.built.looks_like

    SUMMARY_LAST = True

    @property
    def warned_of(self) -> tuple[str, ...]:
        """The advice of the build."""
        return self.built.advice

    def lines(self, seconds: float, *, verbose: bool = False) -> Iterator[str]:  # noqa: ARG002
        """Yield the lines of the summary."""
        yield self._read()
        if self.counts.note:
            yield self.counts.note
        yield self.counts.in_words()
        yield f"{self.built.target}: not written, because this is a dry run ({seconds:.2f} s)"

    def summary(self, seconds: float | None = None) -> dict[str, Any]:
        """The summary as values that JSON has."""
        facts = self.built.summary(seconds)
        looks_like = facts.pop("looks_like")
        return facts | {"dry_run": True, "looks_like": looks_like}

    def blocks(self, look: Look) -> Iterator[Block]:
        """Yield the changes."""
        yield Block(CHANGES, list(self.rows(unchanged=look.verbose)))

    def statuses(self, *, unchanged: bool = False) -> tuple[Index, list[str]]:
        """The rows of documents that are changed, new or renamed, ascending, and the status of each.

        unchanged: take unchanged documents, too.
        """
        numbers = np.zeros(len(self.documents), np.int8)
        for number, marked in enumerate((self.changed, self.new, self.renamed), 1):
            numbers[marked] = number
        rows = np.arange(len(numbers)) if unchanged else np.flatnonzero(numbers)
        return rows, [(UNCHANGED, CHANGED, NEW, RENAMED)[number] for number in numbers[rows].tolist()]

    def rows(self, *, unchanged: bool = False) -> Iterator[tuple[str, str]]:
        """Yield the status and name of each document in order, then those of removed ones in their old order.

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
