"""Walks of directories by descriptors. Names may be long, trees may be deep, and links may form loops."""

from __future__ import annotations

import os
from bisect import bisect
from collections.abc import Iterator
from dataclasses import dataclass

from simdocs.corpora.document_skipped import DocumentSkipped
from simdocs.corpora.identity import FileId, file_id
from simdocs.corpora.listing import NAME, File, Found, Lister, id_of, is_artifact
from simdocs.corpora.long_paths import READ, open_name
from simdocs.corpora.patterns import Patterns
from simdocs.corpora.unread import Unread
from simdocs.model.skipped import Skip, Skipped
from simdocs.recipes import Walking

MOST_OPEN = 32
"""Directories that are open at once. Those above them are opened again by name when their turn comes."""


_AT_ONCE = 1 << 10
"""Files that are found at once, at most."""


@dataclass(slots=True)
class _Level:
    """A directory above the current one: its descriptor (-1: closed for now), and what is to visit in it.

    files: all of them, of which the first `done` were visited. directories: those still to visit, last first.
    """

    path: bytes
    descriptor: int
    file_id: FileId
    files: list[File]
    directories: list[File]
    done: int = 0

    @property
    def is_done(self) -> bool:
        return not self.directories and self.done == len(self.files)

    def next_files(self) -> list[File]:
        """The next files before the next directory. They are visited then."""
        end = len(self.files)
        if self.directories:
            end = bisect(self.files, NAME(self.directories[-1]), self.done, key=NAME)
        files = self.files[self.done : min(self.done + _AT_ONCE, end)]
        self.done += len(files)
        return files


def walk(
    root: bytes,
    walking: Walking,
    skipped: Skipped,
    patterns: Patterns | None = None,
    unread: Unread | None = None,
) -> Iterator[Found]:
    """Yield the regular files below the directory root, bytewise by whole path.

    Files and directories that are left out are added to skipped. patterns: those of walking, if several walks share
    them. unread: takes what cannot be looked at below root. Raises OSError only for root itself.
    """
    patterns = patterns or Patterns(walking.include, walking.exclude)
    return _Walk(root, walking, skipped, patterns, Unread() if unread is None else unread).files()


class _Walk:
    """One walk: its stack of directories and the ids of those it has seen."""

    def __init__(self, root: bytes, walking: Walking, skipped: Skipped, patterns: Patterns, unread: Unread) -> None:
        self.root, self.walking, self.skipped = root, walking, skipped
        self.lister = Lister(walking, patterns, skipped, unread, len(_join(root, b"")))
        self.seen: set[FileId] = set()
        self.stack: list[_Level] = []
        self.open: list[_Level] = []
        """The levels of the stack that have a descriptor, in its order."""
        self.link_flag = 0 if walking.follow else os.O_NOFOLLOW
        self.walked = 0 if walking.follow else len(_join(root, b""))

    def files(self) -> Iterator[Found]:
        try:
            self._push(self.root, open_name(self.root, READ | os.O_DIRECTORY))
            device = self.stack[0].file_id[0]
            while self.stack:
                level = self.stack[-1]
                directory = _join(level.path, b"")
                while files := level.next_files():
                    names = [directory + name for name, _ in files]
                    yield Found(names, [facts for _, facts in files], self.walked)
                if level.is_done:
                    self._pop()
                    continue
                name, facts = level.directories.pop()
                if not self.walking.one_file_system or id_of(facts)[0] == device:
                    self._descend(level, name[:-1], directory + name[:-1])
        finally:
            while self.stack:
                self._pop()

    def _descend(self, level: _Level, name: bytes, path: bytes) -> None:
        try:
            self._reopen(level)
            descriptor = os.open(name, READ | os.O_DIRECTORY | self.link_flag, dir_fd=level.descriptor)
        except FileNotFoundError:
            self.skipped.add(Skip("vanished", path))
        except OSError as error:
            self.lister.leave_out(path, DocumentSkipped("unreadable", error.strerror or str(error)))
        else:
            if level.is_done:
                self._pop()  # the paths of a long chain of directories would take much memory
            try:
                self._push(path, descriptor)
            except OSError as error:
                self.lister.leave_out(path, DocumentSkipped("unreadable", error.strerror or str(error)))

    def _push(self, path: bytes, descriptor: int) -> None:
        """List the directory and put it on the stack. Its descriptor is closed here or with the stack."""
        try:
            status = os.fstat(descriptor)
            identity = file_id(status)
            if identity in self.seen:
                self.skipped.add(Skip("again", path))
                return
            self.seen.add(identity)
            if len(self.seen) > 1 and is_artifact(descriptor):
                self.skipped.add(Skip("artifact", path))
                return
            level = _Level(path, descriptor, identity, *self.lister.entries(_join(path, b""), descriptor))
            self.stack.append(level)
            if level.directories:
                self._keep_open(level)  # to open the directories below
                descriptor = -1
            else:
                level.descriptor = -1
        finally:
            if descriptor >= 0:
                os.close(descriptor)

    def _keep_open(self, level: _Level) -> None:
        self.open.append(level)
        if len(self.open) > MOST_OPEN:
            first = self.open.pop(0)
            os.close(first.descriptor)
            first.descriptor = -1

    def _pop(self) -> None:
        level = self.stack.pop()
        if level.descriptor >= 0:
            self.open.pop()
            os.close(level.descriptor)

    def _reopen(self, level: _Level) -> None:
        """Open the top of the stack again, if it is closed. OSError: another directory has its path by now."""
        if level.descriptor >= 0:
            return
        descriptor = open_name(level.path, READ | os.O_DIRECTORY)
        status = os.fstat(descriptor)
        if file_id(status) != level.file_id:
            os.close(descriptor)
            raise OSError(None, "its parent directory was replaced during the walk")
        level.descriptor = descriptor
        self._keep_open(level)


def _join(directory: bytes, name: bytes) -> bytes:
    """The path of a name in a directory. Slashes at the end of the directory are kept, as find(1) does."""
    return directory + name if directory.endswith(b"/") else directory + b"/" + name
