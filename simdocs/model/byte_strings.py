"""Byte strings, such as names, end to end in one array: a Python object is made only of those that are asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, overload

import numpy as np

from simdocs.model.ragged import Array, Ragged

_AT_ONCE = 1 << 12
"""Byte strings that are taken out at once where all of them are looked at."""


def joined(rows: Sequence[bytes]) -> Ragged:
    """Byte strings as Ragged uint8."""
    lengths = np.fromiter(map(len, rows), np.int64, len(rows))
    return Ragged.from_lengths(np.frombuffer(b"".join(rows), np.uint8), lengths)


def separate(rows: Ragged) -> list[bytes]:
    """The rows of a Ragged uint8 as byte strings."""
    every, ends = rows.values.tobytes(), (rows.offsets - rows.offsets[0]).tolist()
    return [every[begin:end] for begin, end in pairwise(ends)]


class ByteStrings(Sequence[bytes]):
    """A sequence of byte strings that are the rows of a Ragged uint8."""

    def __init__(self, ragged: Ragged) -> None:
        self.ragged = ragged

    def __len__(self) -> int:
        return len(self.ragged)

    @overload
    def __getitem__(self, at: int) -> bytes: ...

    @overload
    def __getitem__(self, at: slice) -> list[bytes]: ...

    def __getitem__(self, at: int | slice) -> bytes | list[bytes]:
        if isinstance(at, slice):
            begin, end, _ = at.indices(len(self))
            offsets = self.ragged.offsets[begin : max(begin, end) + 1]
            return separate(Ragged(self.ragged.values[offsets[0] : offsets[-1]], offsets))
        return self.ragged[at].tobytes()

    def __iter__(self) -> Iterator[bytes]:
        for begin in range(0, len(self), _AT_ONCE):
            yield from self[begin : begin + _AT_ONCE]


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
