"""A dry run of shingle, signature or index: what the build would change. Nothing is written."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from simdocs.artifacts.writer import check_target
from simdocs.commands.blocks import PrintedNames
from simdocs.commands.build import BuildPlan, build_and_compare, with_all_ignored
from simdocs.commands.resolve import resolve
from simdocs.commands.standing import forgotten_bands, standing
from simdocs.engines.run import Run
from simdocs.matching.corpus import Corpus
from simdocs.model.answers import Block, Delivery
from simdocs.model.artifact import Artifact
from simdocs.model.build_results import CHANGES, REMOVED, DryRun
from simdocs.model.documents import Documents
from simdocs.model.names import display_name
from simdocs.model.ragged import Array
from simdocs.parameters.recipes import Recipe
from simdocs.requests.building import BuildRequest

_AT_ONCE = 1 << 13
"""Rows of the answer in one block."""


class _Discard:
    """Takes the arrays of an artifact, and keeps nothing."""

    def append(self, name: str, piece: Array) -> None:
        """Forget these rows."""

    def finish(self, documents: Documents, recipe: Recipe, run: Mapping[str, Any]) -> None:
        """Write nothing."""


def answer(request: BuildRequest, run: Run, delivery: Delivery) -> DryRun:
    """The changes that a build would make. This fails as the build would, but takes no lock."""
    plan, target = resolve(request, delivery.outputs), request.target
    assert target.output is not None
    check_target(os.fsdecode(target.output), request.kind)
    plan = with_all_ignored(plan, run)
    there = standing(target.output, plan.recipe, request.updating)
    run.skipped.warnings += forgotten_bands(there, plan.recipe, request.given)
    built, found = build_and_compare(plan, _Discard(), run, there, "it would be rebuilt from scratch")
    result = DryRun(
        built=replace(built, target=display_name(target.output)),
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
