"""Columns: arrays of an artifact, in memory or on disk; strings of bytes; and arrays that grow while documents come."""

from __future__ import annotations

import errno
import mmap
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import pairwise
from typing import IO, Any, Protocol, overload

import numpy as np

from simdocs.model.ragged import Array, Index, Ragged, distinct


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


_SMALL = np.frombuffer(bytes(range(256)).lower(), np.uint8)
"""The small letter of each byte."""


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

    def part(self, begin: int, end: int) -> ByteStrings:
        """The byte strings in these places, not copied."""
        return ByteStrings(Ragged(self.ragged.values, self.ragged.offsets[begin : end + 1]))

    def that_end_with(self, endings: Iterable[bytes]) -> Index:
        """The places of those that end with one of these, in small or capital letters, ascending: int64 (n,).

        An ending has at least one letter, all of them small.
        """
        values, offsets, lengths = self.ragged.values, self.ragged.offsets, self.ragged.lengths
        places = np.flatnonzero(lengths)
        last = _SMALL[values[offsets[places + 1] - 1]]
        found = [np.empty(0, np.int64)]
        for ending in endings:
            some = places[last == ending[-1]]
            some = some[lengths[some] >= len(ending)]
            for back, letter in enumerate(ending[-2::-1], 2):
                some = some[_SMALL[values[offsets[some + 1] - back]] == letter]
            found.append(some)
        return distinct(np.concatenate(found))

    def __iter__(self) -> Iterator[bytes]:
        for begin in range(0, len(self), _AT_ONCE):
            yield from self[begin : begin + _AT_ONCE]


_IN_MEMORY = 1 << 28
"""Bytes from which on an array moves to a file, and by which it then grows: 256 MiB."""


class GrowingArray:
    """An array that grows in place: (n, *width).

    Its bytes are moved by the system where it can do that, and what is reserved for more rows is never touched. So an
    array takes no memory twice while it grows, unlike pieces that are concatenated at the end.

    A large array moves to a file without a name in the directory of temporary files, so that the system can take back
    the memory of parts that are not in use. It stays in memory if there is little room in that directory.
    """

    def __init__(self, dtype: Any, *width: int) -> None:
        self._dtype, self._width = np.dtype(dtype), width
        self._bytes: bytearray | _Mapped = bytearray()

    def __len__(self) -> int:
        return len(self.all())

    def add(self, rows: Array) -> None:
        """Add rows (m, *width) at the end. No array that `all` returned may be in use: BufferError."""
        self._bytes.extend(np.ascontiguousarray(rows, self._dtype).reshape(-1).view(np.uint8).data)
        if isinstance(self._bytes, bytearray) and len(self._bytes) > _IN_MEMORY:
            self._bytes = _Mapped(self._bytes)

    def all(self) -> Array:
        """All rows: the array itself, and not a copy."""
        held = self._bytes if isinstance(self._bytes, bytearray) else self._bytes.view()
        return np.frombuffer(held, self._dtype).reshape(-1, *self._width)


def let_go(array: Array) -> None:
    """Let the system take back the memory of an array in a file, from which it is read again when needed.

    array: one that is memory-mapped from a file, or of a GrowingArray; or any in memory, with which nothing is done.
    """
    base: Any = array
    while isinstance(base, np.ndarray):
        base = base.base
    if isinstance(base, memoryview) and isinstance(base.obj, _InFile):
        base = base.obj
    if isinstance(base, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
        base.madvise(mmap.MADV_DONTNEED)


class _InFile(mmap.mmap):
    """A mapping of a file, and not of memory alone."""


class _Mapped:
    """Bytes that grow in a file that is mapped into memory, or in memory if there is no room for the file."""

    def __init__(self, first: bytearray) -> None:
        import tempfile  # few runs need it

        self._file: IO[bytes] | None = None
        with suppress(OSError):  # there is no directory for it
            self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115  (closed below)
        self._size, self._map = 0, self._with_room(_IN_MEMORY)
        self.extend(first)

    def __del__(self) -> None:
        if self._file is not None:
            self._file.close()

    def extend(self, more: bytearray | memoryview) -> None:
        """Add bytes at the end."""
        end = self._size + len(more)
        if end > len(self._map):
            before, self._map = self._map, self._with_room(-(-end // _IN_MEMORY) * _IN_MEMORY)
            if self._file is None:
                self._map[: self._size] = before[: self._size]
            before.close()  # BufferError: an array is in use
        self._map[self._size : end] = more
        self._size = end

    def view(self) -> memoryview:
        """The bytes themselves."""
        return memoryview(self._map)[: self._size]

    def _with_room(self, room: int) -> mmap.mmap:
        """A mapping with this number of bytes, all of which the file has: a write to it cannot find a full disk."""
        if self._file is not None:
            try:
                free = os.fstatvfs(self._file.fileno())
                if free.f_bavail * free.f_frsize < 2 * room:
                    raise OSError(errno.ENOSPC, "")
                os.posix_fallocate(self._file.fileno(), 0, room)
                return _InFile(self._file.fileno(), room)
            except OSError:
                self._file.close()
                self._file = None
        try:
            return mmap.mmap(-1, room)
        except OSError:
            raise MemoryError from None


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
