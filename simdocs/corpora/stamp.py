"""The state of a file: its id, its stamp, whether it may still change. Open files by names of any length.

An open file is a descriptor of this system or an object of a store. This is where the two kinds of places meet: code
that reads files calls the functions here, and does not ask where a file is.
"""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Iterable, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from simdocs.kernels.native import kernels_in_use
from simdocs.model.ragged import Mask
from simdocs.names import is_uri

if TYPE_CHECKING:
    from simdocs.corpora.stores.object_file import ObjectFile

FileId = tuple[int, int]
"""Device and inode: the same for all names of a file."""


OpenFile: TypeAlias = "int | ObjectFile"
"""An open file: its descriptor, or an object of a store."""

READ = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
"""Flags for reading: do not wait for the writer of a FIFO, do not inherit, do not become a controlling terminal."""

_CHUNK = 4000
"""Bytes of a path that is opened in one call: below PATH_MAX, which is 4096 on Linux. On macOS it is 1024, and longer
names cannot be opened."""


def open_name(name: bytes, flags: int = READ) -> int:
    """A descriptor of the file with this name of any length. Raises OSError as os.open does."""
    try:
        return os.open(name, flags)
    except OSError as error:
        if error.errno != errno.ENAMETOOLONG or len(name) < _CHUNK:
            raise
    at = os.open(b"/" if name.startswith(b"/") else b".", READ | os.O_DIRECTORY)
    try:
        parts = _chunks(name)
        for part in parts[:-1]:
            below = os.open(part, READ | os.O_DIRECTORY, dir_fd=at)
            os.close(at)
            at = below
        return os.open(parts[-1], flags, dir_fd=at)
    finally:
        os.close(at)


def status_of(name: bytes) -> os.stat_result:
    """The status of the file with this name of any length; links are followed. Raises OSError as os.stat does.

    The status of an object of a store is like that of a file, and that of a prefix like that of a directory.
    """
    if is_uri(name):
        from simdocs.corpora.stores.store import status_of_object

        return status_of_object(name)
    try:
        return os.stat(name)
    except OSError as error:
        if error.errno != errno.ENAMETOOLONG or len(name) < _CHUNK:
            raise
    descriptor = open_name(name)
    try:
        return os.fstat(descriptor)
    finally:
        os.close(descriptor)


_SIZES, _ID = (("size", "mtime_ns", "ctime_ns"), "<i8"), (("device", "inode"), "<u8")

FACTS = np.dtype([("links", "<u4"), *((name, kind) for names, kind in (_SIZES, _ID) for name in names)])
"""The facts in the status of a file. links: how many names it has; 0: that is not known."""

STATUS = np.dtype([("mode", "<u4"), *FACTS.descr])
"""A status that was asked for with others. The mode is 0 if there is none."""


_KIND = 0o170000
"""The bits of a mode that tell what a file is."""

_STATUSES_AT_ONCE = 1 << 10
"""Statuses that are asked for at once. A signal waits until they are there."""

_OF_THREAD, _MOST_THREADS = 1 << 7, 16
"""The fewest statuses for which a thread is worth starting, and the most threads."""


def statuses(names: Sequence[bytes], directory: int = -1, threads: int = 1) -> NDArray[np.void]:
    """The statuses of these names in an open directory, or in the working directory: (n,) STATUS.

    No link is followed. Without kernels in C there are none. threads: how many may ask for them.
    """
    if kernels_in_use() == "numpy":
        return np.zeros(len(names), STATUS)
    from simdocs.kernels.native import compiled

    out = bytearray()
    for at in range(0, len(names), _STATUSES_AT_ONCE):
        some = names[at : at + _STATUSES_AT_ONCE]
        known, every = bytearray(STATUS.itemsize * len(some)), b"\0".join([*some, b""])
        if every.count(b"\0") == len(some):
            asking = max(min(threads, len(some) // _OF_THREAD, _MOST_THREADS), 1)
            compiled.statuses(directory, every, known, asking)
        out += known
    return np.frombuffer(out, STATUS)


def are_regular(known: NDArray[np.void]) -> Mask:
    """Which of these statuses, (n,) STATUS, are those of regular files."""
    regular: Mask = known["mode"] & _KIND == stat.S_IFREG
    return regular


def is_directory(name: bytes) -> bool:
    """Whether there is a directory with this name, or a prefix of objects."""
    try:
        return stat.S_ISDIR(status_of(name).st_mode)
    except (OSError, ValueError):
        return False


def _chunks(name: bytes) -> list[bytes]:
    """The path, cut at slashes into relative paths of at most _CHUNK bytes."""
    parts: list[list[bytes]] = [[]]
    size = 0
    for component in filter(None, name.split(b"/")):
        size += len(component) + 1
        if size > _CHUNK:
            parts.append([])
            size = len(component) + 1
        parts[-1].append(component)
    return [b"/".join(part) for part in parts]


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

    def is_of(self, status: os.stat_result) -> bool:
        """Whether a file with this status has this stamp."""
        return self == _STAMPED(status)

    def same_bytes(self, later: Stamp) -> bool:
        """Whether an open file holds the same bytes later.

        Its ctime does not count: it changes when the file is linked, renamed or removed.
        """
        return (self.size, self.mtime_ns) == (later.size, later.mtime_ns)


NO_FILE = Stamp(0, 0, 0, 0)
"""The stamp of a document that comes from no file."""


_TICK_NS = 10_000_000
"""The coarsest clock by which a system stamps files: 100 ticks a second."""

RECENT_NS = 2_000_000_000
"""A stamp that is younger than this may be too early: a write may end after it, and some file systems count in steps of
2 seconds."""

_MOMENTS_NS = 100_000_000
"""A file that was stamped more recently may be in the middle of a write, or of one write after the other."""

_WAITS = 3
"""How often to wait for a file that is written all the time."""

now = time.time_ns
"""The time by which files are judged."""


def settled(file: OpenFile, status: os.stat_result) -> os.stat_result:
    """Wait until the times of an open file are older than a tick, so that later writes change them. Return its status.

    status: its status now. If the file is written all the time, this gives up soon.
    """
    for _ in range(_WAITS):
        wait = _TICK_NS - (now() - max(status.st_mtime_ns, status.st_ctime_ns))
        if not 0 < wait <= _TICK_NS:
            break
        time.sleep(wait / 1e9)
        status = status_now(file)
    return status


def is_recent(stamp: Stamp) -> bool:
    """Whether a file with this stamp may still change without a new stamp. A time in the future counts as recent."""
    return now() - max(stamp.mtime_ns, stamp.ctime_ns) < RECENT_NS


def wait_between_readings(stamp: Stamp) -> None:
    """Wait, if a file was stamped in the last moments, so that a second reading shows whether it is still written.

    All files grow older while this waits for one, so many of them together cost no more than one.
    """
    wait = _MOMENTS_NS - (now() - max(stamp.mtime_ns, stamp.ctime_ns))
    if 0 < wait <= _MOMENTS_NS:
        time.sleep(wait / 1e9)


def status_now(file: OpenFile) -> os.stat_result:
    """The status of an open file now. Raises OSError."""
    return os.fstat(file) if isinstance(file, int) else file.status()


def read_next(file: OpenFile, size: int) -> bytes:
    """At most these many bytes from its position on, which moves; none at the end. Raises OSError."""
    return os.read(file, size) if isinstance(file, int) else file.read(size)


def read_at(file: OpenFile, size: int, at: int) -> bytes:
    """At most these many bytes from a position on; none at the end. Raises OSError."""
    return os.pread(file, size, at) if isinstance(file, int) else file.pread(size, at)


def expect(file: OpenFile, intervals: Iterable[tuple[int, int]]) -> None:
    """Say that these intervals of bytes will be read, in this order. A store is then asked for several at once."""
    if not isinstance(file, int):
        file.expect(intervals)


def go_to(file: OpenFile, at: int) -> None:
    """Move its position."""
    if isinstance(file, int):
        os.lseek(file, at, os.SEEK_SET)
    else:
        file.at = at


def position(file: OpenFile) -> int:
    """Its position."""
    return os.lseek(file, 0, os.SEEK_CUR) if isinstance(file, int) else file.at


def status_at(file: OpenFile | None, name: bytes) -> os.stat_result:
    """The status of the file with this name now. Raises OSError.

    file: the file that had this name when it was opened, if it is still open. That another object has the name now can
    be seen from the object, which asks its store only if bytes were fetched since it was last asked.
    """
    return status_of(name) if file is None or isinstance(file, int) else file.status()


def close_file(file: OpenFile) -> None:
    """Close it."""
    if isinstance(file, int):
        os.close(file)
    else:
        file.close()
