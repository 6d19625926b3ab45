"""What one directory holds: the files and directories to visit, and the reasons for leaving out the others."""

from __future__ import annotations

import os
import stat
import sys
from dataclasses import dataclass
from operator import itemgetter
from struct import Struct

import numpy as np

from simdocs.corpora.document_skipped import DocumentSkipped
from simdocs.corpora.identity import FileId
from simdocs.corpora.long_paths import READ
from simdocs.corpora.patterns import Patterns
from simdocs.corpora.unread import Unread
from simdocs.model.documents import NAMED
from simdocs.model.own_files import DRAFT_PREFIX, is_manifest
from simdocs.model.skipped import Skip, Skipped
from simdocs.recipes import Walking

ARTIFACT_SUFFIXES = (".shingles", ".signatures", ".index")

FACTS = np.dtype([("size", "<i8"), ("mtime_ns", "<i8"), ("ctime_ns", "<i8"), ("device", "<u8"), ("inode", "<u8")])
"""What the status of a file says about it."""

File = tuple[bytes, bytes]
"""The name of a file, and its facts as bytes of FACTS: they take less memory than numbers, and become an array."""

NAME = itemgetter(0)
"""The name of a file."""

_FACTS = Struct("<3q2Q")

_ENCODING, _ERRORS = sys.getfilesystemencoding(), sys.getfilesystemencodeerrors()


def facts_of(status: os.stat_result) -> bytes:
    """The facts of a file, from its status."""
    return _FACTS.pack(status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_dev, status.st_ino)


def held_facts(size: int, status: os.stat_result) -> bytes:
    """The facts of a file whose bytes are held: their size, and no times."""
    return _FACTS.pack(size, 0, 0, status.st_dev, status.st_ino)


def id_of(facts: bytes) -> FileId:
    """The id of a file, from its facts."""
    _, _, _, device, inode = _FACTS.unpack(facts)
    return device, inode


@dataclass(slots=True)
class Found:
    """One or more files that were found next to each other: their whole names, and their facts as bytes of FACTS.

    walked: see MET. held: the bytes of the only file, if they can be read only once.
    """

    names: list[bytes]
    facts: list[bytes]
    walked: int = NAMED
    held: bytes | None = None


@dataclass(frozen=True, slots=True)
class Lister:
    """Lists directories. unread: takes what cannot be looked at. below: how many bytes of their paths lead to the root
    of the walk."""

    walking: Walking
    patterns: Patterns
    skipped: Skipped
    unread: Unread
    below: int

    def entries(self, path: bytes, descriptor: int) -> tuple[list[File], list[File]]:
        """What is to be visited in an open directory: the files by name, and the directories, last first.

        path: that of the directory, with a slash. The names of directories get a slash, too, which comes after them in
        the paths of their files. What is left out is added to skipped.
        """
        files, directories = list[File](), list[File]()
        patterns = self.patterns if self.patterns else None
        with os.scandir(descriptor) as entries:
            for entry in entries:
                name = entry.name.encode(_ENCODING, _ERRORS)
                try:
                    status = self._status(entry)
                except DocumentSkipped as left:
                    self.leave_out(path + name, left)
                    continue
                is_directory = stat.S_ISDIR(status.st_mode)
                if patterns is not None and patterns.leave_out((path + name)[self.below :], is_directory):
                    continue
                if is_directory:
                    directories.append((name + b"/", facts_of(status)))
                else:
                    files.append((name, facts_of(status)))
        files.sort(key=NAME)
        directories.sort(key=NAME, reverse=True)
        return files, directories

    def leave_out(self, path: bytes, left: DocumentSkipped) -> None:
        """Report that a file or directory is left out."""
        self.skipped.add(Skip(left.reason, path, left.detail))
        if left.reason == "unreadable":
            self.unread.add(path, self.below)

    def _status(self, entry: os.DirEntry[str]) -> os.stat_result:
        """The status of an entry that is to be visited. Raises DocumentSkipped for any other."""
        if entry.name.startswith("."):
            if entry.name.startswith(DRAFT_PREFIX):
                raise DocumentSkipped("artifact")
            if not self.walking.hidden:
                raise DocumentSkipped("hidden")
        try:
            status = entry.stat(follow_symlinks=False)
            if stat.S_ISREG(status.st_mode):
                return status
            if stat.S_ISLNK(status.st_mode):
                if not self.walking.follow:
                    raise DocumentSkipped("link")
                status = entry.stat()
        except FileNotFoundError:
            raise (
                DocumentSkipped("unreadable", "dangling link") if entry.is_symlink() else DocumentSkipped("vanished")
            ) from None
        except OSError as error:
            raise DocumentSkipped("unreadable", error.strerror or str(error)) from None
        if stat.S_ISDIR(status.st_mode):
            if entry.name.endswith(ARTIFACT_SUFFIXES):
                raise DocumentSkipped("artifact")
        elif not stat.S_ISREG(status.st_mode):
            raise DocumentSkipped("special")
        return status


def is_artifact(descriptor: int) -> bool:
    """Whether an open directory is an artifact, by its manifest."""
    try:
        file = os.open("manifest.json", READ | os.O_NOFOLLOW, dir_fd=descriptor)
    except OSError:
        return False
    try:
        return is_manifest(os.read(file, 64))
    except OSError:
        return False
    finally:
        os.close(file)
