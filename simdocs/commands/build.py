"""Building artifacts: shingle, signature, index; from documents or from what an earlier stage has built."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Protocol

import numpy as np

from simdocs.engines.run import Run
from simdocs.model.documents import EMPTY, SHORT, Documents
from simdocs.model.names import text_of
from simdocs.model.ragged import Array, Index, Ragged, Tokens
from simdocs.model.skipped import Skipped
from simdocs.parameters import Banding, Recipe, Sketching
from simdocs.pipeline.advice import advice
from simdocs.pipeline.indexing import Expectation, expectation, tables
from simdocs.pipeline.prepare import Intake, banded, found_of, signed
from simdocs.pipeline.shingling import shingle
from simdocs.version import __version__


@dataclass(slots=True)
class Built:
    """What was built, told in numbers. advice: on k."""

    documents: Documents
    recipe: Recipe
    skipped: Skipped
    facts: dict[str, Any]
    advice: list[str] = field(default_factory=list)


class Saves(Protocol):
    """What takes the arrays of an artifact as they come: on disk, or in memory."""

    def append(self, name: str, piece: Array) -> None:
        """Rows of an array, after those that it has."""

    def finish(self, documents: Documents, recipe: Recipe, run: Mapping[str, Any]) -> None:
        """The rest of it."""


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be built, where to, and by which command line (for run.json)."""

    intake: Intake
    recipe: Recipe
    saving: Saves
    command: Sequence[str]
    strict: bool = False


Build = Callable[[Order, Run], Built]


def build_shingles(order: Order, run: Run) -> Built:
    """Token sets of documents, onto a shelf, batch by batch."""
    started = _now()
    found = found_of(order.intake, run)
    lengths: list[Index] = []

    def take(sets: Ragged) -> None:
        order.saving.append("tokens", sets.values)
        lengths.append(sets.lengths)

    limit = order.intake.walking.max_size
    documents = shingle(found, limit, order.recipe, run, take)
    counts = np.concatenate(lengths) if lengths else np.empty(0, np.int64)
    order.saving.append("tokens", np.empty(0, np.uint32))
    order.saving.append("offsets", np.concatenate(([0], np.cumsum(counts))))
    return _finished(order, order.recipe, documents, run.skipped, started)


def build_signatures(order: Order, run: Run) -> Built:
    """Signatures of documents or of token sets, onto a shelf."""
    started = _now()
    recipe = replace(order.recipe, sketching=order.recipe.sketching or Sketching())
    documents, signatures, _ = signed(order.intake, recipe, run, with_sets=True)
    order.saving.append("signatures", signatures)
    return _finished(order, recipe, documents, run.skipped, started)


def build_index(order: Order, run: Run) -> Built:
    """Bucket tables of documents, token sets or signatures, onto a shelf, with the signatures."""
    started = _now()
    recipe = banded(order.recipe)
    banding = recipe.banding or Banding()
    documents, signatures, _ = signed(order.intake, recipe, run, with_sets=True)
    made = tables(documents, signatures, banding.bands or 1, banding.rows or 1)
    for name, array in (
        ("band_keys", made.keys),
        ("band_rows", made.rows),
        ("same_as", made.same_as),
        ("signatures", signatures),
    ):
        order.saving.append(name, array)
    built = _finished(order, recipe, documents, run.skipped, started)
    built.facts |= expectation_facts(expected_of(documents, lambda rows: signatures[rows], recipe), banding)
    return built


def expected_of(documents: Documents, signatures: Callable[[Index], Tokens], recipe: Recipe) -> Expectation:
    """What is to be expected of an index of these documents."""
    firsts, _ = documents.distinct_texts()
    return expectation(signatures, firsts, recipe.banding or Banding(), recipe.shingling.seed)


def expectation_facts(expected: Expectation, banding: Banding) -> dict[str, Any]:
    """The same in words of JSON."""
    facts: dict[str, Any] = {
        "threshold": banding.threshold,
        "bands": banding.bands,
        "rows": banding.rows,
        "probability": expected.at_threshold,
        "curve": [[similarity, chance] for similarity, chance in expected.curve],
        "candidates_a_document": expected.candidates,
    }
    if expected.better_places:
        facts["fewer_with"] = {"num_perm": expected.better_places, "candidates_a_document": expected.better_candidates}
    return facts


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def _finished(order: Order, recipe: Recipe, documents: Documents, skipped: Skipped, started: str) -> Built:
    """All that was built, published unless there is something against it."""
    flags = documents.facts["flags"]
    facts: dict[str, Any] = {
        "documents": len(documents),
        "bytes": int(documents.facts["size"].sum()),
        "empty": int(((flags & EMPTY) != 0).sum()),
        "short": int(((flags & SHORT) != 0).sum()),
        "tokens": int(documents.facts["count"].sum()),
        "skipped": skipped.counts,
        "parameters": asdict(recipe),
    }
    built = Built(documents, recipe, skipped, facts)
    if order.intake.shelf is None:
        built.advice = list(advice(documents, recipe.shingling))
    if not (order.strict and skipped.unjudged):
        order.saving.finish(documents, recipe, _run(order, skipped, started))
    return built


def _run(order: Order, skipped: Skipped, started: str) -> dict[str, Any]:
    """What differs between two equal runs."""
    earlier = {} if order.intake.shelf is None else dict(order.intake.shelf.run)
    named = {reason: sorted(text_of(name) for name, _ in each) for reason, each in skipped.by_reason.items()}
    root = order.intake.root if order.intake.shelf is not None else os.getcwdb()
    return {
        "simdocs": __version__,
        "command": list(order.command),
        "start": started,
        "root": earlier.get("root") if root is None else text_of(root),
        "skipped": named if order.intake.shelf is None else earlier.get("skipped", {}),
    }
