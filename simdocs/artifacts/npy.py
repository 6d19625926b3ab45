"""Write arrays as .npy files, a piece at a time, with a checksum for each block.

Layout: NumPy's format 1.0 (numpy.lib.format): magic, header, data. We write the header ourselves, so that its bytes do
not depend on the version of NumPy. A reader compares it with what it must be and never evaluates it.
"""

from __future__ import annotations

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
        """The shape of what was written so far."""
        return (self.length, *self.width)

    def append(self, piece: Array) -> None:
        """Append rows (n, *width)."""
        # Only a few rows are taken at a time: this may copy them, and a piece may fill most of the memory.
        step = max(1, _AT_ONCE * len(piece) // max(1, piece.nbytes))
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
            syscalls.write(self._file, block)

    def finish(self) -> None:
        """Write the rest and the final header, and sync the file."""
        self._flush()
        syscalls.write_at(self._file, header(self.array.dtype, self.shape), 0)
        syscalls.set_mode(self._file, None, 0o666)
        syscalls.sync(self._file)

    def close(self) -> None:
        """Close the file if it is open. OSError: some file systems report only now that something was not written."""
        file, self._file = self._file, -1
        if file >= 0:
            syscalls.close(file)


def damaged(name: str, what: str, remedy: str = "build the artifact again") -> ArtifactError:
    """Return the error about a damaged file of an artifact."""
    return ArtifactError(f"{name}: damaged: {what}", remedy)
