"""Read an open file in chunks, as long as it does not change."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
from collections.abc import Callable, Iterator
from functools import partial

from simdocs.corpora.compression import CompressedStream
from simdocs.corpora.stamp import (
    OpenFile,
    Stamp,
    go_to,
    is_recent,
    read_at,
    read_next,
    status_now,
    wait_between_readings,
)
from simdocs.model.skipped import DocumentSkipped

Chunk = bytes | int
"""Bytes, or the length of a hole in the file, whose NUL bytes are not read."""

_MARK = 3
"""The smallest size of the first chunk: the length of a UTF-8 byte order mark. A smaller file is one chunk."""

_COMPRESSED_AT_ONCE = 1 << 16
"""Bytes of a compressed file that are read at once."""


def chunks(file: OpenFile, stamp: Stamp, size: int, *, compression: str, patient: bool) -> Iterator[Chunk]:
    """Yield the content of a file with this stamp in chunks of about `size` bytes.

    compression: the compression of the file; empty: it has none.

    A chunk is yielded after the next one was read, if the file was still the same then. An uncompressed file may have
    grown meanwhile, if the chunk is still at its position. Unless patient, it must not have grown before the first
    chunk is yielded. A file that was changed recently is first read to its end, and a chunk is yielded if it was the
    same then. Raises DocumentSkipped after all chunks that could be yielded: malformed (as a compressed file),
    uninstalled (what decompresses it), changed (this includes growth).
    """
    earlier = _Reading(_pieces(file, size, compression)) if is_recent(stamp) else None
    wait_between_readings(stamp)
    pieces = _pieces(file, size, compression)
    held: Chunk = b""
    at = end = number = 0
    grown, trouble = False, None
    while True:
        try:
            chunk, end = next(pieces, (b"", end))
        except DocumentSkipped as skip:
            chunk, trouble = b"", skip
        if held or trouble:
            now = Stamp.of(status_now(file))
            if not stamp.same_bytes(now):
                if compression or not patient or now.size <= stamp.size or not _ends_at(file, at, held):
                    raise DocumentSkipped("changed")
                stamp, grown = now, True
        if held:
            if earlier is not None and not earlier.had(number, held):
                raise DocumentSkipped("changed")
            yield held
            patient, number = True, number + 1
        if not chunk:
            break
        held, at = chunk, end
    if trouble is not None:
        raise trouble
    if grown:
        raise DocumentSkipped("changed")


def _pieces(file: OpenFile, size: int, compression: str) -> Iterator[tuple[Chunk, int]]:
    """Yield the chunks of a file from its beginning, each with the position of its end.

    Its position says how far the file itself was read. Progress is measured by it.
    """
    go_to(file, 0)
    read = _decompressing(file, compression) if compression else partial(read_next, file)
    at = 0
    while chunk := read(size if at else max(size, _MARK)):
        at += len(chunk)
        hole = 0 if compression else _hole(file, at, chunk)
        at += hole
        yield (len(chunk) + hole if hole else chunk), at


class _Reading:
    """An earlier reading of the same file: the digests of its chunks, and its last chunk, after which it may grow."""

    def __init__(self, pieces: Iterator[tuple[Chunk, int]]) -> None:
        self._digests: list[bytes | int] = []
        self._last: Chunk = b""
        with contextlib.suppress(DocumentSkipped):  # what is damaged is found again
            for self._last, _ in pieces:
                self._digests.append(_digest(self._last))

    def had(self, number: int, chunk: Chunk) -> bool:
        """Whether the file had this chunk then, or had not grown that far."""
        if number >= len(self._digests):
            return True
        if number == len(self._digests) - 1 and isinstance(chunk, bytes) and isinstance(self._last, bytes):
            return chunk.startswith(self._last)
        return self._digests[number] == _digest(chunk)


def _digest(chunk: Chunk) -> bytes | int:
    return chunk if isinstance(chunk, int) else hashlib.sha256(chunk).digest()


def _decompressing(file: OpenFile, compression: str) -> Callable[[int], bytes]:
    return CompressedStream(compression, lambda _: read_next(file, _COMPRESSED_AT_ONCE)).read


def _ends_at(file: OpenFile, end: int, chunk: Chunk) -> bool:
    """Whether the file has these bytes right before this position."""
    return isinstance(chunk, bytes) and read_at(file, len(chunk), end - len(chunk)) == chunk


def _hole(file: OpenFile, at: int, before: bytes) -> int:
    """The length of the hole at this position, after a chunk that may be part of it. The position moves past it."""
    if before.strip(b"\0") or not isinstance(file, int) or not hasattr(os, "SEEK_DATA"):
        return 0
    try:
        end = os.lseek(file, at, os.SEEK_DATA)
    except OSError as error:  # ENXIO: there is nothing but a hole up to the end of the file
        end = max(at, os.fstat(file).st_size) if error.errno == errno.ENXIO else at
        os.lseek(file, end, os.SEEK_SET)
    return end - at
