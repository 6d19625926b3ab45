"""A dry run of shingle, signature or index: what the build would change. Nothing is written."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from simdocs.artifacts.writer import check_target
from simdocs.commands.named_rows import DocumentNames, RecordedNames, names_for
from simdocs.commands.new_artifact import build_and_compare, plan_of, standing_for, with_all_ignored
from simdocs.commands.searching import read_in_words, update_in_words
from simdocs.engines.run import Run
from simdocs.matching.corpus import Corpus
from simdocs.model.documents import Documents
from simdocs.model.ragged import Array, Rows
from simdocs.model.result import AT_ONCE, NAME, Result, Row, Table, table_head
from simdocs.names import display_name
from simdocs.options.recipes import Recipe

if TYPE_CHECKING:
    from simdocs.commands.build import Build

STATUSES, REMOVED = ("unchanged", "changed", "new", "renamed"), "removed"
"""What an update would do with a document."""

CHANGES = table_head(status=NAME, document=NAME)


class _Discard:
    """Takes the arrays of an artifact, and keeps nothing."""

    def append(self, name: str, piece: Array) -> None:
        """Forget these rows."""

    def finish(self, documents: Documents, recipe: Recipe, run: Mapping[str, Any]) -> None:
        """Write nothing."""


def changes_of(options: Build, run: Run) -> Result:
    """The changes that a build would make. This fails as the build would, but takes no lock.

    A row has the status and the name of a document: first those that the artifact would hold, and then those of removed
    ones in their old order. The list `all` has unchanged ones, too.
    """
    plan = plan_of(options)
    assert options.output is not None
    check_target(os.fsdecode(options.output), options.kind)
    plan = with_all_ignored(plan, run)
    there = standing_for(options, plan)
    built, found = build_and_compare(plan, _Discard(), run, there, "it would be rebuilt from scratch")
    documents, target = built.documents, display_name(options.output)
    assert documents is not None
    now = Corpus.of(documents, plan.recipe)
    if plan.intake.artifact is not None:
        now = Corpus.of_artifact(plan.intake.artifact)
    statuses = np.zeros(len(documents), np.int8)
    for number, rows in enumerate((found.changed, found.new, found.renamed), 1):
        statuses[rows] = number
    names = names_for(run, documents)

    def changes(rows: Rows) -> Iterator[list[Row]]:
        yield from _rows(now, rows, [STATUSES[number] for number in statuses[rows].tolist()], names)
        if there.artifact is not None:
            earlier = RecordedNames(there.artifact.documents, {}) if run.look is None else names
            of_old = Corpus.of_artifact(there.artifact)
            yield from _rows(of_old, found.removed, [REMOVED] * len(found.removed), earlier)

    table = Table(CHANGES, lambda: changes(np.flatnonzero(statuses)))
    every = Table(CHANGES, lambda: changes(np.arange(len(statuses))))
    if run.draw is not None:
        run.draw(every if run.look is not None and run.look.verbose else table)
    facts = {name: value for name, value in built.summary().items() if name != "looks_like"}
    facts |= {"dry_run": True, "looks_like": built.summary()["looks_like"]}

    def lines(seconds: float, _verbose: bool) -> Iterator[str]:
        yield read_in_words(documents, run.skipped)
        if note := facts["update"]["note"]:
            yield note
        yield update_in_words(facts["update"])
        yield f"{target}: not written, because this is a dry run ({seconds:.2f} s)"

    return Result(
        options.command,
        table,
        lists={"all": every},
        facts=facts,
        lines=lines,
        documents=documents,
        skipped=run.skipped,
        advice=built.advice,
    )


def _rows(documents: Corpus, rows: Rows, statuses: Sequence[str], names: DocumentNames) -> Iterator[list[Row]]:
    """Yield the documents with their statuses, if their names can be printed."""
    for at in range(0, len(rows), AT_ONCE):
        found, fit = names.of(documents, rows[at : at + AT_ONCE])
        yield [(statuses[at + place], found[place]) for place in np.flatnonzero(fit).tolist()]
