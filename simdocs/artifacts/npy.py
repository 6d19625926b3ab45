"""Arrays as .npy files: written a piece at a time, mapped into memory, and checked a block at a time before use.

Layout: NumPy's format 1.0 (numpy.lib.format): magic, header, data. The header is written by us, byte for byte the same
whatever the version of NumPy, and read by comparison with what it has to be: nothing in it is ever evaluated.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from typing import Any

import mmh3
import numpy as np

from simdocs.artifacts.formats import BLOCK, ArrayFormat
from simdocs.errors import ArtifactError
from simdocs.model.ragged import Array
from simdocs.storage import syscalls

_MAGIC = b"\x93NUMPY\x01\x00"
_ALIGN = 64

_AT_ONCE = 1 << 22
"""Bytes written at once."""


def header(dtype: np.dtype[Any], shape: Sequence[int]) -> bytes:
    """The first bytes of the .npy file of such an array; as many for every length of its first axis."""
    described = f"{{'descr': {dtype.descr if dtype.names else dtype.str!r}, 'fortran_order': False, 'shape': "
    spelt = f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''}), }}"
    # Room for 20 digits of the first axis: its length is known when all is written.
    room = len(_MAGIC) + 2 + len(described) + len(spelt) - len(str(shape[0])) + 20 + 1
    total = -(-room // _ALIGN) * _ALIGN
    text = (described + spelt).ljust(total - len(_MAGIC) - 3) + "\n"
    return _MAGIC + len(text).to_bytes(2, "little") + text.encode("ascii")


def checksum(data: memoryview | bytes) -> str:
    """MurmurHash3_x64_128 of the bytes, in hexadecimal: against rot, not against malice."""
    return mmh3.mmh3_x64_128_digest(data).hex()


class ArrayWriter:
    """Writes an array to its file, in pieces along its first axis."""

    def __init__(self, dir_fd: int, array: ArrayFormat, width: tuple[int, ...] = ()) -> None:
        self.array, self.width = array, width
        self.length = 0
        self.checksums: list[str] = []
        self._held = bytearray()
        self._file = syscalls.create(array.file, dir_fd)
        syscalls.write(self._file, header(array.dtype, self.shape))

    @property
    def shape(self) -> tuple[int, ...]:
        """Its shape so far."""
        return (self.length, *self.width)

    def append(self, piece: Array) -> None:
        """Write rows (n, *width)."""
        # Some at a time: what is written is copied on the way, and a piece may be most of what memory holds.
        step = max(1, _AT_ONCE * len(piece) // max(1, piece.nbytes))
        for at in range(0, len(piece), step):
            self._append(piece[at : at + step])

    def _append(self, piece: Array) -> None:
        data = np.ascontiguousarray(piece, self.array.dtype)
        self.length += len(data)
        # A structured array has no buffer that memoryview can cast: its bytes do.
        rest = memoryview(data.reshape(-1).view(np.uint8).data)
        if self._held:
            lacking = BLOCK - len(self._held)
            self._held += rest[:lacking]
            rest = rest[lacking:]
            if len(self._held) == BLOCK:
                self._flush()
        # Whole blocks go straight to the file: a large array is not held a second time.
        end = len(rest) // BLOCK * BLOCK
        self._write(rest[:end])
        self._held += rest[end:]

    def _flush(self) -> None:
        self._write(memoryview(bytes(self._held)))
        self._held = bytearray()

    def _write(self, data: memoryview) -> None:
        self.checksums += [checksum(data[at : at + BLOCK]) for at in range(0, len(data), BLOCK)]
        syscalls.write(self._file, data)

    def finish(self) -> None:
        """Write what is left, and the header anew; have it on the disk."""
        self._flush()
        syscalls.write_at(self._file, header(self.array.dtype, self.shape), 0)
        syscalls.set_mode(self._file, None, 0o666)
        syscalls.sync(self._file)

    def close(self) -> None:
        """Let go of the file. OSError: only now was it told that something could not be written."""
        file, self._file = self._file, -1
        syscalls.close(file)


class Stored:
    """An array on disk, mapped into memory: what of it is used is checked first, once.

    Everything that is read comes as plain NumPy arrays. ArtifactError: a block does not match its checksum.
    """

    def __init__(self, name: str, mapped: Array, checksums: Sequence[str]) -> None:
        self.name, self.shape, self.dtype = name, mapped.shape, mapped.dtype
        self._mapped = mapped
        self._bytes = mapped.reshape(-1).view(np.uint8)
        self._checksums = checksums
        self._checked = np.zeros(len(checksums), bool)
        self._row = mapped.dtype.itemsize * int(np.prod(mapped.shape[1:]))

    def __len__(self) -> int:
        return int(self.shape[0])

    def all(self) -> Array:
        """The whole array, memory-mapped."""
        self._check(np.arange(len(self._checked)))
        return self._mapped

    def rows(self, rows: Array) -> Array:
        """The rows with these numbers: (n, *shape[1:])."""
        self._check_each(rows, self._row)
        return np.asarray(self._mapped[rows])

    def cut(self, begin: int, end: int) -> Array:
        """Rows begin to end - 1, memory-mapped."""
        if end > begin:
            self._check(np.arange(begin * self._row // BLOCK, (end * self._row - 1) // BLOCK + 1))
        return self._mapped[begin:end]

    def at(self, places: Array) -> Array:
        """The values at these places of the flattened array."""
        self._check_each(places, self.dtype.itemsize)
        return np.asarray(self._mapped.reshape(-1)[places])

    def damaged(self) -> list[int]:
        """The numbers of all blocks that do not match their checksums."""
        return [block for block in range(len(self._checked)) if not self._matches(block)]

    def _check_each(self, numbers: Array, size: int) -> None:
        """Check the blocks of these pieces of `size` bytes."""
        if not len(numbers) or not size:
            return
        first = np.asarray(numbers, np.int64) * size
        self._check(first // BLOCK)
        if BLOCK % size:
            self._check((first + size - 1) // BLOCK)
        if size > BLOCK:
            for at in np.unique(first).tolist():
                self._check(np.arange(at // BLOCK, (at + size - 1) // BLOCK + 1))

    def _check(self, blocks: Array) -> None:
        new = blocks[~self._checked[blocks]]
        if len(new):
            for block in np.unique(new).tolist():
                if not self._matches(block):
                    raise damaged(self.name, f"block {block} does not match its checksum")
                self._checked[block] = True

    def _matches(self, block: int) -> bool:
        return checksum(self._bytes[block * BLOCK : (block + 1) * BLOCK].data) == self._checksums[block]


def damaged(name: str, what: str) -> ArtifactError:
    """The error about a damaged file of an artifact."""
    return ArtifactError(f"{name}: damaged: {what}: build the artifact again")


def map_file(dir_fd: int, name: str, array: ArrayFormat, shape: tuple[int, ...], checksums: Sequence[str]) -> Stored:
    """The array in the directory `dir_fd`, if its file is what the manifest says it is.

    name: of the artifact, for messages. Nothing is read but the header. ArtifactError: it is not. FileNotFoundError.
    """
    file = os.open(array.file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=dir_fd)
    try:
        status = os.fstat(file)
        full = f"{name}/{array.file}"
        expected = header(array.dtype, shape)
        size = array.dtype.itemsize
        for length in shape:
            size *= length
        if not stat.S_ISREG(status.st_mode):
            raise damaged(full, "not a regular file")
        if status.st_size == 0:
            raise damaged(full, "an empty file (an interrupted write?)")
        if status.st_size != len(expected) + size:
            raise damaged(full, f"{status.st_size} bytes, not {len(expected) + size}")
        if len(checksums) != -(-size // BLOCK):
            raise damaged(full, f"{len(checksums)} checksums in the manifest, not {-(-size // BLOCK)}")
        if os.pread(file, len(expected), 0) != expected:
            raise damaged(full, "its header is not that of the array in the manifest")
        if not size:
            return Stored(full, np.empty(shape, array.dtype), checksums)
        with os.fdopen(os.dup(file), "rb") as opened:
            return Stored(full, np.memmap(opened, array.dtype, "r", len(expected), shape), checksums)
    finally:
        os.close(file)
