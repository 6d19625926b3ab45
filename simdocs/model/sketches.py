"""What the stages make of documents: token sets, signatures, bucket tables; as they travel and as they are shelved."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Protocol

from simdocs.model.documents import Documents
from simdocs.model.groups import Pairs
from simdocs.model.ragged import Array, Index, Keys, Ragged, Tokens
from simdocs.model.skipped import Skipped
from simdocs.parameters import Recipe


class Column(Protocol):
    """An array of which parts are asked for: in memory, or on disk."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Its shape."""

    def __len__(self) -> int: ...

    def all(self) -> Array:
        """The whole array."""

    def rows(self, rows: Array) -> Array:
        """The rows with these numbers."""

    def cut(self, begin: int, end: int) -> Array:
        """Rows begin to end - 1."""

    def at(self, places: Array) -> Array:
        """The values at these places of the flattened array."""


@dataclass(frozen=True, slots=True)
class Held:
    """A column in memory."""

    array: Array

    @property
    def shape(self) -> tuple[int, ...]:
        """Its shape."""
        return self.array.shape

    def __len__(self) -> int:
        return len(self.array)

    def all(self) -> Array:
        """The whole array."""
        return self.array

    def rows(self, rows: Array) -> Array:
        """The rows with these numbers."""
        return self.array[rows]

    def cut(self, begin: int, end: int) -> Array:
        """Rows begin to end - 1."""
        return self.array[begin:end]

    def at(self, places: Array) -> Array:
        """The values at these places of the flattened array."""
        return self.array.reshape(-1)[places]


@dataclass(frozen=True, slots=True, eq=False)
class Shingles:
    """N documents and their token sets: Ragged uint32, each row ascending, without repeats. root: the directory from
    which the documents' names are found; "": the working directory."""

    documents: Documents
    tokens: Ragged
    recipe: Recipe
    root: bytes = b""
    skipped: Skipped = field(default_factory=Skipped)


@dataclass(frozen=True, slots=True, eq=False)
class Signatures:
    """N documents and their signatures: (N, K) uint32; an empty document's row is all 0xFFFFFFFF. root: as of
    Shingles."""

    documents: Documents
    signatures: Tokens
    recipe: Recipe
    root: bytes = b""
    skipped: Skipped = field(default_factory=Skipped)


@dataclass(frozen=True, slots=True, eq=False)
class Tables:
    """Buckets of M distinct texts in B bands. keys: (B, M) uint64, each band ascending. rows: (B, M) uint32, whose key
    it is. same_as: (N,) uint32, the row of the first document of the same text, its own if none."""

    keys: Keys
    rows: Tokens
    same_as: Tokens


@dataclass(frozen=True, slots=True, eq=False)
class BandIndex:
    """N documents, their signatures (N, K), and the buckets that they share. root: as of Shingles."""

    documents: Documents
    signatures: Tokens
    tables: Tables
    recipe: Recipe
    root: bytes = b""
    skipped: Skipped = field(default_factory=Skipped)


@dataclass(frozen=True, slots=True, eq=False)
class Matches:
    """What a query found. pairs: left, rows of `documents` (those asked about); right, rows of the index; in the order
    of the answer. names: of the documents of the index, one a pair."""

    documents: Documents
    pairs: Pairs
    names: Ragged
    skipped: Skipped = field(default_factory=Skipped)

    def rows(self) -> Iterator[tuple[bytes, bytes, float, float]]:
        """Name asked about, name of the match, exact similarity (NaN: not computed), estimate."""
        for at, (left, jaccard, estimate) in enumerate(_figures(self.pairs, self.pairs.left)):
            yield self.documents.name(left), self.names[at].tobytes(), jaccard, estimate


@dataclass(frozen=True, slots=True, eq=False)
class Deduplication:
    """What dedupe decided. pairs: left, the row kept; right, its duplicate; ascending by both. kept: the rows of all
    documents that are no duplicates, ascending."""

    documents: Documents
    pairs: Pairs
    kept: Index
    skipped: Skipped = field(default_factory=Skipped)

    def rows(self) -> Iterator[tuple[bytes, bytes, float, float]]:
        """Name kept, name of its duplicate, exact similarity (NaN: not computed), estimate."""
        name = self.documents.name
        figures = _figures(self.pairs, self.pairs.left)
        for right, (left, jaccard, estimate) in zip(self.pairs.right.tolist(), figures, strict=True):
            yield name(left), name(right), jaccard, estimate


def _figures(pairs: Pairs, left: Index) -> Iterator[tuple[int, float, float]]:
    return zip(left.tolist(), pairs.jaccard.tolist(), pairs.estimate.tolist(), strict=True)
