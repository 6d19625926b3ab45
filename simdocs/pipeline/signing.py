"""The second stage, signature: from documents to signatures. Each text is read once, in batches."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from simdocs.engines.engine import WorkerState
from simdocs.engines.run import Run
from simdocs.kernels import multisets
from simdocs.kernels.ignored_tokens import leave_out
from simdocs.kernels.schemes import signing_of
from simdocs.model.artifact import Artifact, BandIndex, Shingles
from simdocs.model.byte_strings import GrowingArray
from simdocs.model.documents import Documents
from simdocs.model.ragged import NO_TOKENS, BlockPlaces, Index, Ragged, Rows, Tokens, offsets_of
from simdocs.options.recipes import Recipe, Sketching
from simdocs.pipeline.read_documents import Read, WorkerTask, read_task
from simdocs.pipeline.reading import Reading
from simdocs.pipeline.shingling import hold, record_ignored, record_sets, record_texts, shingled, token_sets

if TYPE_CHECKING:
    from simdocs.pipeline.reuse import Earlier


class Sketches:
    """Collects the sketches of documents in row order. Those of documents that are taken over are empty."""

    def __init__(self) -> None:
        self._tokens, self._lengths = GrowingArray(np.uint32), GrowingArray(np.int64)

    def add(self, sketches: Ragged) -> None:
        """Add the sketches of the next documents."""
        self._tokens.add(sketches.values)
        self._lengths.add(sketches.lengths)

    def add_known(self, documents: int) -> None:
        """Append empty sketches for this many reused documents."""
        self._lengths.add(np.zeros(documents, np.int64))

    def all(self) -> Ragged:
        """All sketches: N rows."""
        return Ragged.from_lengths(self._tokens.all(), self._lengths.all())


def stored_sketch(
    sketches: Ragged, documents: Documents, firsts: Rows, earlier: Artifact | None
) -> tuple[Tokens, Tokens]:
    """The two columns of the sketch in an index: uint32 (S,).

    sketches: of all documents; empty for those that are taken over from `earlier`.
    firsts: the first document of each distinct text. Only these are in the sketch.
    """
    from simdocs.kernels.fracminhash import sketch_table

    old_tokens, old_rows = NO_TOKENS, np.empty(0, np.int64)
    if documents.earlier is None or not isinstance(earlier, BandIndex):
        return sketch_table(sketches.take(firsts), firsts, old_tokens, old_rows)
    taken_from = documents.earlier[firsts]
    taken = np.flatnonzero(taken_from >= 0)
    old_tokens, old_rows = _taken_over(earlier, taken_from[taken], firsts[taken])
    new = firsts[taken_from < 0]
    return sketch_table(sketches.take(new), new, old_tokens, old_rows)


def _taken_over(earlier: BandIndex, then: Rows, now: Rows) -> tuple[Tokens, Index]:
    """The entries of an earlier sketch for its rows `then`, with the rows `now` in place of these.

    Two documents with different texts but equal token sets may be taken over from one.
    """
    firsts = earlier["same_as"].all()[then]
    order = np.argsort(firsts, kind="stable")
    become = Ragged.from_lengths(now[order], np.bincount(firsts, minlength=earlier.n_documents))
    rows = become.take(earlier["sketch_rows"].all())
    return np.repeat(earlier["sketch_tokens"].all(), rows.lengths), rows.values


_SIGNED_WITH_BATCH = 1 << 14
"""If the small documents of a batch have this many tokens, they are signed at once. Otherwise they wait for others."""

_SIGNED_TOGETHER = 1 << 18
"""Tokens of small documents from several batches that are signed together: a mebibyte."""

_STORED_AT_ONCE = 1 << 18
"""Tokens of an artifact that are signed at once."""


_TAKEN_AT_ONCE = 1 << 12
"""Signatures that are taken over at once."""


class Signed:
    """The signatures of the documents of a task.

    waiting, tokens: the places and tokens of small documents that are not signed yet.
    sketches: those of all documents, if they are wanted.
    """

    __slots__ = ("signatures", "sketches", "tokens", "waiting")

    def __init__(self, signatures: Tokens, waiting: BlockPlaces, tokens: Ragged, sketches: Ragged | None) -> None:
        self.signatures, self.waiting, self.tokens, self.sketches = signatures, waiting, tokens, sketches

    def take_over(self, known: BlockPlaces, signatures: Tokens) -> None:
        """Take over the signatures of the documents at these places."""
        self.signatures[known] = signatures
        still = np.flatnonzero(~np.isin(self.waiting, known))
        self.waiting, self.tokens = self.waiting[still], self.tokens.take(still)


def sign_task(
    task: WorkerTask,
    worker: WorkerState,
    *,
    recipe: Recipe,
    sketching: Sketching,
    ignored: Tokens,
    with_sets: bool,
    with_digests: bool = True,
    compared: bool = False,
    sketched: bool = False,
) -> tuple[Read, Signed]:
    """Read, shingle and sign the documents of a task, without the ignored tokens.

    with_sets: record the facts of their token sets, too, as is always done if tokens are ignored.
    with_digests: as in `read_task`.
    compared: hold tokens for the comparison, as far as there is room.
    sketched: return their sketches, too, which needs their sets.
    """
    read = read_task(task, recipe.sequences, with_digests=with_digests)
    shingling = recipe.shingling
    out = np.empty((len(read.raws), sketching.num_perm), np.uint32)
    waiting: list[BlockPlaces] = []
    small: list[Ragged] = []
    below = [(np.empty(0, np.int64), Ragged.concat([], np.uint32))]
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
            below.append((part.places, _sketches_of(tokens)))
        out[part.places], undone, left = _begin(tokens, sketching, shingling.seed)
        waiting.append(part.places[undone])
        small.append(left)
    read.raws = []
    rows = np.concatenate(waiting) if waiting else np.empty(0, np.int64)
    sketches = _in_place(below, len(out)) if sketched else None
    return read, Signed(out, rows, Ragged.concat(small, np.uint32), sketches)


def _sketches_of(tokens: Ragged) -> Ragged:
    """The sketches of token sets. Few runs need them, so what makes them is imported here."""
    from simdocs.kernels.fracminhash import sketches

    return sketches(tokens)


def _in_place(parts: list[tuple[BlockPlaces, Ragged]], documents: int) -> Ragged:
    """The sketches of all documents in order, from parts with the places of their documents."""
    places = np.concatenate([places for places, _ in parts])
    rows = Ragged.concat([*(sketches for _, sketches in parts), Ragged(NO_TOKENS, offsets_of(np.zeros(1)))], np.uint32)
    order = np.full(documents, len(rows) - 1)  # a document that was not shingled has none
    order[places] = np.arange(len(places))
    return rows.take(order)


def _begin(tokens: Ragged, sketching: Sketching, seed: int) -> tuple[Tokens, BlockPlaces, Ragged]:
    """Signatures, and the places and tokens of small documents that are not signed yet because they are too few."""
    scheme = signing_of(sketching)
    begun, undone = scheme.partial_signatures(tokens, sketching.num_perm, seed)
    small = tokens.take(undone)
    if len(small.values) < _SIGNED_WITH_BATCH:
        return begun, undone, small
    begun[undone] = scheme.signatures(small, sketching.num_perm, seed)
    return begun, undone[:0], small.take(undone[:0])


def sign(
    reading: Reading,
    sketching: Sketching,
    ignored: Tokens,
    *,
    with_sets: bool,
    with_digests: bool = True,
    compared: bool = False,
    sketches: Sketches | None = None,
) -> tuple[Documents, Tokens]:
    """Sign files. Return the documents that could be read, in row order, and their signatures.

    ignored: tokens that are left out, ascending.
    with_sets: record the facts of the token sets, too.
    with_digests: as in `read_task`.
    compared: as in `sign_task`.
    sketches: collects the sketches of documents that are not taken over, in the same order.
    """
    recipe = reading.recipe
    rows = _Rows(sketching, recipe.shingling.seed)
    work = partial(
        sign_task,
        recipe=recipe,
        sketching=sketching,
        ignored=ignored,
        with_sets=with_sets,
        with_digests=with_digests,
        compared=compared,
        sketched=sketches is not None,
    )
    for signed, taken, old in reading.in_order(work, "reading"):
        if signed is None:
            assert old is not None
            rows.add_all(signatures_of(reading.reused, old[taken]))
            if sketches is not None:
                sketches.add_known(len(taken))
            continue
        if old is not None:
            known = np.flatnonzero(old >= 0)
            signed.take_over(known, signatures_of(reading.reused, old[known]))
        if sketches is not None and signed.sketches is not None:
            sketches.add(signed.sketches.take(taken))
        if len(taken) == len(signed.signatures):
            rows.add(signed.signatures, signed.waiting, signed.tokens)
        else:
            still = np.isin(signed.waiting, taken)
            waiting = np.searchsorted(taken, signed.waiting[still])
            rows.add(signed.signatures[taken], waiting, signed.tokens.take(np.flatnonzero(still)))
    return reading.documents(), rows.all()


def signatures_of(artifact: Artifact, rows: Rows) -> Tokens:
    """The signatures of these documents of an artifact."""
    column = artifact["signatures"]
    column.release()  # or else all that was read before would stay in memory
    follow = len(rows) and rows[-1] - rows[0] == len(rows) - 1 and (np.diff(rows) == 1).all()
    found: Tokens = column.cut(int(rows[0]), int(rows[-1]) + 1) if follow else column.rows(rows)
    return found


def sign_token_sets(
    shingles: Shingles,
    sketching: Sketching,
    ignored: Tokens,
    run: Run,
    earlier: Earlier | None,
    known: Rows,
    sketches: Sketches | None = None,
) -> tuple[Tokens, Index]:
    """The signatures of token sets without the ignored tokens, (N, K), and how many tokens are left of each, (N,).

    known: (N,) the row of each set in an earlier artifact, from which its signature is taken over; or -1.
    sketches: collects the sketches of all sets; empty for those that are known.
    """
    rest = np.flatnonzero(known < 0)
    rows, left = _Rows(sketching, shingles.recipe.shingling.seed), list[Index]()
    below = list[Ragged]()
    work = partial(
        _sign_sets,
        sketching=sketching,
        ignored=ignored,
        seed=shingles.recipe.shingling.seed,
        sketched=sketches is not None,
    )
    for (made, undone, small), lengths, sketched in run.engine.map(work, token_sets(shingles, rest, _STORED_AT_ONCE)):
        rows.add(made, undone, small)
        left.append(lengths)
        below.append(sketched)
        run.progress("signing", rows.filled, len(rest))
    lengths_of_rest = np.concatenate(left) if left else np.empty(0, np.int64)
    if sketches is not None:
        of_rest, sizes = Ragged.concat(below, np.uint32), np.zeros(len(known), np.int64)
        sizes[rest] = of_rest.lengths
        sketches.add(Ragged.from_lengths(of_rest.values, sizes))
    if earlier is None or len(rest) == len(known):
        return rows.all(), lengths_of_rest
    every, lengths = np.empty((len(known), sketching.num_perm), np.uint32), np.empty(len(known), np.int64)
    every[rest], lengths[rest] = rows.all(), lengths_of_rest
    taken = np.flatnonzero(known >= 0)
    facts = earlier.artifact.documents.facts
    lengths[taken] = facts["count"][known[taken]] - facts["ignored"][known[taken]]
    for at in range(0, len(taken), _TAKEN_AT_ONCE):
        some = taken[at : at + _TAKEN_AT_ONCE]
        every[some] = signatures_of(earlier.artifact, known[some])
    return every, lengths


def _sign_sets(
    sets: Ragged, _state: WorkerState, sketching: Sketching, ignored: Tokens, seed: int, *, sketched: bool
) -> tuple[tuple[Tokens, BlockPlaces, Ragged], Index, Ragged]:
    """The result of `_begin` without the ignored tokens, the number of tokens left of each set, and the sketches."""
    left = leave_out(sets, ignored)
    below = _sketches_of(left) if sketched else left.take(np.empty(0, np.int64))
    return _begin(left, sketching, seed), left.lengths, below


class _Rows:
    """Collects signatures. Small documents of several batches are signed together, which saves calls."""

    def __init__(self, sketching: Sketching, seed: int) -> None:
        self._signatures = GrowingArray(np.uint32, sketching.num_perm)
        self._sketching, self._seed = sketching, seed
        self.filled = 0
        self._waiting: list[Index] = []
        self._tokens: list[Ragged] = []
        self._held = 0

    def add(self, signatures: Tokens, waiting: BlockPlaces, tokens: Ragged) -> None:
        """Add the next signatures. Those at the places `waiting` are still to be computed from these tokens."""
        self._signatures.add(signatures)
        if len(waiting):
            self._waiting.append(self.filled + waiting)
            self._tokens.append(tokens)
            self._held += len(tokens.values)
            if self._held >= _SIGNED_TOGETHER:
                self._flush()
        self.filled += len(signatures)

    def _flush(self) -> None:
        if self._waiting:
            tokens = Ragged.concat(self._tokens, np.uint32)
            signatures = signing_of(self._sketching).signatures(tokens, self._sketching.num_perm, self._seed)
            self._signatures.all()[np.concatenate(self._waiting)] = signatures
        self._waiting, self._tokens, self._held = [], [], 0

    def add_all(self, signatures: Tokens) -> None:
        """Add signatures that are all computed."""
        self._signatures.add(signatures)
        self.filled += len(signatures)

    def all(self) -> Tokens:
        """All signatures: (N, K) uint32."""
        self._flush()
        return self._signatures.all()
