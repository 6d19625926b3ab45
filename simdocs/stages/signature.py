"""From documents to signatures: every text is read once, in batches, by as many workers as there are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from simdocs.corpora.arguments import Found
from simdocs.corpora.batches import batches
from simdocs.engines.local import Local
from simdocs.kernels.schemes import SCHEMES
from simdocs.model.documents import DOCUMENT, Documents
from simdocs.model.ragged import Index, Ragged, Tokens
from simdocs.model.skipped import Skip, Skipped
from simdocs.parameters import Shingling, Sketching
from simdocs.stages.shingle import Batch, note, ragged_bytes, read_batch, shingled

Progress = Callable[[str, int, int], None]
"""What is being done, how much of it is done, how much there is (0: unknown)."""

_WORTH_THEIR_ROUNDS = 1 << 14
"""Tokens of small documents that are signed with their batch; fewer wait for those of other batches."""

_GATHERED = 1 << 18
"""Tokens of small documents that are signed together: a mebibyte."""


@dataclass(slots=True)
class Signed:
    """What came of a batch: places of the documents read, facts, signatures; rows (of these) and tokens of small
    documents still to be signed; skips."""

    places: list[int]
    facts: NDArray[np.void]
    signatures: Tokens
    waiting: Index
    tokens: Ragged
    skips: list[Skip]


def sign_batch(batch: Batch, how: Shingling, sketching: Sketching) -> Signed:
    """Read, shingle and sign a batch."""
    read = read_batch(batch)
    out = np.empty((len(read.places), sketching.num_perm), np.uint32)
    waiting: list[Index] = []
    tokens: list[Ragged] = []
    scheme = SCHEMES[sketching.scheme]
    for part in shingled(read.raws, how):
        note(read.facts, part, how.k)
        begun, undone = scheme.begin(part.tokens, sketching.num_perm, how.seed)
        small = part.tokens.take(undone)
        if len(small.values) >= _WORTH_THEIR_ROUNDS:
            begun[undone] = scheme.signatures(small, sketching.num_perm, how.seed)
        else:
            waiting.append(part.places[undone])
            tokens.append(small)
        out[part.places] = begun
    rows = np.concatenate(waiting) if waiting else np.empty(0, np.int64)
    return Signed(read.places, read.facts, out, rows, Ragged.concat(tokens, np.uint32), read.skips)


def sign(
    found: Found, limit: int, how: Shingling, sketching: Sketching, engine: Local, skipped: Skipped, progress: Progress
) -> tuple[Documents, Tokens]:
    """Documents and signatures of the files found: those that were read, in row order. Skips are noted."""
    total = len(found.names)
    facts = np.empty(total, DOCUMENT)
    signatures = np.empty((total, sketching.num_perm), np.uint32)
    names: list[bytes] = []
    held: dict[int, bytes] = {}
    small = _Small(signatures, how, sketching)
    row = done = 0
    work = partial(sign_batch, how=how, sketching=sketching)
    cuts = list(batches(found.sizes))
    for cut, result in zip(cuts, engine.map(work, _tasks(found, cuts, limit)), strict=True):
        end = row + len(result.places)
        facts[row:end] = result.facts
        signatures[row:end] = result.signatures
        small.add(row + result.waiting, result.tokens)
        for place, own_row in zip(result.places, range(row, end), strict=True):
            names.append(found.names[cut[place]])
            if cut[place] in found.held:
                held[own_row] = found.held[cut[place]]
        skipped.extend(result.skips)
        row, done = end, done + len(cut)
        progress("reading", done, total)
    small.flush()
    return Documents(ragged_bytes(names), facts[:row], held), signatures[:row]


def _tasks(found: Found, cuts: list[range], limit: int) -> Iterator[Batch]:
    for cut in cuts:
        held = {row - cut.start: found.held[row] for row in cut if row in found.held} if found.held else {}
        yield Batch(found.names[cut.start : cut.stop], held, limit)


class _Small:
    """Small documents of many batches, signed together: their rounds cost calls, not work."""

    def __init__(self, signatures: Tokens, how: Shingling, sketching: Sketching) -> None:
        self._signatures, self._how, self._sketching = signatures, how, sketching
        self._rows: list[Index] = []
        self._tokens: list[Ragged] = []
        self._held = 0

    def add(self, rows: Index, tokens: Ragged) -> None:
        """Take the tokens of these rows."""
        if len(rows):
            self._rows.append(rows)
            self._tokens.append(tokens)
            self._held += len(tokens.values)
            if self._held >= _GATHERED:
                self.flush()

    def flush(self) -> None:
        """Sign all that is held."""
        if self._rows:
            tokens = Ragged.concat(self._tokens, np.uint32)
            scheme, size = SCHEMES[self._sketching.scheme], self._sketching.num_perm
            self._signatures[np.concatenate(self._rows)] = scheme.signatures(tokens, size, self._how.seed)
        self._rows, self._tokens, self._held = [], [], 0
