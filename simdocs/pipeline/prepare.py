"""Documents and signatures for a stage, from files, from texts in memory or from an artifact."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace

import numpy as np

from simdocs.corpora.discover import Sources, find
from simdocs.corpora.file_list import FileList
from simdocs.corpora.jsonl import without_id
from simdocs.corpora.jsonl_lookup import LineReader
from simdocs.engines.run import Run
from simdocs.errors import UsageError
from simdocs.model.artifact import Artifact, Shingles
from simdocs.model.documents import NUMBERED, Documents
from simdocs.model.names import display_name
from simdocs.model.ragged import NO_TOKENS, Tokens
from simdocs.model.skipped import DocumentSkipped
from simdocs.pipeline.reuse import Earlier
from simdocs.pipeline.shingling import record_ignored
from simdocs.pipeline.signing import Sketches, sign, sign_token_sets
from simdocs.recipes import Recipe, SignatureRecipe, Walking


@dataclass(frozen=True, slots=True)
class Intake:
    """The input of a stage: names of documents, texts in memory, or an artifact of an earlier stage.

    shingles: token sets of the same documents, for verification. root: the directory from which the documents of an
    artifact are found. outputs: files that will be written, which must not be among the documents. found: the files
    of the documents, if they were found before, or texts in memory. ignored: the tokens that are left out, ascending.
    id_field: the field that lines were said to have an id in, if any.
    """

    sources: Sources = field(default_factory=Sources)
    walking: Walking = field(default_factory=Walking)
    artifact: Artifact | None = None
    shingles: Shingles | None = None
    root: bytes | None = None
    outputs: Sequence[str | None] = ()
    found: FileList | None = None
    ignored: Tokens = field(default_factory=lambda: NO_TOKENS)
    id_field: str | None = None


def files_of(intake: Intake, run: Run) -> FileList:
    """The files of an intake. UsageError: an output is one of them. InputError: see `find`."""
    if intake.found is not None:
        return intake.found
    found = find(intake.sources, intake.walking, run.skipped)
    for path in filter(None, intake.outputs):
        if found.holds(path):
            raise UsageError(
                f"{display_name(os.fsencode(path))}: this file is read in this run and would be overwritten:"
                " choose another output file"
            )
    return found


def refuse_absent_ids(documents: Documents, intake: Intake, recipe: Recipe) -> None:
    """Raise UsageError if ids were said to be in a field that no line has: all would be named by their numbers."""
    rows = np.flatnonzero(documents.facts["container"])
    if intake.id_field is None or not len(rows) or not (documents.facts["flags"][rows] & NUMBERED).all():
        return
    row = int(rows[0])
    start, extent, container = (int(documents.facts[name][row]) for name in ("start", "extent", "container"))
    line = documents.held.get(row)
    if line is None:
        with closing(LineReader()) as reader, suppress(DocumentSkipped):
            line, _ = reader.read(documents.raw_name(row)[:container], start, extent)
    if line is not None:  # or else the file has changed since it was read
        raise UsageError(without_id(line, recipe.sequences))


def signed(
    intake: Intake,
    recipe: SignatureRecipe,
    run: Run,
    *,
    with_sets: bool,
    earlier: Earlier | None = None,
    sketches: Sketches | None = None,
) -> tuple[Documents, Tokens]:
    """Documents and signatures. with_sets: record facts of the token sets, too.

    earlier: the artifact from which unchanged documents are taken over. sketches: takes the sketches of the others.
    """
    sketching = recipe.sketching
    artifact = intake.artifact
    if artifact is None:
        found, limit = files_of(intake, run), intake.walking.max_size
        documents, signatures = sign(
            found,
            limit,
            recipe,
            sketching,
            intake.ignored,
            run,
            with_sets=with_sets,
            earlier=earlier,
            sketches=sketches,
        )
        refuse_absent_ids(documents, intake, recipe)
        return documents, signatures
    documents = artifact.documents
    known = np.full(len(documents), -1) if earlier is None else earlier.rows_of_same_sets(documents)
    documents = replace(documents, earlier=known)
    if isinstance(artifact, Shingles):
        signatures, left = sign_token_sets(artifact, sketching, intake.ignored, run, earlier, known, sketches)
        facts = documents.facts.copy()
        record_ignored(facts, np.arange(len(facts)), left)
        return replace(documents, facts=facts), signatures
    return documents, np.asarray(artifact["signatures"].all())
