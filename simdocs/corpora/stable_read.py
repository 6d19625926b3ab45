"""Read an open file in chunks, as long as it does not change."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from functools import partial

from simdocs.corpora.document_skipped import DocumentSkipped
from simdocs.corpora.gzip_stream import GzipStream
from simdocs.corpora.identity import Stamp

Chunk = bytes | int
"""Bytes, or the length of a hole in the file, whose NUL bytes are not read."""

_MARK = 3
"""The smallest size of the first chunk: the length of a UTF-8 byte order mark. A smaller file is one chunk."""

_COMPRESSED_AT_ONCE = 1 << 16
"""Bytes of a gzip file that are read at once."""


def chunks(descriptor: int, stamp: Stamp, size: int, *, compressed: bool, patient: bool) -> Iterator[Chunk]:
    """Yield the content of a file with this stamp in chunks of about `size` bytes, decompressed if it is gzip.

    A chunk is yielded after the next one was read, if the file was still the same then. A file that is not gzip may
    have grown meanwhile, if the chunk is still at its position. Unless patient, it must not have grown before the first
    chunk is yielded. Raises DocumentSkipped after all chunks that could be yielded: malformed (it is not valid gzip),
    changed (this includes growth).
    """
    # The descriptor's position says how far the file itself was read. Progress is measured by it.
    os.lseek(descriptor, 0, os.SEEK_SET)
    read = _decompressing(descriptor) if compressed else partial(os.read, descriptor)
    held: Chunk = b""
    at, grown, trouble = 0, False, None
    while True:
        try:
            chunk = read(size if at else max(size, _MARK))
        except DocumentSkipped as skip:
            chunk, trouble = b"", skip
        if held or trouble:
            now = Stamp.of(os.fstat(descriptor))
            if not stamp.same_bytes(now):
                if compressed or not patient or now.size <= stamp.size or not _ends_at(descriptor, at, held):
                    raise DocumentSkipped("changed")
                stamp, grown = now, True
        if held:
            yield held
            patient = True
        if not chunk:
            break
        held, at = chunk, at + len(chunk)
        if not compressed and (hole := _hole(descriptor, at, chunk)):
            held, at = len(chunk) + hole, at + hole
    if trouble is not None:
        raise trouble
    if grown:
        raise DocumentSkipped("changed")


def _decompressing(descriptor: int) -> Callable[[int], bytes]:
    return GzipStream(lambda _: os.read(descriptor, _COMPRESSED_AT_ONCE)).read


def _ends_at(descriptor: int, end: int, chunk: Chunk) -> bool:
    """Whether the file has these bytes right before this position."""
    return isinstance(chunk, bytes) and os.pread(descriptor, len(chunk), end - len(chunk)) == chunk


def _hole(descriptor: int, at: int, before: bytes) -> int:
    """The length of the hole at this position, after a chunk that may be part of it. The position moves past it."""
    if before.strip(b"\0") or not hasattr(os, "SEEK_DATA"):
        return 0
    try:
        end = os.lseek(descriptor, at, os.SEEK_DATA)
    except OSError as error:  # ENXIO: there is nothing but a hole up to the end of the file
        end = max(at, os.fstat(descriptor).st_size) if error.errno == errno.ENXIO else at
        os.lseek(descriptor, end, os.SEEK_SET)
    return end - at
