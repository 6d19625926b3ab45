"""From documents to signatures: signature, the second stage. Every text is read once, in batches, by as many workers
as there are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from simdocs.corpora.discover import FileList
from simdocs.corpora.jsonl import Lines
from simdocs.corpora.read_tasks import Files, tasks
from simdocs.engines.run import Run
from simdocs.kernels.sketch.schemes import scheme_of
from simdocs.kernels.tokens import multisets
from simdocs.model.artifact import Shingles
from simdocs.model.documents import Documents
from simdocs.model.ragged import Index, Ragged, Tokens, row_blocks
from simdocs.parameters import Recipe, Sketching
from simdocs.pipeline.reading import Advance, Read, Register, read_task
from simdocs.pipeline.shingling import note, note_sets, shingled

_WORTH_THEIR_ROUNDS = 1 << 14
"""Tokens of small documents that are signed with their batch; fewer wait for those of other batches."""

_GATHERED = 1 << 18
"""Tokens of small documents that are signed together: a mebibyte."""

_STORED_AT_ONCE = 1 << 18
"""Tokens of an artifact that are signed at once."""


@dataclass(slots=True)
class Signed:
    """What came of a task: the documents read, without their texts; signatures; rows (of these) and tokens of small
    documents still to be signed."""

    read: Read
    signatures: Tokens
    waiting: Index
    tokens: Ragged


def sign_task(task: Files | Lines, recipe: Recipe, sketching: Sketching, *, with_sets: bool) -> Signed:
    """Read, shingle and sign a task. with_sets: note the facts of token sets, too, which takes sorting them."""
    read = read_task(task, recipe.sequences)
    how = recipe.shingling
    out = np.empty((len(read.raws), sketching.num_perm), np.uint32)
    waiting: list[Index] = []
    small: list[Ragged] = []
    for part in shingled(read.raws, how):
        note(read.facts, part, how.k)
        tokens = multisets.token_sets(part.tokens) if with_sets else part.tokens
        if with_sets:
            note_sets(read.facts, part.places, tokens)
        out[part.places], undone, left = _begin(tokens, sketching, how.seed)
        waiting.append(part.places[undone])
        small.append(left)
    read.raws = []
    rows = np.concatenate(waiting) if waiting else np.empty(0, np.int64)
    return Signed(read, out, rows, Ragged.concat(small, np.uint32))


def _begin(tokens: Ragged, sketching: Sketching, seed: int) -> tuple[Tokens, Index, Ragged]:
    """Signatures; which rows are not done, and the tokens of those: small documents, where they are too few to be
    worth their rounds."""
    scheme = scheme_of(sketching.scheme)
    begun, undone = scheme.partial_signatures(tokens, sketching.num_perm, seed)
    small = tokens.take(undone)
    if len(small.values) < _WORTH_THEIR_ROUNDS:
        return begun, undone, small
    begun[undone] = scheme.signatures(small, sketching.num_perm, seed)
    return begun, undone[:0], small.take(undone[:0])


def sign(
    found: FileList,
    limit: int,
    recipe: Recipe,
    sketching: Sketching,
    run: Run,
    *,
    with_sets: bool,
) -> tuple[Documents, Tokens]:
    """Documents and signatures of the files found: those that were read, in row order. Skips are noted."""
    register, advance = Register(found, run.skipped), Advance(found)
    rows = _Rows(len(found.names), sketching, recipe.shingling.seed)
    work = partial(sign_task, recipe=recipe, sketching=sketching, with_sets=with_sets)
    results = run.engine.map(work, advance.watch(tasks(found, limit, recipe.sequences, run.skipped)))
    for turn, result in enumerate(results):
        taken = register.enter(result.read, advance.files[turn])
        if len(taken) == len(result.signatures):
            rows.add(result.signatures, result.waiting, result.tokens)
        else:
            still = np.isin(result.waiting, taken)
            waiting = np.searchsorted(taken, result.waiting[still])
            rows.add(result.signatures[taken], waiting, result.tokens.take(np.flatnonzero(still)))
        run.progress("reading", advance.bytes[turn], advance.total)
    return register.documents(), rows.all()


def sign_token_sets(shingles: Shingles, sketching: Sketching, run: Run) -> Tokens:
    """Return the signatures of token sets, (N, K) uint32."""
    offsets = shingles["offsets"].all()
    rows = _Rows(shingles.n_documents, sketching, shingles.recipe.shingling.seed)
    work = partial(_begin, sketching=sketching, seed=shingles.recipe.shingling.seed)

    def cuts() -> Iterator[Ragged]:
        for at, end in row_blocks(offsets, _STORED_AT_ONCE):
            tokens = shingles["tokens"].cut(int(offsets[at]), int(offsets[end]))
            yield Ragged(np.asarray(tokens), offsets[at : end + 1] - offsets[at])

    for signatures, undone, small in run.engine.map(work, cuts()):
        rows.add(signatures, undone, small)
        run.progress("signing", rows.filled, shingles.n_documents)
    return rows.all()


class _Rows:
    """Signatures as they come in. Small documents of many batches are signed together: their rounds cost calls, not
    work."""

    def __init__(self, expected: int, sketching: Sketching, seed: int) -> None:
        self._signatures: Tokens = np.empty((expected, sketching.num_perm), np.uint32)
        self._sketching, self._seed = sketching, seed
        self.filled = 0
        self._waiting: list[Index] = []
        self._tokens: list[Ragged] = []
        self._held = 0

    def add(self, signatures: Tokens, waiting: Index, tokens: Ragged) -> None:
        """Take the next signatures; those of the rows `waiting` among them are to be made of these tokens."""
        end = self.filled + len(signatures)
        if end > len(self._signatures):
            # Grown in place where the system can: what is doubled is address space.
            self._signatures.resize((max(end, 2 * len(self._signatures)), self._signatures.shape[1]), refcheck=False)
        self._signatures[self.filled : end] = signatures
        if len(waiting):
            self._waiting.append(self.filled + waiting)
            self._tokens.append(tokens)
            self._held += len(tokens.values)
            if self._held >= _GATHERED:
                self._flush()
        self.filled = end

    def _flush(self) -> None:
        """Sign all that waits."""
        if self._waiting:
            tokens = Ragged.concat(self._tokens, np.uint32)
            signatures = scheme_of(self._sketching.scheme).signatures(tokens, self._sketching.num_perm, self._seed)
            self._signatures[np.concatenate(self._waiting)] = signatures
        self._waiting, self._tokens, self._held = [], [], 0

    def all(self) -> Tokens:
        """All signatures, (N, K)."""
        self._flush()
        return self._signatures[: self.filled]
