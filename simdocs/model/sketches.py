"""What the stages make of documents: token sets, signatures, bucket tables; as they travel and as they are shelved."""

from __future__ import annotations

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


@dataclass(frozen=True, slots=True)
class Shingles:
    """N documents and their token sets: Ragged uint32, each row ascending, without repeats. root: the directory from
    which the documents' names are found; "": the working directory."""

    documents: Documents
    tokens: Ragged
    recipe: Recipe
    root: bytes = b""
    skipped: Skipped = field(default_factory=Skipped)


@dataclass(frozen=True, slots=True)
class Signatures:
    """N documents and their signatures: (N, K) uint32; an empty document's row is all 0xFFFFFFFF. root: as of
    Shingles."""

    documents: Documents
    signatures: Tokens
    recipe: Recipe
    root: bytes = b""
    skipped: Skipped = field(default_factory=Skipped)


@dataclass(frozen=True, slots=True)
class Tables:
    """Buckets of M distinct texts in B bands. keys: (B, M) uint64, each band ascending. rows: (B, M) uint32, whose key
    it is. same_as: (N,) uint32, the row of the first document of the same text, its own if none."""

    keys: Keys
    rows: Tokens
    same_as: Tokens


@dataclass(frozen=True, slots=True)
class BandIndex:
    """N documents, their signatures (N, K), and the buckets that they share. root: as of Shingles."""

    documents: Documents
    signatures: Tokens
    tables: Tables
    recipe: Recipe
    root: bytes = b""
    skipped: Skipped = field(default_factory=Skipped)


@dataclass(frozen=True, slots=True)
class Matches:
    """What a query found. pairs: left, rows of `documents` (those asked about); right, rows of the index; in the order
    of the answer."""

    documents: Documents
    pairs: Pairs
    skipped: Skipped = field(default_factory=Skipped)


@dataclass(frozen=True, slots=True)
class Deduplication:
    """What dedupe decided. pairs: left, the row kept; right, its duplicate; ascending by both. kept: the rows of all
    documents that are no duplicates, ascending."""

    documents: Documents
    pairs: Pairs
    kept: Index
    skipped: Skipped = field(default_factory=Skipped)
