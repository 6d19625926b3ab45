"""Open the files that were found, and no others: below a directory that was walked, no link is followed."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simdocs.corpora.stamp import READ, OpenFile, open_name, settled
from simdocs.model.documents import NAMED
from simdocs.model.skipped import REPLACED, DocumentSkipped
from simdocs.names import is_uri

IN_DIRECTORY = READ | os.O_NOFOLLOW
"""Flags for the name of a file in an open directory: no link is followed."""

_MOST_OPEN = 24
"""Directories that are open at once. If a tree is deeper, those above them are entered again from its root."""

_LINKS = (errno.ELOOP, errno.ENOTDIR, errno.EMLINK)
"""The errors of open for a link that must not be followed, on different systems."""


class Met(NamedTuple):
    """How one file was found: the fields of MET."""

    walked: int
    links: int
    device: int
    inode: int

    @classmethod
    def of(cls, met: np.void) -> Met:
        """The entry of a file in an array of MET."""
        return cls(*met.item())

    def is_file(self, status: os.stat_result) -> bool:
        """Whether this is the status of the file that was found. Something else may have its inode by now."""
        same = status.st_ino == self.inode and status.st_dev == self.device
        return (same or not (self.inode or self.device)) and stat.S_ISREG(status.st_mode)


ANY = Met(NAMED, 0, 0, 0)
"""For a file named as an argument: any file that has the name now."""


def each_met(met: NDArray[np.void]) -> Iterator[Met]:
    """Yield the entries of an array (n,) of MET."""
    return map(Met._make, met.tolist())


class Directories:
    """Keeps the directories of the last opened file open for the next one.

    So files in row order are opened with about one call for each file and each directory.
    """

    def __init__(self) -> None:
        self._path, self._root = b"", b""
        self._parts: list[bytes] = []
        """The names of the directories below the root."""
        self.root_inode = 0
        """The inode of the root."""
        self._open: list[int] = []
        """Descriptors of the root and of the directories below it; -1: closed for now."""

    def __enter__(self) -> Directories:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close all directories."""
        self._cut(0)

    def open(self, name: bytes, walked: int) -> int:
        """A descriptor of the file with this name. No link is followed after the first `walked` bytes of the name.

        Raises OSError as os.open does; DocumentSkipped: changed (there is a link).
        """
        cut = name.rindex(b"/") + 1
        directory = self.enter(name[:cut], walked)
        try:
            return os.open(name[cut:], IN_DIRECTORY, dir_fd=directory)
        except OSError as error:
            raise _replaced(error) from None

    def enter(self, path: bytes, walked: int) -> int:
        """A descriptor of the directory with this path, which ends with a slash. It stays open for now.

        walked, and what is raised: as in `open`.
        """
        if path != self._path:
            self._enter(path[:walked], path[walked:])
            self._path = path
        return self._open[-1]

    @property
    def directory(self) -> int:
        """A descriptor of the directory of the file that was opened last."""
        return self._open[-1]

    def _enter(self, root: bytes, below: bytes) -> None:
        """Open a directory below a root, and keep those above it open."""
        self._path = b""
        parts = below.split(b"/")[:-1]
        if root != self._root or not self._open:
            self._cut(0)
        else:
            same = 0
            while same < min(len(parts), len(self._parts)) and parts[same] == self._parts[same]:
                same += 1
            self._cut(1 + same)
            if self._open[-1] < 0:
                self._cut(0)
        if not self._open:
            self._open.append(open_name(root, READ | os.O_DIRECTORY))
            self._root, self.root_inode = root, os.fstat(self._open[0]).st_ino
        for part in parts[len(self._parts) :]:
            try:
                descriptor = os.open(part, READ | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=self._open[-1])
            except OSError as error:
                raise _replaced(error) from None
            self._parts.append(part)
            self._open.append(descriptor)
            self._close(len(self._open) - 1 - _MOST_OPEN)

    def _cut(self, kept: int) -> None:
        """Close all directories but the first ones."""
        for place in range(kept, len(self._open)):
            self._close(place)
        del self._open[kept:]
        del self._parts[max(0, kept - 1) :]

    def _close(self, place: int) -> None:
        """Close the directory at this place, if it is open."""
        if place >= 0 and self._open[place] >= 0:
            os.close(self._open[place])
            self._open[place] = -1


def _replaced(error: OSError) -> Exception:
    """The exception for an error of open below a directory that was walked."""
    return DocumentSkipped("changed", REPLACED) if error.errno in _LINKS else error


def open_file(name: bytes, met: Met = ANY, directories: Directories | None = None) -> tuple[OpenFile, os.stat_result]:
    """The regular file with this name, open, and its status, with times older than a tick if possible.

    met: how it was found. directories: keeps its directories open for other files. Raises DocumentSkipped: vanished,
    unreadable, special, changed (it is not the file that was found).
    """
    try:
        if is_uri(name):
            from simdocs.corpora.stores.object_file import ObjectFile

            stored = ObjectFile(name)
            return stored, settled(stored, stored.status())
        if met.walked <= 0:
            descriptor, status = _checked(open_name(name), met)
        elif directories is not None:
            descriptor, status = open_walked(name, met, directories)
        else:
            with Directories() as alone:
                descriptor, status = open_walked(name, met, alone)
    except OSError as error:
        raise DocumentSkipped.of(error) from None
    return descriptor, settled(descriptor, status)


def open_walked(name: bytes, met: Met, directories: Directories) -> tuple[int, os.stat_result]:
    """A descriptor of a file below a directory that was walked, and its status now. Raises OSError; DocumentSkipped, as
    open_file does."""
    return _checked(directories.open(name, met.walked), met)


def _checked(descriptor: int, met: Met) -> tuple[int, os.stat_result]:
    """The descriptor of a file and its status, if it is the file that was found. Otherwise it is closed."""
    try:
        status = os.fstat(descriptor)
        if met.walked == NAMED:
            if not stat.S_ISREG(status.st_mode):
                raise DocumentSkipped("special")
        elif not met.is_file(status):
            raise DocumentSkipped("changed", REPLACED)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor, status
