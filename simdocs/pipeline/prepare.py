"""Documents and signatures for a stage, from files, from texts in memory or from an artifact."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from simdocs.engines.engine import Run
from simdocs.errors import UsageError
from simdocs.model.artifact import Artifact, Shingles
from simdocs.model.documents import NUMBERED, Documents
from simdocs.model.ragged import NO_TOKENS, Tokens
from simdocs.names import display_name, is_uri
from simdocs.options.families import noun_of
from simdocs.options.recipes import SignatureRecipe, Walking
from simdocs.pipeline.reading import Reading
from simdocs.pipeline.shingling import record_ignored
from simdocs.pipeline.signing import Sketches, sign, sign_token_sets
from simdocs.reading.file_list import FileList
from simdocs.reading.find import Sources, find, patterns_of
from simdocs.reading.formats import format_of_document

if TYPE_CHECKING:
    from simdocs.pipeline.reuse import Earlier


@dataclass(frozen=True, slots=True, kw_only=True)
class Intake:
    """The input of a stage: names of documents, texts in memory, or an artifact of an earlier stage.

    shingles: token sets of the same documents, for verification.
    root: the directory from which the documents of an artifact are found.
    outputs: files that will be written, which must not be among the documents.
    found: the files of the documents, if they were found before, or texts in memory.
    ignored: the tokens that are left out, ascending.
    permutations: the words of the permutations of the shingles that are the hash functions, if they are in a file.
    text_field: the fields that hold the texts in containers, if they were given.
    id_field: the field that holds the ids of documents in containers, if it was given; empty: none does.
    with_digests: whether the digests of files are recorded, by which they are recognised later.
    """

    sources: Sources = field(default_factory=Sources)
    walking: Walking = field(default_factory=Walking)
    artifact: Artifact | None = None
    shingles: Shingles | None = None
    root: bytes | None = None
    outputs: Sequence[str | None] = ()
    found: FileList | None = None
    ignored: Tokens = field(default_factory=lambda: NO_TOKENS)
    permutations: Sequence[Sequence[str]] = ()
    text_field: tuple[str, ...] | None = None
    id_field: str | None = None
    with_digests: bool = True


def files_of(intake: Intake, run: Run) -> FileList:
    """The files of an intake. UsageError: an output is one of them. InputError: see `find`."""
    if intake.found is not None:
        return intake.found
    # Workers that are forked later keep the memory that the list of the files takes.
    found = find(intake.sources, intake.walking, run.skipped, run.engine.start)
    for path in filter(None, intake.outputs):
        if found.holds(path):
            what = "this directory holds files that are" if path.endswith("/") else "this file is"
            raise UsageError(
                f"{display_name(os.fsencode(path))}: {what} read in this run and would be overwritten: choose another"
                " output file"
            )
    _refuse_within(intake)
    return found


def _refuse_within(intake: Intake) -> None:
    """Raise UsageError if the next run would read an output, because a directory that is walked will hold it."""
    roots = [name for name in intake.sources.names if not is_uri(name) and os.path.isdir(name)]
    for path in map(os.fsencode, filter(None, intake.outputs)):
        output = os.path.realpath(path)
        for root in () if is_uri(path) else roots:
            inside = os.path.join(os.path.realpath(root), b"")
            if not output.startswith(inside):
                continue
            patterns = patterns_of(intake.walking)
            parts = output[len(inside) :].split(b"/")
            ways = [(b"/".join(parts[: at + 1]), at + 1 < len(parts)) for at in range(len(parts))]
            hidden = not intake.walking.hidden and any(part.startswith(b".") for part in parts)
            if not hidden and (patterns is None or not any(patterns.leave_out(*way) for way in ways)):
                raise UsageError(
                    f"{display_name(path)}: the next run would read this output, because it is in"
                    f" {display_name(root)}: choose another place, or --exclude it"
                )


def refuse_unusable(documents: Documents, intake: Intake, reading: Reading) -> None:
    """Raise UsageError if no row of a container has the given fields, so that the user has probably mistaken a name.
    Raise MissingExtraError if nothing of an argument could be read for lack of a library.

    Without the text fields, whole tables would be compared, or none, and without the ids, documents named by numbers.
    reading: has read the documents.
    """
    if documents.counts is not None:
        reading.refuse_unread(documents.counts)
    if intake.text_field is not None and (lacking := reading.lacking) is not None:
        raise UsageError(f"{display_name(lacking.name)}: {lacking.detail}")
    _refuse_absent_ids(documents, intake, reading)


def _refuse_absent_ids(documents: Documents, intake: Intake, reading: Reading) -> None:
    rows = np.flatnonzero(documents.facts["container"])
    from simdocs.reading.batches import no_id

    if intake.id_field and len(rows) and (documents.facts["flags"][rows] & NUMBERED).all() and reading.without_ids:
        row, fields = int(rows[0]), reading.recipe.sequences
        path = documents.raw_name(row)[: int(documents.facts["container"][row])]
        raise UsageError(no_id(noun_of(format_of_document(path, fields)), fields, reading.without_ids))


def signed(
    intake: Intake,
    recipe: SignatureRecipe,
    run: Run,
    *,
    with_sets: bool,
    compared: bool = False,
    earlier: Earlier | None = None,
    sketches: Sketches | None = None,
) -> tuple[Documents, Tokens]:
    """The documents of an intake and their signatures.

    with_sets: record facts of the token sets, too.
    compared: hold tokens for the comparison, as in `sign_task`.
    earlier: the artifact from which unchanged documents are taken over.
    sketches: collects the sketches of the others.
    """
    sketching = recipe.sketching
    artifact = intake.artifact
    if artifact is None:
        reading = Reading(files_of(intake, run), intake.walking.max_size, recipe, run, earlier)
        documents, signatures = sign(
            reading,
            sketching,
            intake.ignored,
            with_sets=with_sets,
            with_digests=intake.with_digests,
            compared=compared,
            sketches=sketches,
        )
        refuse_unusable(documents, intake, reading)
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
