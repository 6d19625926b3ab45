"""The second stage, signature: from documents, of files, in memory or of an artifact, to signatures."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from simdocs.engines.engine import Run, WorkerState
from simdocs.errors import UsageError
from simdocs.kernels import fracminhash, fss, multisets, permutation
from simdocs.kernels.multisets import leave_out
from simdocs.model.artifact import Artifact, BandIndex, Shingles
from simdocs.model.documents import EMPTY, IGNORED, NUMBERED, Documents
from simdocs.model.ragged import NO_TOKENS, GrowingArray, Index, Ragged, Rows, Tokens
from simdocs.model.skipped import Skip, Skipped
from simdocs.names import display_name, is_uri
from simdocs.options.families import noun_of
from simdocs.options.hash_functions import OWN_SCHEMES, values_of
from simdocs.options.recipes import Recipe, SignatureRecipe, Sketching, Walking
from simdocs.pipeline.reading import Read, Reading, read_task
from simdocs.pipeline.shingling import hold, record_ignored, record_sets, record_texts, shingled, token_sets
from simdocs.reading.file_list import FileList
from simdocs.reading.find import Sources, find, patterns_of
from simdocs.reading.formats import format_of_document
from simdocs.reading.read_tasks import ToRead

if TYPE_CHECKING:
    from simdocs.pipeline.changes import Earlier


Scheme: TypeAlias = Callable[[Ragged, int, int], Tokens]
"""Returns the signatures of N documents, (N, num_perm) uint32, from their tokens, num_perm and the seed."""

SIGNATURES: dict[str, Scheme] = {"fss": fss.signatures, "permutation": permutation.signatures}
"""The implementations of SCHEMES in options/families.py."""


def signing_of(sketching: Sketching) -> Scheme:
    """The scheme that these parameters choose.

    The signatures of a scheme with own functions depend on neither num_perm nor seed. Its items are known.
    """
    if sketching.scheme not in OWN_SCHEMES:
        return SIGNATURES[sketching.scheme]
    tokens = np.array(sketching.item_tokens, np.uint32)
    order = np.argsort(tokens)
    known = tokens[order]
    values = np.array(values_of(sketching), np.uint32).reshape(sketching.num_perm, len(tokens)).T[order]

    return lambda tokens, _num_perm, _seed: permutation.table_signatures(tokens, known, values)


def stored_sketch(
    sketches: Ragged, documents: Documents, firsts: Rows, earlier: Artifact | None
) -> tuple[Tokens, Tokens]:
    """The two columns of the sketch in an index: uint32 (S,).

    sketches: of all documents; empty for those that are taken over from `earlier`.
    firsts: the first document of each distinct text. Only these are in the sketch.
    """
    old_tokens, old_rows = NO_TOKENS, np.empty(0, np.int64)
    if documents.earlier is None or not isinstance(earlier, BandIndex):
        return fracminhash.sketch_table(sketches.take(firsts), firsts, old_tokens, old_rows)
    taken_from = documents.earlier[firsts]
    taken = np.flatnonzero(taken_from >= 0)
    old_tokens, old_rows = _taken_over(earlier, taken_from[taken], firsts[taken])
    new = firsts[taken_from < 0]
    return fracminhash.sketch_table(sketches.take(new), new, old_tokens, old_rows)


def _taken_over(earlier: BandIndex, then: Rows, now: Rows) -> tuple[Tokens, Index]:
    """The entries of an earlier sketch for its rows `then`, with the rows `now` in place of these.

    Two documents with different texts but equal token sets may be taken over from one.
    """
    firsts = earlier["same_as"].all()[then]
    order = np.argsort(firsts, kind="stable")
    become = Ragged.from_lengths(now[order], np.bincount(firsts, minlength=earlier.n_documents))
    rows = become.take(earlier["sketch_rows"].all())
    return np.repeat(earlier["sketch_tokens"].all(), rows.lengths), rows.values


_STORED_AT_ONCE = 1 << 18
"""Tokens of an artifact that are signed at once."""


def sign_task(
    task: ToRead,
    worker: WorkerState,
    *,
    recipe: Recipe,
    sketching: Sketching,
    ignored: Tokens,
    with_sets: bool,
    with_digests: bool = True,
    compared: bool = False,
    sketched: bool = False,
) -> tuple[Read, tuple[Tokens, Ragged | None]]:
    """Read, shingle and sign the documents of a task, without the ignored tokens. Return signatures and sketches.

    with_sets: record the facts of their token sets, too, as is always done if tokens are ignored.
    with_digests: as in `read_task`.
    compared: hold tokens for the comparison, as far as there is room.
    sketched: return their sketches, too, which needs their sets.
    """
    read = read_task(task, recipe.sequences, with_digests=with_digests)
    shingling = recipe.shingling
    out = np.empty((len(read.raws), sketching.num_perm), np.uint32)
    signing = signing_of(sketching)
    places, below = [np.empty(0, np.int64)], list[Ragged]()
    for part in shingled(read.raws, shingling, worker.tell):
        record_texts(read.facts, part, shingling.k)
        tokens = part.tokens
        if compared and worker.shared is not None:
            hold(part, read.facts["digest"][part.places], shingling, worker.shared)
        if with_sets or len(ignored):
            tokens = multisets.token_sets(tokens)
            record_sets(read.facts, part.places, tokens)
            tokens = leave_out(tokens, ignored)
            record_ignored(read.facts, part.places, tokens.lengths)
        if sketched:
            places.append(part.places)
            below.append(fracminhash.sketches(tokens))
        out[part.places] = signing(tokens, sketching.num_perm, shingling.seed)
    read.raws = []
    order = np.argsort(np.concatenate(places))
    return read, (out, Ragged.concat(below, np.uint32).take(order) if sketched else None)


def signatures_of(artifact: Artifact, rows: Rows) -> Tokens:
    """The signatures of these documents of an artifact."""
    column = artifact["signatures"]
    column.release()  # or else all that was read before would stay in memory
    follow = len(rows) and rows[-1] - rows[0] == len(rows) - 1 and (np.diff(rows) == 1).all()
    found: Tokens = column.cut(int(rows[0]), int(rows[-1]) + 1) if follow else column.rows(rows)
    return found


def _sign_sets(
    sets: Ragged, _state: WorkerState, sketching: Sketching, ignored: Tokens, seed: int, *, sketched: bool
) -> tuple[Tokens, Index, Ragged]:
    """Signatures without the ignored tokens, the number of tokens left of each set, and the sketches."""
    left = leave_out(sets, ignored)
    below = fracminhash.sketches(left) if sketched else left.take(np.empty(0, np.int64))
    return signing_of(sketching)(left, sketching.num_perm, seed), left.lengths, below


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
    sketches: list[Ragged] | None = None,
) -> tuple[Documents, Tokens]:
    """The documents of an intake, in row order, and their signatures.

    with_sets: record facts of the token sets, too.
    compared: hold tokens for the comparison, as in `sign_task`.
    earlier: the artifact from which unchanged files are taken over.
    sketches: collects the sketches of all documents, some at a time; those of documents taken over are empty.
    """
    sketching, artifact = recipe.sketching, intake.artifact
    signatures = GrowingArray(np.uint32, sketching.num_perm)
    work: Callable[..., Any]
    if artifact is None:
        reading = Reading(files_of(intake, run), intake.walking.max_size, recipe, run, earlier)
        work = partial(
            sign_task,
            recipe=recipe,
            sketching=sketching,
            ignored=intake.ignored,
            with_sets=with_sets,
            with_digests=intake.with_digests,
            compared=compared,
            sketched=sketches is not None,
        )
        for made, taken, old in reading.in_order(work, "reading", with_digests=intake.with_digests):
            if made is not None:
                rows, below = made
            else:
                assert old is not None
                rows, below = np.empty((len(old), sketching.num_perm), np.uint32), None
            if old is not None:
                known = np.flatnonzero(old >= 0)
                rows[known] = signatures_of(reading.reused, old[known])
            signatures.add(rows if len(taken) == len(rows) else rows[taken])
            if sketches is not None:
                none = Ragged(NO_TOKENS, np.zeros(len(taken) + 1, np.int64))
                sketches.append(none if below is None else below.take(taken))
        documents = reading.documents()
        refuse_unusable(documents, intake, reading)
        return documents, signatures.all()
    documents = artifact.documents
    if not isinstance(artifact, Shingles):
        return documents, np.asarray(artifact["signatures"].all())
    every, lengths = np.arange(len(documents)), [np.empty(0, np.int64)]
    seed, sketched = recipe.shingling.seed, sketches is not None
    work = partial(_sign_sets, sketching=sketching, ignored=intake.ignored, seed=seed, sketched=sketched)
    for rows, left, below in run.engine.map(work, token_sets(artifact, every, _STORED_AT_ONCE)):
        signatures.add(rows)
        lengths.append(left)
        if sketches is not None:
            sketches.append(below)
        run.progress("signing", len(signatures), len(documents))
    facts = documents.facts.copy()
    record_ignored(facts, every, np.concatenate(lengths))
    return replace(documents, facts=facts), signatures.all()


def report_ignored(documents: Documents, prefix: bytes, skipped: Skipped) -> None:
    """Report each document with no tokens left, and warn if no document has any.

    prefix: the path that is put before their names so that they work in the working directory.
    """
    rows = np.flatnonzero(documents.facts["flags"] & IGNORED)
    skipped.extend(Skip("ignored", documents.raw_name(row), root=prefix) for row in rows.tolist())
    if len(rows) > 1 and len(rows) + documents.flagged(EMPTY) == len(documents):
        skipped.warnings.append(
            f"all tokens of all {len(rows):,} documents are left out, so none is similar to another: see"
            f" --ignore-common and --template"
        )
