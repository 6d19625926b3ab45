"""An open file for libraries that read at any position, as long as the file does not change."""

from __future__ import annotations

import hashlib
import io
import os

from simdocs.corpora.stamp import OpenFile, Stamp, is_recent, read_at, status_now, wait_between_readings

_BLOCK = 1 << 16
"""Bytes whose digest is compared with that of an earlier reading."""


class SteadyFile(io.RawIOBase):
    """An open file with a position of its own, which is read at the positions that a library asks for.

    A file that was changed recently is read to its end first, block by block, and each later reading must agree with
    that. changed: whether it did not, or whether the file has another stamp by now. The file itself stays open.
    """

    def __init__(self, file: OpenFile, stamp: Stamp) -> None:
        super().__init__()
        self.stamp, self.changed = stamp, False
        self._file, self._at = file, 0
        self._digests: list[bytes] = []
        """The digests of all blocks, if the file was changed recently."""
        if is_recent(stamp):
            wait_between_readings(stamp)
            self._digests = [_digest(self._block(number)) for number in range(-(-stamp.size // _BLOCK))]

    def readable(self) -> bool:
        """Whether it can be read: yes."""
        return True

    def seekable(self) -> bool:
        """Whether it can be read at any position: yes."""
        return True

    def tell(self) -> int:
        """The position."""
        return self._at

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Go to a position, and return it."""
        self._at = offset + {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self.stamp.size}[whence]
        return self._at

    def read(self, size: int | None = -1, /) -> bytes:
        """The next bytes; fewer only at the end. OSError: the file is not the one that was read first."""
        end = self.stamp.size if size is None or size < 0 else min(self._at + size, self.stamp.size)
        data = self._checked(self._at, end) if self._digests else self._pread(self._at, end)
        self._at += len(data)
        return data

    def has_changed(self) -> bool:
        """Whether the file is not what it was when it was opened. Its ctime does not count, as in `chunks`."""
        self.changed |= not self.stamp.same_bytes(Stamp.of(status_now(self._file)))
        return self.changed

    def _checked(self, start: int, end: int) -> bytes:
        """The bytes from start to end, from blocks that are as they were."""
        first = start // _BLOCK
        data = bytearray()
        for number in range(first, -(-end // _BLOCK)):
            block = self._block(number)
            if _digest(block) != self._digests[number]:
                self.changed = True
                raise OSError("changed")
            data += block
        return bytes(data[start - first * _BLOCK : end - first * _BLOCK])

    def _block(self, number: int) -> bytes:
        return self._pread(number * _BLOCK, min((number + 1) * _BLOCK, self.stamp.size))

    def _pread(self, start: int, end: int) -> bytes:
        data = b""
        while start < end and (piece := read_at(self._file, end - start, start)):
            data = data + piece if data else piece
            start += len(piece)
        return data


def _digest(block: bytes) -> bytes:
    return hashlib.sha256(block).digest()[:16]
