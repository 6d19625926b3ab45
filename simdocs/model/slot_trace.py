"""How MinHash computes the signatures of a few texts, row by row, as a result of compare."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from simdocs.model.answers import NAME, NUMBER, PLAIN, SIMILARITY, Block, Look, Row, Tabular, table_head
from simdocs.model.comparison import SimilarityMatrix
from simdocs.model.ragged import Array, Mask, Tokens

_TRACED_PAIRS = table_head(a=NAME, b=NAME, agree=NUMBER, estimate=SIMILARITY, jaccard=SIMILARITY)

_CHANGED, _INFINITY = "*", "∞"

Slots = tuple[int | None, ...]
"""Values of the hash functions, or the smallest so far of one document; None: infinity."""


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class SlotTrace(Tabular[tuple[str, tuple[int, ...], tuple[tuple[bool, Slots], ...]]]):
    """How the signatures of N documents are computed from R shingles and K hash functions.

    shingles: the shingle of each row, in the order in which the texts have them first.
    tokens: uint32 (R,), the token of each shingle.
    members: bool (R, N), which document has which shingle.
    hashes: uint32 (R, K), the hashes of each token.
    slots: uint32 (R, N, K), the smallest hashes of each document up to each row. They have no meaning in rows before
        the document's first shingle.
    signatures: uint32 (N, K), the signatures.
    matrix: the exact similarities.
    """

    COMMAND = "compare"

    shingles: tuple[str, ...]
    tokens: Tokens
    members: Mask
    hashes: Tokens
    slots: Array
    signatures: Tokens
    matrix: SimilarityMatrix

    @property
    def names(self) -> tuple[Any, ...]:
        """The names of the documents."""
        return self.matrix.names

    @property
    def similar(self) -> bool:
        """Whether any two documents have a similarity at the threshold or above."""
        return self.matrix.similar

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes about texts without shingles."""
        return self.matrix.notes

    def rows(self) -> Iterator[tuple[str, tuple[int, ...], tuple[tuple[bool, Slots], ...]]]:
        """Yield each shingle, its hashes, and for each document whether it has the shingle, and its slots after it."""
        reached = np.logical_or.accumulate(self.members, axis=0).tolist()
        each = zip(
            self.shingles, self.hashes.tolist(), self.members.tolist(), self.slots.tolist(), reached, strict=True
        )
        for shingle, hashes, members, slots, begun in each:
            after = (tuple(row) if any_yet else (None,) * len(row) for row, any_yet in zip(slots, begun, strict=True))
            yield shingle, tuple(hashes), tuple(zip(members, after, strict=True))

    def pairs(self) -> Iterator[tuple[Any, Any, int, float, float]]:
        """Yield both names of each pair, the number and fraction of equal places, and the exact Jaccard similarity."""
        for left, right in combinations(range(len(self.names)), 2):
            empty = not self.members[:, [left, right]].any(axis=0).all()
            agree = 0 if empty else int((self.signatures[left] == self.signatures[right]).sum())
            exact = float(self.matrix.similarity[left, right])
            yield self.names[left], self.names[right], agree, agree / self.signatures.shape[1], exact

    @property
    def is_found(self) -> bool:
        """Whether any two documents are similar."""
        return self.similar

    def blocks(self, look: Look) -> Iterator[Block]:
        """Yield the rows; for people and in nested formats also the signatures, and how similar they are.

        For people, slots that changed are marked, infinity has its sign, and nothing is repeated.
        """
        functions = {f"h{number + 1}": NUMBER for number in range(self.hashes.shape[1])}
        head = table_head(row=NUMBER, shingle=NAME, document=NAME, has=NUMBER).but(PLAIN, **functions)
        yield Block(head, list(self._marked_rows() if look.for_people else self._plain_rows()))
        if look.holds_all:
            signatures = zip(self.names, self.signatures.tolist(), strict=True)
            head = table_head(signature=NAME).but(PLAIN, **functions)
            yield Block(head, [(name, *slots) for name, slots in signatures])
            yield Block(_TRACED_PAIRS, list(self.pairs()))

    def _plain_rows(self) -> Iterator[Row]:
        """Yield for each shingle the values of the hash functions, and then the slots of each document."""
        for number, (shingle, hashes, after) in enumerate(self.rows(), 1):
            yield number, shingle, None, None, *hashes
            for name, (has, slots) in zip(self.names, after, strict=True):
                yield number, shingle, name, int(has), *slots

    def _marked_rows(self) -> Iterator[Row]:
        """Yield the same for people."""
        before: list[Slots] = [(None,) * self.hashes.shape[1]] * len(self.names)
        for number, (shingle, hashes, after) in enumerate(self.rows(), 1):
            yield number, shingle, None, None, *hashes
            for at, (name, (has, slots)) in enumerate(zip(self.names, after, strict=True)):
                shown = (_shown(slot, slot != was) for slot, was in zip(slots, before[at], strict=True))
                yield None, None, name, int(has), *shown
                before[at] = slots

    def __repr__(self) -> str:
        return f"<SlotTrace: rows={len(self.shingles)}, documents={len(self.names)}, places={self.signatures.shape[1]}>"


def _shown(slot: int | None, changed: bool) -> str:
    return f"{_CHANGED if changed else ''}{_INFINITY if slot is None else slot}"
