"""Columns that grow at their end while documents are read, in little more memory than what was added."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from simdocs.model.byte_strings import ByteStrings, joined
from simdocs.model.ragged import Array, Ragged


class GrowingArray:
    """An array that grows in place: (n, *width).

    Its bytes are moved by the system where it can do that, and what is reserved for more rows is never touched. So an
    array takes no memory twice while it grows, unlike pieces that are concatenated at the end.
    """

    def __init__(self, dtype: Any, *width: int) -> None:
        self._dtype, self._width = np.dtype(dtype), width
        self._bytes = bytearray()

    def __len__(self) -> int:
        return len(self.all())

    def add(self, rows: Array) -> None:
        """Add rows (m, *width) at the end. No array that `all` returned may be in use: BufferError."""
        self._bytes += np.ascontiguousarray(rows, self._dtype).reshape(-1).view(np.uint8).data

    def all(self) -> Array:
        """All rows: the array itself, and not a copy."""
        return np.frombuffer(self._bytes, self._dtype).reshape(-1, *self._width)


class GrowingByteStrings:
    """Byte strings that grow in number."""

    def __init__(self) -> None:
        self._values, self._offsets = GrowingArray(np.uint8), GrowingArray(np.int64)
        self._offsets.add(np.zeros(1))
        self._end = 0

    def add(self, rows: Sequence[bytes]) -> None:
        """Add byte strings at the end."""
        more = joined(rows)
        self._values.add(more.values)
        self._offsets.add(more.offsets[1:] + self._end)
        self._end += len(more.values)

    def all(self) -> ByteStrings:
        """All of them: in the arrays themselves, and not in a copy."""
        return ByteStrings(Ragged(self._values.all(), self._offsets.all()))
