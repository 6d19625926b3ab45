"""A new artifact, or a dry run of one: its arrays and documents, and what it says of the run that has made it."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

from simdocs.advice import length_advice, useless_template
from simdocs.artifacts.writer import ArtifactWriter, MemoryWriter, check_target
from simdocs.commands.build import Build, Merge
from simdocs.commands.resolve import Resolved, of_bands, of_documents, of_signatures
from simdocs.commands.searching import (
    facts_at_end,
    facts_left_out,
    facts_read,
    lines_of_build,
    name_rows,
    names_for,
    read_in_words,
    update_in_words,
)
from simdocs.commands.standing import (
    NOTHING,
    Given,
    Standing,
    given_of,
    other_arguments,
    recorded_arguments,
    refuse_shrinking,
    refuse_unread,
    standing,
)
from simdocs.engines.engine import Run, each_band, threads_for
from simdocs.errors import UnjudgedError, UsageError
from simdocs.kernels.banding import low_recall, unknown_recall
from simdocs.matching.corpus import Corpus, name_prefix
from simdocs.model.artifact import Artifact, BandIndex, Signatures, as_ranges
from simdocs.model.documents import SHORT, Documents
from simdocs.model.ragged import NO_TOKENS, Array, Index, Ragged, Rows, Tokens
from simdocs.model.result import NAME, Result, Row, Table, table_head
from simdocs.names import display_name, name_to_text
from simdocs.options.recipes import OF_BANDS, IndexRecipe, Recipe, SignatureRecipe, Updating
from simdocs.pipeline.boilerplate import with_common_tokens
from simdocs.pipeline.changes import Changes, changes
from simdocs.pipeline.indexing import BucketCounter, Expectation, band_tables, same_as, stored_sketch
from simdocs.pipeline.reading import Reading
from simdocs.pipeline.signing import report_ignored, shingle, signed
from simdocs.reading import files
from simdocs.reading.unchanged import Earlier
from simdocs.version import __version__

BuildPlan = Resolved["Build"]

Writer: TypeAlias = "ArtifactWriter | MemoryWriter | _Discard"
"""Takes the arrays of an artifact piece by piece, on disk or in memory."""


def plan_of(options: Build) -> BuildPlan:
    """What is built, and from what: see `Resolved`.

    UsageError: options contradict the artifact in the place of documents.
    """
    if options.kind == "shingles":
        return of_documents(options)
    plan = of_signatures(options) if options.kind == "signatures" else of_bands(options, own=True)
    has_sketch = isinstance(plan.artifact, BandIndex) and plan.artifact.recipe.containing.containment
    if getattr(options, "containment", False) and isinstance(plan.artifact, Signatures) and not has_sketch:
        what = f"{plan.artifact.name} has no tokens, which --containment needs"
        raise UsageError(f"{what}: give the documents, or their .shingles")
    return plan


def build_and_compare(
    options: Build, plan: BuildPlan, writer: Writer, run: Run, consequence: str
) -> tuple[Result, Changes, Artifact | None]:
    """Build an artifact, and compare its documents with those of the one that it replaces, which is returned, too.

    UsageError: the artifact that is there was built with other options. ShrunkError: see `finish`. options: as they
    were given. consequence: what follows if nothing can be taken over, for a warning.
    """
    intake, recipe, there = plan.intake, plan.recipe, NOTHING
    # Functions that are stated need all shingles, and allow no tokens to be left out.
    if isinstance(recipe, SignatureRecipe) and recipe.sketching.is_own:
        from simdocs.commands.ignoring import with_all_items

        intake, recipe = with_all_items(intake, recipe, run)
    elif isinstance(recipe, SignatureRecipe):
        intake, recipe = with_common_tokens(intake, recipe, run)
    plan = replace(plan, intake=intake, recipe=recipe)
    if options.output is not None:
        # Who builds from an artifact, and says which bands, wants other bands.
        other_bands = plan.artifact is not None and bool(options.differ(OF_BANDS))
        there = standing(options.output, recipe, Updating.of(options.fields()), other_bands=other_bands)
    began_ns = files.now()
    note = f"rebuilt from scratch: {there.why_anew}" if there.why_anew else ""
    if there.unexpected:
        note = f"{there.why_anew}; {consequence}"
    documents, expectation = _BUILDERS[plan.options.kind](plan, writer, run, there.earlier)
    artifact = plan.artifact
    report_ignored(documents, b"" if artifact is None else name_prefix(None, artifact.root), run.skipped)
    if isinstance(recipe, SignatureRecipe):
        run.skipped.warnings += useless_template(documents, artifact, recipe)
    if isinstance(recipe, IndexRecipe):
        run.skipped.warnings += unknown_recall(recipe)
        run.skipped.warnings += low_recall(recipe.banding, recipe.sketching.num_perm)
    if plan.options.strict and run.skipped.unjudged:
        raise UnjudgedError(run.skipped)
    facts = (name_to_text(os.getcwdb()), began_ns, intake.walking.max_size, run.skipped.counts)
    of_reading = dict(zip(OF_READING, facts, strict=True)) if artifact is None else facts_of_reading(artifact)
    result, found = finish(
        *(plan.options, plan.options.kind, recipe, documents, writer, run, there, began_ns, note),
        recorded={**of_reading, "given": given_of(intake, documents)},
        ignored=len(intake.ignored),
        expectation=expectation,
        advice=tuple(length_advice(documents, recipe.shingling)) if artifact is None else (),
    )
    return result, found, there.artifact


def finish(
    options: Build | Merge,
    kind: str,
    recipe: Recipe,
    documents: Documents,
    writer: Writer,
    run: Run,
    there: Standing,
    began_ns: int,
    note: str,
    *,
    recorded: Mapping[str, Any],
    ignored: int,
    expectation: Expectation | None,
    advice: tuple[str, ...] = (),
) -> tuple[Result, Changes]:
    """Complete an artifact of which all arrays are written but those about its documents. Compare these with those of
    the artifact that it replaces.

    ShrunkError: see `refuse_shrinking` and `refuse_unread`. began_ns: when the run began. note: why nothing was taken
    over from the artifact that is replaced; empty if something was, or if there is none. recorded: the facts for
    run.json about its arguments and the run that read its documents. ignored: the number of tokens that are left out of
    all documents. expectation: what the bands of an index will find; None for other artifacts. advice: lines about
    parameters that do not suit the documents.
    """
    old, skipped, target = there.artifact, run.skipped, display_name(options.output or b"")
    if old is not None:
        note = _compared_with(old, recorded["given"], note, run, allow_shrink=options.allow_shrink)
    if there.unexpected:
        skipped.warnings.append(note)
    found = changes(documents, None if old is None else old.documents)
    run.progress("writing", 0, 0)
    of_run = {  # what differs between two equal runs
        "simdocs": __version__,
        "command": ["simdocs", *(name_to_text(os.fsencode(word)) for word in sys.argv[1:])],
        "start": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(began_ns // 10**9)),
        "changed": as_ranges(found.news),
    }
    writer.finish(documents, recipe, {**of_run, **recorded})
    facts: dict[str, Any] = {
        **facts_read(documents),
        "short": documents.flagged(SHORT),
        "tokens": documents.tokens,
        "skipped": skipped.counts,
        "parameters": recipe.as_dict(),
        **({} if kind == "shingles" else facts_left_out(documents, ignored)),
        "update": {
            "unchanged": found.unchanged,
            **{name: len(getattr(found, name)) for name in ("changed", "new", "removed")},
            "note": note,
            "renamed": len(found.renamed),
        },
        **({} if expectation is None else _facts_expected(recipe, expectation)),
        "kind": kind,
        "advice": list(advice),
        **facts_at_end(documents),
    }

    def lines(seconds: float, verbose: bool) -> Iterator[str]:
        yield from lines_of_build(facts, documents, skipped, verbose=verbose)
        yield f"{target}: written in {seconds:.2f} s"

    result = Result(options.command, facts=facts, lines=lines, documents=documents, skipped=skipped, advice=advice)
    return result, found


def _compared_with(old: Artifact, given: Given, note: str, run: Run, *, allow_shrink: bool) -> str:
    """The note, or that the artifact that is replaced was built from other arguments. ShrunkError: see `finish`."""
    if not allow_shrink:
        refuse_unread(old, run.skipped)
        refuse_shrinking(old.name, old.run, given, old.n_documents)
    if others := other_arguments(old, given):
        run.skipped.warnings.append(others)
    if note or [word for word, _ in recorded_arguments(old.run)] == [word for word, _ in given]:
        return note
    if not old.run:
        return "its run.json is missing or damaged"
    return others or "it was built from other arguments"


def _facts_expected(recipe: Recipe, expected: Expectation) -> dict[str, Any]:
    """What the bands of an index will find, as values that JSON has."""
    assert isinstance(recipe, IndexRecipe)
    facts: dict[str, Any] = {
        "threshold": recipe.banding.threshold,
        **recipe.banding.cut._asdict(),
        "probability": expected.at_threshold,
        "curve": [[similarity, probability] for similarity, probability in expected.curve],
        "candidates_a_document": expected.candidates,
    }
    if expected.sketched is not None:
        facts["sketch_tokens"] = expected.sketched
    if expected.better_num_perm:
        better = {"num_perm": expected.better_num_perm, "candidates_a_document": expected.better_candidates}
        facts["fewer_with"] = better
    return facts


def _build_shingles(plan: BuildPlan, writer: Writer, run: Run, earlier: Earlier | None) -> tuple[Documents, None]:
    lengths: list[Index] = []

    def take(sets: Ragged) -> None:
        writer.append("tokens", sets.values)
        lengths.append(sets.lengths)

    reading = Reading(plan.intake, plan.recipe, run, earlier)
    documents = shingle(reading, take)
    reading.refuse_unusable(documents)
    counts = np.concatenate(lengths) if lengths else np.empty(0, np.int64)
    writer.append("tokens", np.empty(0, np.uint32))
    writer.append("offsets", np.concatenate(([0], np.cumsum(counts))))
    return documents, None


def _build_signatures(plan: BuildPlan, writer: Writer, run: Run, earlier: Earlier | None) -> tuple[Documents, None]:
    assert isinstance(plan.recipe, SignatureRecipe)
    documents, signatures = signed(plan.intake, plan.recipe, run, with_sets=True, earlier=earlier)
    writer.append("signatures", signatures)
    writer.append("ignored", plan.intake.ignored)
    return documents, None


def _build_index(plan: BuildPlan, writer: Writer, run: Run, earlier: Earlier | None) -> tuple[Documents, Expectation]:
    recipe = plan.recipe
    assert isinstance(recipe, IndexRecipe)
    sketches = list[Ragged]() if recipe.containing.containment else None
    documents, signatures = signed(plan.intake, recipe, run, with_sets=True, earlier=earlier, sketches=sketches)
    firsts, texts = documents.distinct_texts()
    counter = BucketCounter(recipe)
    made = band_tables(signatures, firsts, recipe.banding.cut, threads_for(len(firsts), run.engine))
    for keys, rows in each_band(made, recipe.banding.bands, run.progress):
        counter.add(keys[0], rows[0])
        writer.append("band_keys", keys)
        writer.append("band_rows", rows)
    writer.append("same_as", same_as(firsts, texts))
    writer.append("signatures", signatures)
    writer.append("ignored", plan.intake.ignored)
    tokens, owners = _sketch(plan, sketches, documents, firsts, earlier)
    writer.append("sketch_tokens", tokens)
    writer.append("sketch_rows", owners)
    sketched = len(tokens) if recipe.containing.containment else None
    return documents, counter.expectation(lambda some: signatures[some], len(firsts))._replace(sketched=sketched)


def _sketch(
    plan: BuildPlan, sketches: list[Ragged] | None, documents: Documents, firsts: Rows, earlier: Earlier | None
) -> tuple[Tokens, Tokens]:
    """The columns of the containment sketch; empty if there is none. An index of an index has the same sketch."""
    if isinstance(plan.artifact, BandIndex):
        return plan.artifact["sketch_tokens"].all(), plan.artifact["sketch_rows"].all()
    if sketches is None:
        return NO_TOKENS, NO_TOKENS
    every = Ragged.concat(sketches, np.uint32)
    return stored_sketch(every, documents, firsts, None if earlier is None else earlier.artifact)


_BUILDERS: Mapping[str, Callable[[BuildPlan, Writer, Run, Earlier | None], tuple[Documents, Expectation | None]]] = {
    "shingles": _build_shingles,
    "signatures": _build_signatures,
    "index": _build_index,
}


def facts_of_reading(artifact: Artifact) -> dict[str, Any]:
    """The facts in run.json about the run that read the documents of an artifact."""
    return {key: artifact.run[key] for key in OF_READING if key in artifact.run}


OF_READING = ("root", "read_ns", "max_size", "skipped")
"""The keys in run.json about the run that read the documents. Artifacts made from its artifact have them, too."""


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
    built, found, old = build_and_compare(options, plan, _Discard(), run, "it would be rebuilt from scratch")
    documents, target = built.documents, display_name(options.output)
    assert documents is not None
    now = Corpus.of(documents, plan.recipe) if plan.artifact is None else Corpus.of_artifact(plan.artifact)
    statuses = np.zeros(len(documents), np.int8)
    for number, rows in enumerate((found.changed, found.new, found.renamed), 1):
        statuses[rows] = number

    def changes(rows: Rows) -> Iterator[list[Row]]:
        yield from name_rows(now, rows, names_for(run, documents), [STATUSES[at] for at in statuses[rows].tolist()])
        if old is not None:
            each = [REMOVED] * len(found.removed)
            yield from name_rows(Corpus.of_artifact(old), found.removed, names_for(run, old.documents), each)

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
        yield from facts["advice"]
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
