"""Gzip files: decompress one up to a limit, or read it at any position. Only the wanted bytes are held in memory."""

from __future__ import annotations

import io
import os
import zlib
from bisect import bisect_right
from collections.abc import Callable

from simdocs.corpora.read_file import PADDING
from simdocs.model.skipped import DocumentSkipped

_COMPRESSED_AT_ONCE = 1 << 14
"""Compressed bytes that are read at once. A checkpoint holds at most this many."""

_PIECE = 1 << 18
"""Decompressed bytes that are produced at once. Without this, 16 KiB of input could become 16 MiB."""

_SPACING = 4 << 20
"""Decompressed bytes between checkpoints. Decompressing them takes some 15 ms."""

_CHECKPOINTS = 64
"""The most checkpoints of a file. A checkpoint takes 40 KiB, most of it the window of zlib."""


def decompress(data: bytes, limit: int) -> bytes:
    """The content of a whole gzip file, with all its members.

    Raises DocumentSkipped: oversized (more than limit bytes, which are never held in memory); malformed (damaged, cut
    short, not gzip).
    """
    stream = GzipStream(lambda offset: data[offset : offset + _COMPRESSED_AT_ONCE])
    content = stream.read(limit + 1)
    if len(content) > limit:
        raise DocumentSkipped("oversized", f"more than {limit} bytes decompressed")
    stream.read(1)  # damage is raised only when nothing is left to return before it
    return content


class GzipStream:
    """Reads the content of a gzip file forwards. source: compressed bytes from an offset on, b"" at the end.

    A file may have several members with any number of zeros after each, as gzip allows.
    """

    __slots__ = ("_decompressor", "_offset", "_pending", "_source", "at")

    def __init__(self, source: Callable[[int], bytes]) -> None:
        self.at = 0
        """The position in the decompressed content."""
        self._source = source
        self._offset = 0
        self._pending = b""
        self._decompressor: zlib._Decompress | None = zlib.decompressobj(wbits=31)

    def copy(self) -> GzipStream:
        """Another stream at the same position. Reading one does not move the other."""
        other = GzipStream(self._source)
        other.at, other._offset = self.at, self._offset
        other._decompressor = None if self._decompressor is None else self._decompressor.copy()
        return other

    def read(self, size: int) -> bytes:
        """The next `size` bytes; fewer only at the end of the file or before damage.

        Raises DocumentSkipped (malformed) if only damage is left.
        """
        content = io.BytesIO()  # grows in place, and hands over what it holds without a copy
        while (wanted := size - content.tell()) > 0:
            try:
                piece = self._piece(min(wanted, _PIECE))
            except DocumentSkipped:
                if content.tell():
                    break
                raise
            if not piece:
                break
            content.write(piece)
        return content.getvalue()

    def _piece(self, most: int) -> bytes:
        """The next bytes: at least one and at most `most`; b"" at the end."""
        while (decompressor := self._decompressor or self._next_member()) is not None:
            compressed = self._pending or self._source(self._offset)
            try:
                piece = decompressor.decompress(compressed, most)
            except zlib.error:
                raise DocumentSkipped("malformed", "not a gzip file, or a damaged one") from None
            if not (piece or compressed or decompressor.eof):
                raise DocumentSkipped("malformed", "a gzip file cut short")
            self._pending = decompressor.unused_data or decompressor.unconsumed_tail
            self._offset += len(compressed) - len(self._pending)
            if decompressor.eof:
                self._decompressor = None
            if piece:
                self.at += len(piece)
                return piece
        return b""

    def _next_member(self) -> zlib._Decompress | None:
        """The decompressor of the next member; None at the end of the file."""
        begin = self._offset
        while compressed := self._pending or self._source(self._offset):
            self._pending = compressed.lstrip(b"\0")
            self._offset += len(compressed) - len(self._pending)
            if self._offset - begin > PADDING:
                raise DocumentSkipped("malformed", f"more than {PADDING >> 20} MiB of zeros after its end")
            if self._pending:
                self._decompressor = zlib.decompressobj(wbits=31)
                return self._decompressor
        return None


class SeekableGzip:
    """Reads any part of the content of an open gzip file. The position of its descriptor does not move.

    Reading continues from the current position, or from the last checkpoint before the part. Checkpoints are made on
    the way. They are further apart in a larger file, so that there are never many.
    """

    def __init__(self, descriptor: int, spacing: int = _SPACING) -> None:
        self._stream = GzipStream(lambda offset: os.pread(descriptor, _COMPRESSED_AT_ONCE, offset))
        self._checkpoints = [self._stream.copy()]
        self._spacing = spacing

    def read(self, start: int, length: int) -> bytes:
        """Bytes start to start + length of the content; fewer only at the end.

        Raises DocumentSkipped: malformed, in these bytes or before them; OSError.
        """
        nearest = self._checkpoints[bisect_right(self._checkpoints, start, key=lambda stream: stream.at) - 1]
        if start < self._stream.at or nearest.at > self._stream.at:
            self._stream = nearest.copy()
        while self._stream.at < start:
            if not self._step(start - self._stream.at):
                return b""
        content = io.BytesIO()
        while (wanted := length - content.tell()) > 0 and (piece := self._step(wanted)):
            content.write(piece)
        return content.getvalue()

    def _step(self, most: int) -> bytes:
        piece = self._stream.read(min(most, _PIECE))
        if self._stream.at - self._checkpoints[-1].at >= self._spacing:
            self._checkpoints.append(self._stream.copy())
            if len(self._checkpoints) > _CHECKPOINTS:
                self._checkpoints = self._checkpoints[::2]
                self._spacing *= 2
        return piece
