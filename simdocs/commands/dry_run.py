"""A dry run of shingle, signature or index: what the build would change. Nothing is written."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from simdocs.artifacts.writer import check_target
from simdocs.commands.blocks import PrintedNames
from simdocs.commands.new_artifact import BuildPlan, build_and_compare, plan_of, standing_for, with_all_ignored
from simdocs.engines.run import Run
from simdocs.matching.corpus import Corpus
from simdocs.model.answers import Block
from simdocs.model.artifact import Artifact
from simdocs.model.build_results import CHANGES, REMOVED, DryRun
from simdocs.model.documents import Documents
from simdocs.model.ragged import Array
from simdocs.names import display_name
from simdocs.options.recipes import Recipe

if TYPE_CHECKING:
    from simdocs.commands.build import Build

_AT_ONCE = 1 << 13
"""Rows of the answer in one block."""


class _Discard:
    """Takes the arrays of an artifact, and keeps nothing."""

    def append(self, name: str, piece: Array) -> None:
        """Forget these rows."""

    def finish(self, documents: Documents, recipe: Recipe, run: Mapping[str, Any]) -> None:
        """Write nothing."""


def changes_of(options: Build, run: Run) -> DryRun:
    """The changes that a build would make. This fails as the build would, but takes no lock."""
    delivery = run.delivery
    plan = plan_of(options, delivery.outputs)
    assert options.output is not None
    check_target(os.fsdecode(options.output), options.kind)
    plan = with_all_ignored(plan, run)
    there = standing_for(options, plan)
    built, found = build_and_compare(plan, _Discard(), run, there, "it would be rebuilt from scratch")
    result = DryRun(
        built=replace(built, target=display_name(options.output)),
        earlier=there.documents,
        new=found.new,
        changed=found.changed,
        removed=found.removed,
        renamed=found.renamed,
    )
    if delivery.take is not None:
        for block in _blocks(result, plan, there.artifact, run, unchanged=delivery.look.verbose):
            delivery.take(block)
    return result


def _blocks(result: DryRun, plan: BuildPlan, old: Artifact | None, run: Run, *, unchanged: bool) -> Iterator[Block]:
    """Yield the documents that have a status, with the names of those that can be printed."""
    if plan.intake.artifact is None:
        now = Corpus.of(result.documents, plan.recipe)
    else:
        now = Corpus.of_artifact(plan.intake.artifact)
    listed = [(now, *result.statuses(unchanged=unchanged))]
    if old is not None:
        listed.append((Corpus.of_artifact(old), result.removed, [REMOVED] * len(result.removed)))
    printed = PrintedNames(run.skipped)
    yield Block(CHANGES, [])
    for documents, rows, statuses in listed:
        for at in range(0, len(rows), _AT_ONCE):
            names, fit = printed.of(documents, rows[at : at + _AT_ONCE])
            fitting = np.flatnonzero(fit).tolist()
            yield Block(CHANGES, [(statuses[at + place], names[place]) for place in fitting])
