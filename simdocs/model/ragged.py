"""Ragged arrays: rows of unequal length, end to end in one array; and short names for types of arrays."""

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

NO_TOKENS: Tokens = np.empty(0, np.uint32)
"""An array without tokens."""


def offsets_of(lengths: Array) -> Index:
    """The offsets of rows with these lengths (N,): int64 (N+1,), 0 and then the running sum."""
    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets


def distinct(values: Array) -> Array:
    """The distinct values of an array, ascending. Unlike np.unique, this does not import numpy.ma, which takes 6 ms."""
    ordered = np.sort(values, axis=None)
    begins = np.ones(len(ordered), bool)
    np.not_equal(ordered[1:], ordered[:-1], out=begins[1:])
    found: Array = ordered[begins]
    return found


def ranges(starts: Array, lengths: Array) -> Index:
    """The numbers from starts[i] to starts[i] + lengths[i] - 1, for every i, end to end: int64."""
    lengths = np.asarray(lengths, np.int64)
    offsets = offsets_of(lengths)
    out = np.arange(offsets[-1], dtype=np.int64)
    out += np.repeat(np.asarray(starts, np.int64) - offsets[:-1], lengths)
    return out


def firsts_of_runs(order: Index, begins: Mask) -> Index:
    """For each item the first item of its run: int64 (n,).

    order: the items, brought into an order in which equal ones are runs. begins: (n,) which places in it begin a run.
    """
    firsts = np.empty(len(order), np.int64)
    firsts[order] = order[begins][np.cumsum(begins) - 1]
    return firsts


def row_blocks(offsets: Index, max_values: int, max_rows: int | None = None) -> Iterator[tuple[int, int]]:
    """The rows in blocks: each is (first, end) and means the rows first to end - 1.

    A block has at most max_values values and at most max_rows rows, by default as many as values, or it is a single
    larger row. offsets: (N+1,).
    """
    most = max_values if max_rows is None else max_rows
    first = 0
    while first < len(offsets) - 1:
        end = int(np.searchsorted(offsets, offsets[first] + max_values, side="right")) - 1
        end = max(first + 1, min(end, first + most))
        yield first, end
        first = end


_COUNT_BLOCK = 1 << 18
"""Values of a mask that are counted at once: reduceat turns them all into numbers of 8 bytes."""


def count_true_in_rows(mask: Mask, offsets: Index) -> Index:
    """The number of true values in each row of mask (T,), whose N rows begin at offsets (N+1,): int64 (N,)."""
    counts = np.zeros(len(offsets) - 1, np.int64)
    for first, end in row_blocks(offsets, _COUNT_BLOCK):
        here = mask[offsets[first] : offsets[end]]
        if end == first + 1:
            counts[first] = np.count_nonzero(here)
            continue
        starts = offsets[first:end]
        filled = offsets[first + 1 : end + 1] > starts
        if filled.any():
            # reduceat would give an empty row the value of the next row, so only rows with values take part.
            counts[first:end][filled] = np.add.reduceat(here, starts[filled] - starts[0], dtype=np.int64)
    return counts


@dataclass(frozen=True, slots=True)
class Ragged:
    """N rows of unequal length. Row i is values[offsets[i]:offsets[i+1]].

    values: (T,), of any dtype.
    offsets: int64 (N+1,), from 0 to T, never decreasing.
    """

    values: Array
    offsets: Index

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, row: int) -> Array:
        return self.values[self.offsets[row] : self.offsets[row + 1]]

    @property
    def lengths(self) -> Index:
        """The length of each row: int64 (N,)."""
        return np.diff(self.offsets)

    @property
    def rows_ascend(self) -> bool:
        """Whether the values of each row ascend without repeats."""
        ascends = np.ones(len(self.values), bool)
        np.greater(self.values[1:], self.values[:-1], out=ascends[1:])
        ascends[self.offsets[:-1][self.lengths > 0]] = True
        return bool(ascends.all())

    @classmethod
    def from_lengths(cls, values: Array, lengths: Array) -> Ragged:
        """The rows with these lengths (N,), which are end to end in `values`."""
        return cls(values, offsets_of(lengths))

    @classmethod
    def from_rows(cls, rows: Sequence[Array], dtype: Any) -> Ragged:
        """One row for each of these arrays, with values of this dtype."""
        values = np.concatenate(rows) if len(rows) else np.empty(0, dtype)
        lengths = np.fromiter(map(len, rows), np.int64, len(rows))
        return cls.from_lengths(values.astype(dtype, copy=False), lengths)

    @classmethod
    def concat(cls, parts: Sequence[Ragged], dtype: Any) -> Ragged:
        """The rows of all parts, in order. dtype: of the values if there are no parts."""
        if len(parts) == 1:
            return parts[0]
        if not parts:
            return cls.from_lengths(np.empty(0, dtype), np.empty(0, np.int64))
        values = np.concatenate([part.values for part in parts])
        return cls.from_lengths(values, np.concatenate([part.lengths for part in parts]))

    def cut(self, begin: int, end: int) -> Ragged:
        """Rows begin to end - 1, whose values are not copied."""
        offsets = self.offsets[begin : end + 1]
        return Ragged(self.values[offsets[0] : offsets[-1]], offsets - offsets[0])

    def take(self, rows: Array) -> Ragged:
        """The rows with these numbers, in the order given. A number may occur more than once.

        If these are all rows in their order, the result is this object, not a copy: a large document is alone in its
        batch, and copying its tokens would take three times their memory.
        """
        if len(rows) == len(self) and np.array_equal(rows, np.arange(len(self))):
            return self
        starts = self.offsets[:-1][rows]
        lengths = self.offsets[1:][rows] - starts
        return Ragged.from_lengths(self.values[ranges(starts, lengths)], lengths)

    def keep(self, mask: Mask) -> Ragged:
        """Every row, with only those values for which mask (T,) is true."""
        return Ragged.from_lengths(self.values[mask], count_true_in_rows(mask, self.offsets))


Rows = NDArray[np.int64]
"""Rows of documents in a corpus."""

TextNumbers = NDArray[np.int64]
"""Numbers of distinct texts. Copies of a text have the same number. -1: a text that is not compared."""

BlockPlaces = NDArray[np.int64]
"""Positions, from 0, among the documents, pairs or texts that a block of work is about."""
