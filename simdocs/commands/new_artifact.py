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
    facts_of_build,
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
from simdocs.model.documents import Documents
from simdocs.model.ragged import NO_TOKENS, Array, Index, Ragged, Rows, Tokens
from simdocs.model.result import NAME, Result, Row, Table, table_head
from simdocs.names import display_name, name_to_text
from simdocs.options.recipes import OF_BANDS, IndexRecipe, Recipe, SignatureRecipe, Updating
from simdocs.pipeline.boilerplate import with_common_tokens
from simdocs.pipeline.changes import Changes, Earlier, changes
from simdocs.pipeline.indexing import BucketCounter, Expectation, band_tables, same_as
from simdocs.pipeline.reading import Reading
from simdocs.pipeline.shingling import shingle
from simdocs.pipeline.signing import files_of, refuse_unusable, report_ignored, signed, stored_sketch
from simdocs.reading import identity
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
    has_sketch = isinstance(plan.recipe, IndexRecipe) and plan.recipe.containing.containment
    if getattr(options, "containment", False) and isinstance(plan.artifact, Signatures | BandIndex) and not has_sketch:
        what = f"{plan.artifact.name} has no tokens, which --containment needs"
        raise UsageError(f"{what}: give the documents, or their .shingles")
    return plan


def standing_for(options: Build, plan: BuildPlan) -> Standing:
    """The artifact that is replaced. options: as they were given. UsageError: it was built with other ones."""
    if options.output is None:
        return NOTHING
    updating = Updating.of(options.fields())
    # Who builds from an artifact, and says which bands, wants other bands.
    other_bands = plan.artifact is not None and bool(options.differ(OF_BANDS))
    return standing(options.output, plan.recipe, updating, other_bands=other_bands)


def with_all_ignored(plan: BuildPlan, run: Run) -> BuildPlan:
    """The plan with all tokens that are left out. Common tokens are counted, if that is wanted.

    Likewise all shingles are numbered, if hash functions are stated. These exclude each other.
    """
    if not isinstance(plan.recipe, SignatureRecipe):
        return plan
    if plan.recipe.sketching.is_own:
        from simdocs.commands.ignoring import with_all_items

        intake, recipe = with_all_items(plan.intake, plan.recipe, run)
    else:
        intake, recipe = with_common_tokens(plan.intake, plan.recipe, run)
    return replace(plan, intake=intake, recipe=recipe)


def build_and_compare(
    plan: BuildPlan, writer: Writer, run: Run, there: Standing, consequence: str
) -> tuple[Result, Changes]:
    """Build an artifact, and compare its documents with those of the one that it replaces.

    ShrunkError: see `finish`.
    plan: with all ignored tokens.
    consequence: what follows if nothing can be taken over, for a warning.
    """
    began_ns = identity.now()
    note = f"rebuilt from scratch: {there.why_anew}" if there.why_anew else ""
    if there.unexpected:
        note = f"{there.why_anew}; {consequence}"
    documents, expectation = _BUILDERS[plan.options.kind](plan, writer, run, there.earlier)
    artifact = plan.intake.artifact
    report_ignored(documents, b"" if artifact is None else name_prefix(None, artifact.root), run.skipped)
    if isinstance(plan.recipe, SignatureRecipe):
        run.skipped.warnings += useless_template(documents, artifact, plan.recipe)
    if isinstance(plan.recipe, IndexRecipe):
        run.skipped.warnings += unknown_recall(plan.recipe)
        run.skipped.warnings += low_recall(plan.recipe.banding, plan.recipe.sketching.num_perm)
    if plan.options.strict and run.skipped.unjudged:
        raise UnjudgedError(run.skipped)
    facts = (name_to_text(os.getcwdb()), began_ns, plan.intake.walking.max_size, run.skipped.counts)
    of_reading = dict(zip(OF_READING, facts, strict=True))
    return finish(
        *(plan.options, plan.options.kind, plan.recipe, documents, writer, run, there, began_ns, note),
        given=given_of(plan.intake, documents.counts, len(documents)),
        of_reading=of_reading if artifact is None else facts_of_reading(artifact),
        ignored=len(plan.intake.ignored),
        expectation=expectation,
        advice=tuple(length_advice(documents, plan.recipe.shingling)) if artifact is None else (),
    )


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
    given: Given,
    of_reading: Mapping[str, Any],
    ignored: int,
    expectation: Expectation | None,
    advice: tuple[str, ...] = (),
) -> tuple[Result, Changes]:
    """Complete an artifact of which all arrays are written but those about its documents. Compare these with those of
    the artifact that it replaces.

    ShrunkError: see `refuse_shrinking` and `refuse_unread`.
    began_ns: when the run began.
    note: why nothing was taken over from the artifact that is replaced; empty if something was, or if there is none. It
        is a warning if that was not to be expected.
    given: its arguments.
    of_reading: the facts for run.json about the run that read its documents.
    ignored: the number of tokens that are left out of all documents.
    expectation: what the bands of an index will find; None for other artifacts.
    advice: lines about parameters that do not suit the documents.
    """
    if there.artifact is not None:
        if not options.allow_shrink:
            refuse_unread(there, run.skipped)
            refuse_shrinking(there.artifact.name, there.artifact.run, given, there.artifact.n_documents)
        if others := other_arguments(there.artifact, given):
            run.skipped.warnings.append(others)
        if not note and [word for word, _ in recorded_arguments(there.artifact.run)] != [word for word, _ in given]:
            known = others or "it was built from other arguments"
            note = known if there.artifact.run else "its run.json is missing or damaged"
    if there.unexpected:
        run.skipped.warnings.append(note)
    found = changes(documents, None if there.artifact is None else there.artifact.documents)
    run.progress("writing", 0, 0)
    writer.finish(documents, recipe, _run_facts(began_ns, found) | dict(of_reading) | {"given": given})
    skipped, target = run.skipped, display_name(options.output or b"")
    facts = facts_of_build(kind, documents, recipe, skipped, ignored, found, note, expectation, advice)

    def lines(seconds: float, verbose: bool) -> Iterator[str]:
        yield from lines_of_build(facts, documents, skipped, verbose=verbose)
        yield f"{target}: written in {seconds:.2f} s"

    result = Result(options.command, facts=facts, lines=lines, documents=documents, skipped=skipped, advice=advice)
    return result, found


def _build_shingles(plan: BuildPlan, writer: Writer, run: Run, earlier: Earlier | None) -> tuple[Documents, None]:
    lengths: list[Index] = []

    def take(sets: Ragged) -> None:
        writer.append("tokens", sets.values)
        lengths.append(sets.lengths)

    reading = Reading(files_of(plan.intake, run), plan.intake.walking.max_size, plan.recipe, run, earlier)
    documents = shingle(reading, take)
    refuse_unusable(documents, plan.intake, reading)
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
    threads = threads_for(len(firsts), run.engine)
    made = band_tables(signatures, firsts, recipe.banding.cut, threads)
    for keys, rows in each_band(made, recipe.banding.bands, run.progress):
        counter.add(keys[0], rows[0])
        writer.append("band_keys", keys)
        writer.append("band_rows", rows)
    writer.append("same_as", same_as(firsts, texts))
    writer.append("signatures", signatures)
    writer.append("ignored", plan.intake.ignored)
    sketch = _sketch(plan.intake.artifact, sketches, documents, firsts, earlier)
    for name, column in sketch.items():
        writer.append(name, column)
    sketched = len(sketch[_OF_SKETCH[0]]) if recipe.containing.containment else None
    expected = counter.expectation(lambda some: signatures[some], len(firsts))
    return documents, expected._replace(sketched=sketched)


def _sketch(
    artifact: Artifact | None,
    sketches: list[Ragged] | None,
    documents: Documents,
    firsts: Rows,
    earlier: Earlier | None,
) -> dict[str, Tokens]:
    """The columns of the containment sketch; empty if there is none. An index of an index has the same sketch."""
    if isinstance(artifact, BandIndex):
        return {name: artifact[name].all() for name in _OF_SKETCH}
    columns = (NO_TOKENS, NO_TOKENS)
    if sketches is not None:
        every = Ragged.concat(sketches, np.uint32)
        columns = stored_sketch(every, documents, firsts, None if earlier is None else earlier.artifact)
    return dict(zip(_OF_SKETCH, columns, strict=True))


_OF_SKETCH = ("sketch_tokens", "sketch_rows")

_BUILDERS: Mapping[str, Callable[[BuildPlan, Writer, Run, Earlier | None], tuple[Documents, Expectation | None]]] = {
    "shingles": _build_shingles,
    "signatures": _build_signatures,
    "index": _build_index,
}


def _run_facts(began_ns: int, found: Changes) -> dict[str, Any]:
    """The facts about a run that differ between two equal runs, for run.json."""
    words = (name_to_text(os.fsencode(word)) for word in sys.argv[1:])
    return {
        "simdocs": __version__,
        "command": ["simdocs", *words],
        "start": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(began_ns // 10**9)),
        "changed": as_ranges(found.news),
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

    def changes(rows: Rows) -> Iterator[list[Row]]:
        yield from name_rows(now, rows, names_for(run, documents), [STATUSES[at] for at in statuses[rows].tolist()])
        if (old := there.artifact) is not None:
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
