"""Arrays as .npy files: written a piece at a time, with a checksum for each block, and checked before they are used.

Layout: NumPy's format 1.0 (numpy.lib.format): magic, header, data. We write the header ourselves, so that its bytes do
not depend on the version of NumPy. A reader compares it with what it must be and never evaluates it.
"""

from __future__ import annotations

import math
import os
import stat
from collections.abc import Mapping, Sequence
from typing import Any

import mmh3
import numpy as np

from simdocs.artifacts.formats import BLOCK, ArrayFormat
from simdocs.model.artifact import damaged
from simdocs.model.documents import AMOUNTS, EMPTY, FILE_AMOUNTS, Column
from simdocs.model.ragged import Array, distinct, let_go
from simdocs.storage import syscalls

_MAGIC = b"\x93NUMPY\x01\x00"
_ALIGN = 64

_APPENDED_AT_ONCE = 1 << 22
"""Bytes of an array that are brought into the form of the file at once."""


def header(dtype: np.dtype[Any], shape: Sequence[int]) -> bytes:
    """Return the first bytes of the .npy file of this array. Their number does not depend on the length of its first
    axis."""
    described = f"{{'descr': {dtype.descr if dtype.names else dtype.str!r}, 'fortran_order': False, 'shape': "
    spelt = f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''}), }}"
    # Leave space for 20 digits of the first axis: its length is known only when everything was written.
    room = len(_MAGIC) + 2 + len(described) + len(spelt) - len(str(shape[0])) + 20 + 1
    total = -(-room // _ALIGN) * _ALIGN
    text = (described + spelt).ljust(total - len(_MAGIC) - 3) + "\n"
    return _MAGIC + len(text).to_bytes(2, "little") + text.encode("ascii")


def checksum(data: memoryview | bytes) -> str:
    """Return MurmurHash3_x64_128 of the bytes, in hexadecimal. It detects damage, not forgery."""
    return mmh3.mmh3_x64_128_digest(data).hex()


class ArrayWriter:
    """Writes an array to its file, in pieces along its first axis. file: its descriptor, while it is open."""

    def __init__(self, dir_fd: int, array: ArrayFormat, width: tuple[int, ...] = ()) -> None:
        self.array, self.width = array, width
        self.length = 0
        self.checksums: list[str] = []
        self._held = bytearray()
        self.file = syscalls.create(array.file, dir_fd)
        syscalls.write(self.file, header(array.dtype, self.shape))

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of what was written so far."""
        return (self.length, *self.width)

    def append(self, piece: Array) -> None:
        """Append rows (n, *width)."""
        # Only a few rows are taken at a time: this may copy them, and a piece may fill most of the memory.
        step = max(1, _APPENDED_AT_ONCE * len(piece) // max(1, piece.nbytes))
        for at in range(0, len(piece), step):
            self._append(piece[at : at + step])

    def _append(self, piece: Array) -> None:
        data = np.ascontiguousarray(piece, self.array.dtype)
        self.length += len(data)
        # memoryview cannot cast the buffer of a structured array, but that of its bytes.
        rest = memoryview(data.reshape(-1).view(np.uint8).data)
        if self._held:
            lacking = BLOCK - len(self._held)
            self._held += rest[:lacking]
            rest = rest[lacking:]
            if len(self._held) == BLOCK:
                self._flush()
        # Whole blocks are written directly, so that a large array is not held twice.
        end = len(rest) // BLOCK * BLOCK
        self._write(rest[:end])
        self._held += rest[end:]

    def _flush(self) -> None:
        self._write(memoryview(bytes(self._held)))
        self._held = bytearray()

    def _write(self, data: memoryview) -> None:
        # One block at a time: for 4 MB at once, Linux 6.18 takes four times the processor time for each byte.
        for at in range(0, len(data), BLOCK):
            block = data[at : at + BLOCK]
            self.checksums.append(checksum(block))
            syscalls.write(self.file, block)

    def finish(self) -> None:
        """Write the rest and the final header, sync the file, and close it, which may report an error, too."""
        self._flush()
        syscalls.write_at(self.file, header(self.array.dtype, self.shape), 0)
        syscalls.set_mode(self.file, None, 0o666)
        syscalls.sync(self.file)
        file, self.file = self.file, -1
        syscalls.close(file)


_LARGEST = 1 << 48
"""No size, number or position is as large as this."""

_AMOUNTS = frozenset((*AMOUNTS, *FILE_AMOUNTS))

_UNITS_IN_BYTE = 18
"""More units than any byte of a text can become: NFKC makes 18 characters of U+FDFA, which has 2 bytes in UTF-16."""

MOST_TEXT_IN_BYTE = 3
"""Bytes of UTF-8 that a byte of a file can become: characters of encodings of one byte have up to three. A container
whose documents are compressed within the file must count documents, and not bytes."""

_AT_ONCE = 1 << 12
"""Records that are looked at together, while they are in cache."""


def _contradiction(facts: Array) -> str:
    """The contradiction in facts of documents, (n,) DOCUMENT; empty if there is none."""
    line, size, length, count = (facts[name] for name in ("container", "size", "length", "count"))
    if ((length == 0) != (facts["flags"] & EMPTY != 0)).any() or (length > _UNITS_IN_BYTE * size).any():
        return "the length of a document contradicts its size or its flags"
    if (count > length).any() or (facts["ignored"] > count).any() or ((count == 0) & (length > 0)).any():
        return "the numbers of units and tokens of a document contradict each other"
    if any(((facts[name] > 0) & (line == 0)).any() for name in ("start", "extent", "line")):
        return "a document that is not a line has a position in a file"
    # Rows that are no lines, and lines of compressed files, have no place.
    shorter = (size > MOST_TEXT_IN_BYTE * facts["extent"]) & (facts["extent"] > 0)
    if ((line > 0) & ((facts["line"] == 0) | shorter)).any():
        return "a line is shorter than its text, or has no number"
    return ""


class MappedColumn(Column):
    """A column on disk, memory-mapped. Each block is checked once, before it is used, and blocks are read in any order.

    ArtifactError: a block does not match its checksum, or breaks a rule of the format.
    """

    def __init__(
        self, name: str, mapped: Array, checksums: Sequence[str], array: ArrayFormat, lengths: Mapping[str, int]
    ) -> None:
        """array, lengths: what the values are held to when they are read, and the lengths in it, by letter."""
        self.name, self.shape, self.checksums = name, mapped.shape, checksums
        self._mapped, self._array = mapped, array
        self._bytes = mapped.reshape(-1).view(np.uint8)
        self._checked = np.zeros(len(checksums), bool)
        self._whole = False
        self._row = mapped.dtype.itemsize * math.prod(mapped.shape[1:])
        self._below = lengths[array.below] if array.below else None
        self._end = lengths[array.ascends_to] if array.ascends_to else None
        blocks = len(checksums) if array.ascends_to else 0
        self._first, self._last = (np.full(blocks, each) for each in (np.iinfo(np.int64).max, np.iinfo(np.int64).min))

    def all(self) -> Array:
        """Return the whole array, memory-mapped."""
        if not self._whole:
            self._check(np.arange(len(self._checked)))
            self._hold_records(self._mapped)
            self._whole = True
        return self._mapped

    def rows(self, rows: Array) -> Array:
        """Return the rows with these numbers, (n, *shape[1:])."""
        self._check_each(rows, self._row)
        found = np.asarray(self._mapped[rows])
        self._hold_records(found)
        return found

    def cut(self, begin: int, end: int) -> Array:
        """Return rows begin to end - 1, memory-mapped."""
        if end > begin:
            self._check(np.arange(begin * self._row // BLOCK, (end * self._row - 1) // BLOCK + 1))
            self._hold_records(self._mapped[begin:end])
        return self._mapped[begin:end]

    def at(self, places: Array) -> Array:
        """Return the values at these places of the flattened array, (n,)."""
        self._check_each(places, self._mapped.dtype.itemsize)
        found = np.asarray(self._mapped.reshape(-1)[places])
        self._hold_records(found)
        return found

    def release(self) -> None:
        """Let the system take back the memory that the pages of the file take. They are read again when needed."""
        let_go(self._mapped)

    def damaged(self) -> list[int]:
        """Return the numbers of all blocks that do not match their checksums."""
        return [block for block in range(len(self._checked)) if not self._matches(block)]

    def _check_each(self, numbers: Array, size: int) -> None:
        """Check the blocks that hold these items of `size` bytes."""
        if not len(numbers) or not size:
            return
        first = np.asarray(numbers, np.int64) * size
        self._check(first // BLOCK)
        if BLOCK % size:
            self._check((first + size - 1) // BLOCK)
        if size > BLOCK:
            for at in distinct(first).tolist():
                self._check(np.arange(at // BLOCK, (at + size - 1) // BLOCK + 1))

    def _check(self, blocks: Array) -> None:
        new = blocks[~self._checked[blocks]]
        if len(new):
            for block in distinct(new).tolist():
                if not self._matches(block):
                    raise damaged(self.name, f"block {block} does not match its checksum")
                self._hold_block(block)
                self._checked[block] = True

    def _hold_block(self, block: int) -> None:
        """Raise ArtifactError if the values of a block break a rule. Records, which may lie across two, have none."""
        items = BLOCK // self._mapped.dtype.itemsize
        values = np.asarray(self._mapped).reshape(-1)[block * items : (block + 1) * items]
        if self._array.nonzero and not int(values.min()):
            raise damaged(self.name, "holds a NUL")
        if self._below is not None and int(values.max()) >= self._below:
            raise damaged(self.name, "holds the row of a document that does not exist")
        if self._end is not None:
            least, most = self._last[:block].max(initial=0), self._first[block + 1 :].min(initial=self._end)
            self._first[block], self._last[block] = values[0], values[-1]
            reaches = (block or not values[0]) and (block + 1 < len(self._last) or values[-1] == self._end)
            if not (reaches and least <= values[0] and values[-1] <= most and (values[:-1] <= values[1:]).all()):
                raise damaged(self.name, f"does not ascend from 0 to {self._end}")

    def _hold_records(self, records: Array) -> None:
        """Raise ArtifactError if records break a rule. Other values have none."""
        amounts, noun = [name for name in records.dtype.names or () if name in _AMOUNTS], self._array.name[:-1]
        for at in range(0, len(records) if amounts else 0, _AT_ONCE):
            part = np.asarray(records[at : at + _AT_ONCE])
            for name in amounts:
                if int(part[name].view(np.uint64).max()) >= _LARGEST:  # a negative number is a large one there
                    raise damaged(self.name, f"{name} of a {noun} is out of range")
            if noun == "document" and (problem := _contradiction(part)):
                raise damaged(self.name, problem)

    def _matches(self, block: int) -> bool:
        return checksum(self._bytes[block * BLOCK : (block + 1) * BLOCK].data) == self.checksums[block]


def map_file(
    dir_fd: int,
    name: str,
    array: ArrayFormat,
    shape: tuple[int, ...],
    checksums: Sequence[str],
    lengths: Mapping[str, int],
) -> MappedColumn:
    """Map an array in the directory `dir_fd`, after comparing its size and header with the manifest.

    Only the header is read. ArtifactError: they differ. FileNotFoundError: there is no such file.

    name: the name of the artifact, for messages.
    lengths: the lengths in the format, by letter, for its rules.
    """
    with syscalls.held(syscalls.open_found(array.file, dir_fd)) as file:
        status = os.fstat(file)
        full = f"{name}/{array.file}"
        expected = header(array.dtype, shape)
        size = array.dtype.itemsize * math.prod(shape)
        if not stat.S_ISREG(status.st_mode):
            raise damaged(full, "not a regular file")
        if status.st_size == 0:
            raise damaged(full, "an empty file (an interrupted write?)")
        if status.st_size != len(expected) + size:
            raise damaged(full, f"{status.st_size} bytes, not {len(expected) + size}")
        if len(checksums) != -(-size // BLOCK):
            raise damaged(full, f"{len(checksums)} checksums in the manifest, not {-(-size // BLOCK)}")
        if os.pread(file, len(expected), 0) != expected:
            raise damaged(full, "its header does not match the manifest")
        if not size:
            return MappedColumn(full, np.empty(shape, array.dtype), checksums, array, lengths)
        with os.fdopen(os.dup(file), "rb") as opened:
            mapped = np.memmap(opened, array.dtype, "r", len(expected), shape)
            return MappedColumn(full, mapped, checksums, array, lengths)
