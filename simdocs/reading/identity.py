"""The state of a file, and whether a file or a text is still the one that was recorded."""

from __future__ import annotations

import hashlib
import os
import stat
import time
from collections.abc import Iterator
from itertools import pairwise
from operator import attrgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simdocs.model.documents import STAMP_FIELDS
from simdocs.model.ragged import Array, Mask, Ragged
from simdocs.names import is_uri

FileId = tuple[int, int]
"""Device and inode: the same for all names of a file."""


def status_of(name: bytes) -> os.stat_result:
    """The status of the file with this name; links are followed. Raises OSError as os.stat does.

    The status of an object of a store is like that of a file, and that of a prefix like that of a directory.
    """
    if is_uri(name):
        from simdocs.reading.stores import status_of_object

        return status_of_object(name)
    return os.stat(name)


def is_directory(name: bytes) -> bool:
    """Whether there is a directory with this name, or a prefix of objects."""
    try:
        return stat.S_ISDIR(status_of(name).st_mode)
    except (OSError, ValueError):
        return False


def file_id(status: os.stat_result) -> FileId:
    """The id of a file, from its status."""
    return status.st_dev, status.st_ino


def regular_file_id(path: str) -> FileId | None:
    """The id of the regular file at this path, or of the object of this name; None if there is no file."""
    if is_uri(os.fsencode(path)):
        from simdocs.reading.stores import digest_of

        return digest_of(os.fsencode(path))
    try:
        status = os.stat(path)
    except OSError:
        return None
    return file_id(status) if stat.S_ISREG(status.st_mode) else None


_STAMPED = attrgetter("st_size", "st_mtime_ns", "st_ctime_ns", "st_ino")
"""The fields of a status that are a stamp, at once."""


class Stamp(NamedTuple):
    """The state of a file on disk. Equal stamps mean equal bytes, unless a clock was set back."""

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int

    @classmethod
    def of(cls, status: os.stat_result) -> Stamp:
        """The stamp of a file, from its status."""
        return cls._make(_STAMPED(status))

    @classmethod
    def at(cls, path: bytes) -> Stamp | None:
        """The stamp of the file at this path; None if its status cannot be read."""
        try:
            return cls.of(status_of(path))
        except (OSError, ValueError):
            return None

    @property
    def is_of_file(self) -> bool:
        """Whether it is that of a file, which can be read again."""
        return bool(self.inode or self.ctime_ns)

    def same_bytes(self, later: Stamp) -> bool:
        """Whether an open file holds the same bytes later.

        Its ctime does not count: it changes when the file is linked, renamed or removed.
        """
        return (self.size, self.mtime_ns) == (later.size, later.mtime_ns)

    def begins(self, later: Stamp) -> bool:
        """Whether an open file of lines begins with the same bytes later: it is the same, or has only grown."""
        return later.size > self.size or self.same_bytes(later)


NO_FILE = Stamp(0, 0, 0, 0)
"""The stamp of a document that comes from no file."""


RECENT_NS = 2_000_000_000
"""A stamp that is younger than this may be too early: a write may end after it, and some file systems count in steps of
2 seconds."""

now = time.time_ns
"""The time by which files are judged."""


_AT_ONCE = 1 << 12
"""Facts that are taken out of an array at once."""


def recorded(facts: NDArray[np.void]) -> Iterator[tuple[Stamp, int]]:
    """Yield the stamp of each document's file, and the size of its text as read, from its facts (n,) FACTS.

    The stamp is that of no file if it came from none. The device of a file is not recorded, because it changes when a
    disk is mounted again.
    """
    for at in range(0, len(facts), _AT_ONCE):
        *stamps, sizes = (facts[name][at : at + _AT_ONCE].tolist() for name in (*STAMP_FIELDS, "size"))
        yield from zip(map(Stamp, *stamps), sizes, strict=True)


def content_digest(*pieces: bytes) -> bytes:
    """The first 16 bytes of the SHA-256 of the content of a file, or of a part of it, which is given in pieces."""
    digest = hashlib.sha256()
    for piece in pieces:
        digest.update(piece)
    return digest.digest()[:16]


def row_digests(rows: Ragged) -> Array:
    """The first 16 bytes of the SHA-256 of each row's bytes in memory, as two numbers for each row: (N, 2) uint64."""
    view = np.ascontiguousarray(rows.values).view(np.uint8).data
    ends = (rows.offsets * rows.values.itemsize).tolist()
    digests = b"".join(hashlib.sha256(view[a:b]).digest()[:16] for a, b in pairwise(ends))
    return np.frombuffer(digests, "<u8").reshape(len(rows), 2)


def same_texts(texts: Ragged, facts: NDArray[np.void]) -> Mask:
    """Whether each normalised text, as UTF-8, has the digest in these facts (n,)."""
    same: Mask = (row_digests(texts) == facts["digest"]).all(axis=1)
    return same
