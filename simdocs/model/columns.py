"""Columns: the arrays of an artifact, in memory or on disk, which can be read in parts."""

from __future__ import annotations

from typing import Protocol

from simdocs.model.byte_strings import let_go
from simdocs.model.ragged import Array


class Column(Protocol):
    """One array of an artifact. Every method returns plain NumPy arrays, which must not be written to.

    ArtifactError: a part that is asked for is damaged on disk.
    """

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the whole array."""

    def __len__(self) -> int: ...

    def all(self) -> Array:
        """Return the whole array."""

    def rows(self, rows: Array) -> Array:
        """Return the rows with these numbers, (n, *shape[1:])."""

    def cut(self, begin: int, end: int) -> Array:
        """Return rows begin to end - 1."""

    def at(self, places: Array) -> Array:
        """Return the values at these places of the flattened array, (n,)."""

    def release(self) -> None:
        """Let the system take back the memory of a column on disk. What is needed again is read again."""


class MemoryColumn:
    """A column in memory."""

    def __init__(self, array: Array) -> None:
        self.array = array

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array."""
        return self.array.shape

    def __len__(self) -> int:
        return len(self.array)

    def all(self) -> Array:
        """Return the array itself."""
        return self.array

    def rows(self, rows: Array) -> Array:
        """Return the rows with these numbers, (n, *shape[1:])."""
        return self.array[rows]

    def cut(self, begin: int, end: int) -> Array:
        """Return rows begin to end - 1."""
        return self.array[begin:end]

    def at(self, places: Array) -> Array:
        """Return the values at these places of the flattened array, (n,)."""
        return self.array.reshape(-1)[places]

    def release(self) -> None:
        """Let the system take back the memory of an array that grew so large that it is in a file."""
        let_go(self.array)
