"""MinHash row by row, as courses show it: the slots of each document after each row of the characteristic matrix."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from simdocs.model.comparison import SimilarityMatrix
from simdocs.model.ragged import Array, Mask, Tokens

Slots = tuple[int | None, ...]
"""Values of the hash functions, or the smallest so far of one document; None: infinity."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SlotTrace:
    """How the signatures of N documents were computed from R rows and K hash functions.

    shingles: of each row, in the order in which the texts have them first. tokens: uint32 (R,). members: which document
    has which shingle, bool (R, N). hashes: of each token, uint32 (R, K). slots: the smallest of the documents' hashes
    up to each row, uint32 (R, N, K), of meaning where `reached` (R, N). matrix: the exact similarities.
    """

    shingles: tuple[str, ...]
    tokens: Tokens
    members: Mask
    hashes: Tokens
    slots: Array
    signatures: Tokens
    matrix: SimilarityMatrix

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the documents."""
        return self.matrix.names

    @property
    def similar(self) -> bool:
        """Whether any two documents have a similarity at the threshold or above."""
        return self.matrix.similar

    @property
    def notes(self) -> tuple[str, ...]:
        """Which texts have no shingles."""
        return self.matrix.notes

    def rows(self) -> Iterator[tuple[str, tuple[int, ...], tuple[tuple[bool, Slots], ...]]]:
        """Each shingle, the values of the hash functions, and for each document whether it has it, and its slots."""
        reached = np.logical_or.accumulate(self.members, axis=0).tolist()
        each = zip(
            self.shingles, self.hashes.tolist(), self.members.tolist(), self.slots.tolist(), reached, strict=True
        )
        for shingle, hashes, members, slots, begun in each:
            after = (tuple(row) if any_yet else (None,) * len(row) for row, any_yet in zip(slots, begun, strict=True))
            yield shingle, tuple(hashes), tuple(zip(members, after, strict=True))

    def pairs(self) -> Iterator[tuple[str, str, int, float, float]]:
        """Each two documents, in how many places they agree, the share of these, and the exact Jaccard similarity."""
        for left, right in combinations(range(len(self.names)), 2):
            empty = not self.members[:, [left, right]].any(axis=0).all()
            agree = 0 if empty else int((self.signatures[left] == self.signatures[right]).sum())
            exact = float(self.matrix.similarity[left, right])
            yield self.names[left], self.names[right], agree, agree / self.signatures.shape[1], exact

    def __repr__(self) -> str:
        return f"<SlotTrace: rows={len(self.shingles)}, documents={len(self.names)}, places={self.signatures.shape[1]}>"
