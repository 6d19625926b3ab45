"""Ragged arrays (rows of unequal length), strings of bytes, arrays that grow; and short names for types of arrays."""

from __future__ import annotations

import errno
import mmap
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from typing import IO, Any, overload

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Bytes = NDArray[np.uint8]
Tokens = NDArray[np.uint32]
Keys = NDArray[np.uint64]
Index = NDArray[np.int64]
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

Rows = NDArray[np.int64]
"""Rows of documents in a corpus. Like the next two, this is an Index that says what its numbers are about."""

TextNumbers = NDArray[np.int64]
"""Numbers of distinct texts. Copies of a text have the same number. -1: a text that is not compared."""

BlockPlaces = NDArray[np.int64]
"""Positions, from 0, among the documents, pairs or texts that a block of work is about."""

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

    def add(self, rows: Sequence[bytes]) -> None:
        """Add byte strings at the end."""
        more = joined(rows)
        self._offsets.add(more.offsets[1:] + len(self._values))
        self._values.add(more.values)

    def all(self) -> ByteStrings:
        """All of them: in the arrays themselves, and not in a copy."""
        return ByteStrings(Ragged(self._values.all(), self._offsets.all()))


STRIDE = 1 << 15
"""Distance between the code points whose byte offsets are stored. All offsets would take more memory than the text."""


def utf8_widths(codepoints: Array) -> Bytes:
    """The number of UTF-8 bytes of each code point: uint8 (n,). A surrogate that stands for an invalid byte has 1."""
    out = (codepoints > 0x7F).view(np.uint8)
    out += codepoints > 0x7FF
    if codepoints.dtype.itemsize > 2:
        out += codepoints > 0xFFFF
    out += np.uint8(1)
    if codepoints.dtype.itemsize > 1:
        escaped = codepoints - codepoints.dtype.type(0xDC80) <= 0x7F
        if escaped.any():
            out[escaped] = 1
    return out


@dataclass(frozen=True, slots=True)
class Texts:
    """N normalised texts, end to end, as UTF-8 bytes and as code points.

    encoded: Ragged uint8, the UTF-8 bytes. A byte that was not valid UTF-8 is kept as it is.
    codepoints: Ragged, the code points. It is `encoded` itself (uint8) if every text is ASCII, else uint16 if all code
        points are below 2^16, else uint32. An invalid byte b is the code point 0xDC00 + b (PEP 383).
    stride_offsets: int64, where in `data` the code points 0, STRIDE, 2 * STRIDE, ... begin; the end counts as one more
        code point. None if every text is ASCII, where each byte is a code point.
    """

    encoded: Ragged
    codepoints: Ragged
    stride_offsets: Index | None = None

    def __len__(self) -> int:
        return len(self.encoded)

    @property
    def data(self) -> Bytes:
        """The UTF-8 bytes of all texts, end to end: uint8."""
        return self.encoded.values

    def byte_offsets(self, first: int, stop: int) -> Index:
        """Where in `data` the code points first to stop - 1 begin, and where the last ends: int64 (stop-first+1,)."""
        if self.stride_offsets is None:
            return np.arange(first, stop + 1)
        noted = first // STRIDE
        begins = np.empty(stop - noted * STRIDE + 1, np.int64)
        begins[0] = self.stride_offsets[noted]
        begins[1:] = utf8_widths(self.codepoints.values[noted * STRIDE : stop])
        np.cumsum(begins, out=begins)
        return begins[first - noted * STRIDE :]

    def byte_spans(self, starts: Index, stops: Index) -> tuple[Array, Array]:
        """Where in `data` runs of code points begin, and how many bytes each has: two arrays of int64 (n,).

        Run i is the code points starts[i] to stops[i] - 1. The runs ascend and do not overlap.
        """
        if self.stride_offsets is None:
            return starts, stops - starts
        positions = np.column_stack((starts, stops)).ravel()
        edges, size = np.empty(len(positions), np.int64), len(self.codepoints.values)
        first, last = positions[[0, -1]] // STRIDE if len(positions) else (0, -1)
        cuts = np.searchsorted(positions, np.arange(first, last + 2) * STRIDE).tolist()
        for noted, low, high in zip(range(first, last + 1), cuts[:-1], cuts[1:], strict=True):
            if low < high:
                at = noted * STRIDE
                edges[low:high] = self.byte_offsets(at, min(at + STRIDE, size))[positions[low:high] - at]
        return edges[::2], edges[1::2] - edges[::2]


BATCH_BYTES = 1 << 19
"""Bytes of text in a batch. By measurement, batches of 125 KB to 1 MB are fastest, because they stay in the cache.
Smaller batches spend their time on calls. With a whole corpus in one batch, a run takes three times as long."""

BATCH_DOCUMENTS = 4096
"""The largest number of documents in a batch. The facts of each take memory, too."""


def batches(sizes: Index, most_bytes: int = BATCH_BYTES) -> Iterator[range]:
    """Yield ranges of consecutive rows whose sizes (N,) add up to at most most_bytes. A larger document is alone."""
    no_more = np.minimum(sizes, most_bytes + 1)  # a file may have holes of exabytes, and sizes are added up
    return (range(*block) for block in row_blocks(offsets_of(no_more), most_bytes, BATCH_DOCUMENTS))
