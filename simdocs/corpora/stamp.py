"""The state of a file: its id, its stamp, whether it may still change."""

from __future__ import annotations

import os
import stat
import time
from operator import attrgetter
from typing import NamedTuple

from simdocs.names import is_uri

FileId = tuple[int, int]
"""Device and inode: the same for all names of a file."""


def status_of(name: bytes) -> os.stat_result:
    """The status of the file with this name; links are followed. Raises OSError as os.stat does.

    The status of an object of a store is like that of a file, and that of a prefix like that of a directory.
    """
    if is_uri(name):
        from simdocs.corpora.stores.store import status_of_object

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
        from simdocs.corpora.stores.store import digest_of

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
