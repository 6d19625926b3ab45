"""The content of an open file in chunks, for as long as the file stays what it was."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator

from simdocs.corpora.document_skipped import DocumentSkipped
from simdocs.corpora.gzip_stream import Unfolding
from simdocs.corpora.identity import Stamp

Chunk = bytes | int
"""Some bytes; or how many NUL bytes a hole in the file stands for, which are not read."""

_MARK = 3
"""Bytes that the first chunk has, if there are as many: those of a mark of UTF-8."""

_FED = 1 << 16
"""Bytes of a gzip file taken at once."""


def chunks(descriptor: int, stamp: Stamp, size: int, *, folded: bool, patient: bool) -> Iterator[Chunk]:
    """A file of this stamp from its beginning, unfolded if it is gzip, by about `size` bytes.

    A chunk is given when what comes after it has been read and the file was the same even then; or, unless it is gzip,
    had only grown: the chunk is where it was. The first is waited for until the file does not even grow, unless
    patient. Raises DocumentSkipped, after all that could be given: malformed (as gzip), changed (also: grown).
    """
    read = _unfolding(descriptor) if folded else _reading(descriptor)
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
                if folded or not patient or now.size <= stamp.size or not _ends_at(descriptor, at, held):
                    raise DocumentSkipped("changed")
                stamp, grown = now, True
        if held:
            yield held
            patient = True
        if not chunk:
            break
        held, at = chunk, at + len(chunk)
        if not folded and (hole := _hole(descriptor, at, chunk)):
            held, at = len(chunk) + hole, at + hole
    if trouble is not None:
        raise trouble
    if grown:
        raise DocumentSkipped("changed")


def _reading(descriptor: int) -> Callable[[int], bytes]:
    os.lseek(descriptor, 0, os.SEEK_SET)
    return lambda size: os.read(descriptor, size)


def _unfolding(descriptor: int) -> Callable[[int], bytes]:
    return Unfolding(lambda offset: os.pread(descriptor, _FED, offset)).read


def _ends_at(descriptor: int, end: int, chunk: Chunk) -> bool:
    """Whether the file holds these bytes up to there."""
    return isinstance(chunk, bytes) and os.pread(descriptor, len(chunk), end - len(chunk)) == chunk


def _hole(descriptor: int, at: int, before: bytes) -> int:
    """How long the hole is that the file has at this place, after a chunk that may be part of it; it is passed over."""
    if before.strip(b"\0") or not hasattr(os, "SEEK_DATA"):
        return 0
    try:
        end = os.lseek(descriptor, at, os.SEEK_DATA)
    except OSError as error:  # ENXIO: there is nothing but a hole up to the end of the file
        end = max(at, os.fstat(descriptor).st_size) if error.errno == errno.ENXIO else at
        os.lseek(descriptor, end, os.SEEK_SET)
    return end - at
