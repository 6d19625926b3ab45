"""Arrays that are larger than memory, in files without a name in the directory of temporary files.

A small array stays in memory. Nothing of a file is left when its process has ended, however that was.
"""

from __future__ import annotations

import os
import tempfile
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import pairwise
from typing import IO, Any

import numpy as np

from simdocs.errors import OutputError
from simdocs.model.ragged import Array, Index, offsets_of
from simdocs.names import display_name
from simdocs.storage import syscalls

_HELD = 1 << 23
"""Bytes that are held before they are written."""

_NEAR = 1 << 16
"""Elements that are read together if some of them are wanted."""


@contextmanager
def room_needed() -> Iterator[None]:
    """Raise OutputError for an OSError while a temporary file is made or written, such as for lack of room."""
    try:
        yield
    except OSError as error:
        where = display_name(os.fsencode(tempfile.gettempdir() if tempfile.tempdir else "temporary files"))
        text = f"{where}: {error.strerror or error}: more room is needed here, or set TMPDIR to another directory"
        raise OutputError(text) from error


class NamelessFile:
    """A file without a name, to which arrays are added, and which is read at any place. It is made when it is needed.

    OutputError: it cannot be made or written, such as for lack of room.
    """

    def __init__(self) -> None:
        self._file: IO[bytes] | None = None
        self.size = 0

    def add(self, values: Array) -> None:
        """Write an array at the end."""
        with room_needed():
            syscalls.write_at(self._descriptor(), values.tobytes(), self.size)
        self.size += values.nbytes

    def reserve(self, size: int) -> int:
        """Where the next `size` bytes begin. They are 0 until others are written through `path`."""
        self.size += size
        return self.size - size

    def path(self, *, everywhere: bool) -> str:
        """A name by which this process may open the file, or all processes of this machine; empty if it has none."""
        with room_needed():
            number = self._descriptor()
        name = f"/proc/{os.getpid()}/fd/{number}"
        return name if os.path.exists(name) else "" if everywhere else f"/dev/fd/{number}"

    def _descriptor(self) -> int:
        if self._file is None:
            self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115  (closed by `close`, or with this object)
            weakref.finalize(self, self._file.close)
        return self._file.fileno()

    def read(self, begin: int, end: int) -> bytearray:
        """The bytes from `begin` to `end` - 1."""
        assert self._file is not None
        data = bytearray(end - begin)
        view, at = memoryview(data), begin
        while view:
            done = os.preadv(self._file.fileno(), [view], at)
            if not done:
                raise OutputError("a temporary file has lost its end")
            view, at = view[done:], at + done
        return data

    def close(self) -> None:
        """Remove the file."""
        if self._file is not None:
            self._file.close()
            self._file = None


class SpilledArray:
    """A one-dimensional array that grows at its end. OutputError: there is no room for its file."""

    def __init__(self, dtype: Any) -> None:
        self.dtype = np.dtype(dtype)
        self._file, self._held, self._size = NamelessFile(), list[Array](), 0

    def __len__(self) -> int:
        return self._size

    def add(self, values: Array) -> None:
        """Add elements at the end."""
        self._held.append(values.astype(self.dtype))
        self._size += len(values)
        if self._written + _HELD // self.dtype.itemsize <= self._size:
            self._file.add(np.concatenate(self._held))
            self._held = []

    @property
    def _written(self) -> int:
        return self._file.size // int(self.dtype.itemsize)

    def read(self, begin: int, end: int) -> Array:
        """The elements from `begin` to `end` - 1."""
        if len(self._held) > 1:
            self._held = [np.concatenate(self._held)]
        written, size = self._written, self.dtype.itemsize
        cut = min(end, written)
        parts = [np.frombuffer(self._file.read(begin * size, cut * size), self.dtype)] if begin < cut else []
        if end > written and self._held:
            parts.append(self._held[0][max(begin - written, 0) : end - written])
        return np.concatenate(parts) if len(parts) != 1 else parts[0]

    def at(self, positions: Index, span: int) -> Array:
        """The elements from each of these ascending positions on: (n, span). Past the end, they are the last one."""
        out = np.empty((len(positions), span), self.dtype)
        cuts = np.flatnonzero(np.diff(positions // _NEAR)) + 1
        for begin, end in pairwise([0, *cuts.tolist(), len(positions)]):
            if begin < end:
                wanted = np.minimum(positions[begin:end, np.newaxis] + np.arange(span), self._size - 1)
                low = int(wanted[0, 0])
                out[begin:end] = self.read(low, int(wanted[-1, -1]) + 1)[wanted - low]
        return out

    def close(self) -> None:
        """Remove the file."""
        self._file.close()
        self._held = []


class SpilledRecords:
    """Records of numbers in partitions, each in the order in which they were added.

    parts: how many partitions there are. width: how many uint64 a record has. counts: the records of each partition.
    """

    def __init__(self, parts: int, width: int) -> None:
        self.parts, self.width = parts, width
        self._most = max(1, _HELD // (8 * width))
        self._file, self._chunks = NamelessFile(), list[tuple[int, Index]]()
        self._held, self._owners, self._waiting = list[Array](), list[Index](), 0
        self._sorted: tuple[Array, Index] | None = None
        self.counts = np.zeros(parts, np.int64)

    def add(self, records: Array, parts: Index) -> None:
        """Add records (n, width) to these partitions (n,)."""
        self.counts += np.bincount(parts, minlength=self.parts)
        for at in range(0, len(records), self._most):
            some = slice(at, at + self._most)
            self._held.append(records[some])
            self._owners.append(parts[some])
            self._waiting += len(parts[some])
            if self._waiting >= self._most:
                self._write()

    def _write(self) -> None:
        records, bounds = self._in_order()
        self._chunks.append((self._file.size, bounds))
        self._file.add(records)

    def _in_order(self) -> tuple[Array, Index]:
        """The records that are held, by partition, and where each partition begins. Nothing is held any more."""
        empty = np.empty((0, self.width), np.uint64)
        records, parts = np.concatenate([empty, *self._held]), np.concatenate([np.empty(0, np.int64), *self._owners])
        self._held, self._owners, self._waiting = [], [], 0
        order = np.argsort(parts.astype(np.uint16), kind="stable")
        return records[order], offsets_of(np.bincount(parts, minlength=self.parts))

    def blocks(self, part: int) -> Iterator[Array]:
        """Yield the records of a partition. No record can be added any more."""
        if self._sorted is None:
            self._sorted = self._in_order()
        size = 8 * self.width
        for at, bounds in self._chunks:
            begin, end = int(bounds[part]), int(bounds[part + 1])
            if begin < end:
                yield np.frombuffer(self._file.read(at + begin * size, at + end * size), np.uint64).reshape(
                    -1, self.width
                )
        records, bounds = self._sorted
        if bounds[part] < bounds[part + 1]:
            yield records[bounds[part] : bounds[part + 1]]

    def all_of(self, part: int) -> Array:
        """All records of a partition: (n, width)."""
        return np.concatenate([np.empty((0, self.width), np.uint64), *self.blocks(part)])

    def close(self) -> None:
        """Remove the file."""
        self._file.close()
        self._held, self._owners, self._sorted = [], [], None


KEY_PARTS = 256
"""Partitions of records that `classes` takes: by a byte of the key."""

_SORTED_AT_ONCE = 1 << 18
"""Records that are sorted in memory."""


def key_parts(keys: Array, level: int = 0) -> Index:
    """The partition of each key, by its byte number `level` from the first."""
    return ((keys >> np.uint64(56 - 8 * level)) & np.uint64(255)).astype(np.int64)


def classes(records: SpilledRecords, level: int = 0) -> Iterator[tuple[bool, Callable[[], Iterator[Array]]]]:
    """Yield all records, those with one key together. The key is the first number of a record.

    For each part: whether there is only one key, so that there may be too many records for memory; and a function that
    yields the records in the order in which they were added, or else all at once, ordered by their keys.

    records: in partitions by `key_parts`. A partition that is too large for memory is cut into others.
    """
    counts = records.counts
    for part in np.flatnonzero(counts).tolist():
        if counts[part] <= _SORTED_AT_ONCE:
            every = records.all_of(part)
            yield False, partial(iter, [every[np.argsort(every[:, 0], kind="stable")]])
        elif level == 7 or _has_one_key(records, part):
            yield True, partial(records.blocks, part)
        else:
            finer = SpilledRecords(KEY_PARTS, records.width)
            try:
                for block in records.blocks(part):
                    finer.add(block, key_parts(block[:, 0], level + 1))
                yield from classes(finer, level + 1)
            finally:
                finer.close()


def _has_one_key(records: SpilledRecords, part: int) -> bool:
    first = next(records.blocks(part))[0, 0]
    return all((block[:, 0] == first).all() for block in records.blocks(part))
