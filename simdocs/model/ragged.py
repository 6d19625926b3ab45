"""Ragged: rows of unequal length, end to end in one array."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Bytes = NDArray[np.uint8]
Tokens = NDArray[np.uint32]
Keys = NDArray[np.uint64]
Index = NDArray[np.int64]
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


def offsets_of(lengths: Array) -> Index:
    """Offsets (N+1,) int64 of rows with these lengths (N,): 0, then the running sum."""
    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets


def ranges(starts: Array, lengths: Array) -> Index:
    """The numbers starts[i], starts[i]+1, ... lengths[i] of them, for every i, end to end (int64)."""
    lengths = np.asarray(lengths, np.int64)
    offsets = offsets_of(lengths)
    out = np.arange(offsets[-1], dtype=np.int64)
    out += np.repeat(np.asarray(starts, np.int64) - offsets[:-1], lengths)
    return out


def row_blocks(offsets: Index, most: int) -> Iterator[tuple[int, int]]:
    """Rows first to end - 1: as many in a row as hold so many values at most, or one larger one. No more rows than
    values, either."""
    first = 0
    while first < len(offsets) - 1:
        end = int(np.searchsorted(offsets, offsets[first] + most, side="right")) - 1
        end = max(first + 1, min(end, first + most))
        yield first, end
        first = end


_COUNTED_AT_ONCE = 1 << 18
"""Values of a mask counted at once: reduceat makes numbers of them all, of 8 bytes each."""


def count_true_in_rows(mask: Mask, offsets: Index) -> Index:
    """How often mask (T,) is true in each of the rows that offsets (N+1,) cut it into: (N,) int64."""
    counts = np.zeros(len(offsets) - 1, np.int64)
    for first, end in row_blocks(offsets, _COUNTED_AT_ONCE):
        here = mask[offsets[first] : offsets[end]]
        if end == first + 1:
            counts[first] = np.count_nonzero(here)
            continue
        starts = offsets[first:end]
        filled = offsets[first + 1 : end + 1] > starts
        if filled.any():
            # reduceat gives an empty row its neighbour's value: only rows with values take part.
            counts[first:end][filled] = np.add.reduceat(here, starts[filled] - starts[0], dtype=np.int64)
    return counts


@dataclass(frozen=True, slots=True)
class Ragged:
    """N rows; row i is values[offsets[i]:offsets[i+1]].

    values (T,) of any dtype; offsets (N+1,) int64, not falling, from 0 to T.
    """

    values: Array
    offsets: Index

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, row: int) -> Array:
        return self.values[self.offsets[row] : self.offsets[row + 1]]

    @property
    def lengths(self) -> Index:
        """Length of each row, (N,) int64."""
        return np.diff(self.offsets)

    @classmethod
    def from_lengths(cls, values: Array, lengths: Array) -> Ragged:
        """The rows of these lengths (N,) that stand end to end in values."""
        return cls(values, offsets_of(lengths))

    @classmethod
    def from_rows(cls, rows: Sequence[Array], dtype: Any) -> Ragged:
        """One row of the result for each array; no rows give an empty one."""
        values = np.concatenate(rows) if len(rows) else np.empty(0, dtype)
        lengths = np.fromiter(map(len, rows), np.int64, len(rows))
        return cls.from_lengths(values.astype(dtype, copy=False), lengths)

    @classmethod
    def concat(cls, parts: Sequence[Ragged], dtype: Any) -> Ragged:
        """The rows of all parts, in order."""
        if len(parts) == 1:
            return parts[0]
        if not parts:
            return cls.from_lengths(np.empty(0, dtype), np.empty(0, np.int64))
        values = np.concatenate([part.values for part in parts])
        return cls.from_lengths(values, np.concatenate([part.lengths for part in parts]))

    def take(self, rows: Array) -> Ragged:
        """The rows with these numbers, in the order given; a number may come more than once. All rows, as they stand,
        are these themselves: a large document is alone, and a copy of its tokens takes three times their memory."""
        if len(rows) == len(self) and np.array_equal(rows, np.arange(len(self))):
            return self
        lengths = self.lengths[rows]
        return Ragged.from_lengths(self.values[ranges(self.offsets[:-1][rows], lengths)], lengths)

    def keep(self, mask: Mask) -> Ragged:
        """Every row without the values at which mask (T,) is false."""
        return Ragged.from_lengths(self.values[mask], count_true_in_rows(mask, self.offsets))
