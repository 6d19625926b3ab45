"""Gzip files: unfolded whole below a limit, or read in any place, never with more in memory than was asked for."""

from __future__ import annotations

import io
import os
import zlib
from bisect import bisect_right
from collections.abc import Callable

from simdocs.corpora.document_skipped import DocumentSkipped

_FED = 1 << 14
"""Folded bytes taken at once: a checkpoint holds on to as many at most."""

_PIECE = 1 << 18
"""Unfolded bytes made at once, so that 16 KiB of zeros do not become 16 MiB unasked."""

_SPACING = 4 << 20
"""Unfolded bytes between checkpoints: unfolded in some 15 ms."""

PADDING = 64 << 20
"""Zeros that may follow a member. More are no padding, and reading through a hole of terabytes would take hours."""

_CHECKPOINTS = 64
"""Checkpoints kept of one file, 40 KiB each, most of it zlib's window."""


def is_compressed(name: bytes) -> bool:
    """Whether a file of this name is read as gzip."""
    return name.endswith(b".gz")


def unfold(data: bytes, limit: int) -> bytes:
    """What a whole gzip file unfolds to, all its members.

    DocumentSkipped: oversized (more than limit bytes, which are never held); malformed (damaged, cut short, not gzip).
    """
    unfolding = Unfolding(lambda offset: data[offset : offset + _FED])
    content = unfolding.read(limit + 1)
    if len(content) > limit:
        raise DocumentSkipped("oversized", f"more than {limit} bytes unfolded")
    unfolding.read(1)  # damage raises only where nothing is left to hand out before it
    return content


class Unfolding:
    """The content of a gzip file from one place on, forwards. source: folded bytes from an offset on, b"" at the end.

    Members follow each other, with any number of zeros after each, as gzip has it.
    """

    __slots__ = ("_inflate", "_offset", "_pending", "_source", "at")

    def __init__(self, source: Callable[[int], bytes]) -> None:
        self.at = 0
        """The place in the unfolded content."""
        self._source = source
        self._offset = 0
        self._pending = b""
        self._inflate: zlib._Decompress | None = zlib.decompressobj(wbits=31)

    def copy(self) -> Unfolding:
        """The same place, to go on from independently."""
        other = Unfolding(self._source)
        other.at, other._offset = self.at, self._offset
        other._inflate = None if self._inflate is None else self._inflate.copy()
        return other

    def read(self, most: int) -> bytes:
        """The next bytes, as many as wanted: fewer only at the end or before damage; the next call then raises
        DocumentSkipped (malformed)."""
        content = io.BytesIO()  # grows in place, and gives away what it holds without a copy
        while (wanted := most - content.tell()) > 0:
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
        """The next bytes: one at least and `most` at most, b"" at the end."""
        while (inflate := self._inflate or self._next_member()) is not None:
            folded = self._pending or self._source(self._offset)
            try:
                piece = inflate.decompress(folded, most)
            except zlib.error:
                raise DocumentSkipped("malformed", "not a gzip file, or a damaged one") from None
            if not (piece or folded or inflate.eof):
                raise DocumentSkipped("malformed", "a gzip file cut short")
            self._pending = inflate.unused_data or inflate.unconsumed_tail
            self._offset += len(folded) - len(self._pending)
            if inflate.eof:
                self._inflate = None
            if piece:
                self.at += len(piece)
                return piece
        return b""

    def _next_member(self) -> zlib._Decompress | None:
        """What unfolds the next member; None at the end of the file."""
        begin = self._offset
        while folded := self._pending or self._source(self._offset):
            self._pending = folded.lstrip(b"\0")
            self._offset += len(folded) - len(self._pending)
            if self._offset - begin > PADDING:
                raise DocumentSkipped("malformed", f"more than {PADDING >> 20} MiB of zeros after its end")
            if self._pending:
                self._inflate = zlib.decompressobj(wbits=31)
                return self._inflate
        return None


class Unfolder:
    """Reads any part of what the gzip file behind an open descriptor unfolds to; the descriptor's position stays.

    It goes on from where it is, or from the last checkpoint before what is wanted. Checkpoints are made on the way, and
    wider apart in a larger file, so that there are never more than a few.
    """

    def __init__(self, descriptor: int, spacing: int = _SPACING) -> None:
        self._now = Unfolding(lambda offset: os.pread(descriptor, _FED, offset))
        self._checkpoints = [self._now.copy()]
        self._spacing = spacing

    def read(self, start: int, length: int) -> bytes:
        """Bytes start to start + length, fewer only at the end.

        DocumentSkipped: malformed, in or before them; OSError.
        """
        nearest = self._checkpoints[bisect_right(self._checkpoints, start, key=lambda one: one.at) - 1]
        if start < self._now.at or nearest.at > self._now.at:
            self._now = nearest.copy()
        while self._now.at < start:
            if not self._step(start - self._now.at):
                return b""
        content = io.BytesIO()
        while (wanted := length - content.tell()) > 0 and (piece := self._step(wanted)):
            content.write(piece)
        return content.getvalue()

    def _step(self, most: int) -> bytes:
        piece = self._now.read(min(most, _PIECE))
        if self._now.at - self._checkpoints[-1].at >= self._spacing:
            self._checkpoints.append(self._now.copy())
            if len(self._checkpoints) > _CHECKPOINTS:
                self._checkpoints = self._checkpoints[::2]
                self._spacing *= 2
        return piece
