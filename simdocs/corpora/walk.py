"""Walks of directories by descriptors. Names may be long, trees may be deep, and links may form loops."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from operator import itemgetter
from typing import NamedTuple

from simdocs.corpora.document_skipped import DocumentSkipped
from simdocs.corpora.identity import FileId, Stamp, file_id
from simdocs.corpora.long_paths import READ, open_name
from simdocs.corpora.patterns import Patterns
from simdocs.model.documents import NAMED
from simdocs.model.own_files import DRAFT_PREFIX, is_manifest
from simdocs.model.skipped import Skip, Skipped
from simdocs.recipes import Walking

MOST_OPEN = 32
"""Directories that are open at once. Those above them are opened again by name when their turn comes."""

ARTIFACT_SUFFIXES = (b".shingles", b".signatures", b".index")


@dataclass(slots=True)
class Entry:
    """A file that was found.

    stamp: its size in bytes, mtime_ns and ctime_ns. held: its bytes, if they can be read only once. walked: see MET.
    """

    name: bytes
    stamp: tuple[int, int, int]
    file_id: FileId
    held: bytes | None = None
    named: bool = False
    """Whether it was named as an argument itself, and not found in a directory or a list."""
    walked: int = NAMED


class _Seen(NamedTuple):
    """A file or directory to visit. It holds only the needed part of the status and is flat: there may be millions.

    key: the sort key. A directory's key ends with a slash, which comes after its name in the paths of its files, too.
    """

    key: bytes
    name: bytes
    size: int
    mtime_ns: int
    ctime_ns: int
    device: int
    inode: int

    @property
    def is_directory(self) -> bool:
        return self.key.endswith(b"/")


@dataclass(slots=True)
class _Level:
    """A directory above the current one: its descriptor (-1: closed for now), and entries that are still to visit."""

    path: bytes
    descriptor: int
    file_id: FileId
    entries: list[_Seen] = field(default_factory=list)


def walk(root: bytes, walking: Walking, skipped: Skipped, patterns: Patterns | None = None) -> Iterator[Entry]:
    """Yield the regular files below the directory root, bytewise by whole path.

    Files and directories that are left out are added to skipped. patterns: those of walking, if several walks share
    them. Raises OSError only for root itself.
    """
    return _Walk(root, walking, skipped, patterns or Patterns(walking.include, walking.exclude)).files()


class _Walk:
    """One walk: its stack of directories and the ids of those it has seen."""

    def __init__(self, root: bytes, walking: Walking, skipped: Skipped, patterns: Patterns) -> None:
        self.root, self.walking, self.skipped, self.patterns = root, walking, skipped, patterns
        self.seen: set[FileId] = set()
        self.stack: list[_Level] = []
        self.open: list[_Level] = []
        """The levels of the stack that have a descriptor, in its order."""
        self.link_flag = 0 if walking.follow else os.O_NOFOLLOW
        self.walked = 0 if walking.follow else len(_join(root, b""))

    def files(self) -> Iterator[Entry]:
        try:
            self._push(self.root, open_name(self.root, READ | os.O_DIRECTORY))
            device = self.stack[0].file_id[0]
            while self.stack:
                level = self.stack[-1]
                if not level.entries:
                    self._pop()
                    continue
                seen = level.entries.pop()
                path = _join(level.path, seen.name)
                if not seen.is_directory:
                    stamp, identity = (seen.size, seen.mtime_ns, seen.ctime_ns), (seen.device, seen.inode)
                    yield Entry(path, stamp, identity, walked=self.walked)
                elif not (self.walking.one_file_system and seen.device != device):
                    self._descend(level, seen.name, path)
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
            self.skipped.add(Skip("unreadable", path, error.strerror or str(error)))
        else:
            if not level.entries:
                self._pop()  # the paths of a long chain of directories would take much memory
            try:
                self._push(path, descriptor)
            except OSError as error:
                self.skipped.add(Skip("unreadable", path, error.strerror or str(error)))

    def _push(self, path: bytes, descriptor: int) -> None:
        """List the directory and put it on the stack. Its descriptor is closed here or with the stack."""
        try:
            status = os.fstat(descriptor)
            identity = file_id(status)
            if identity in self.seen:
                self.skipped.add(Skip("again", path))
                return
            self.seen.add(identity)
            if len(self.seen) > 1 and _is_artifact(descriptor):
                self.skipped.add(Skip("artifact", path))
                return
            level = _Level(path, descriptor, identity, self._list(path, descriptor))
            self.stack.append(level)
            if any(entry.is_directory for entry in level.entries):
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

    def _list(self, path: bytes, descriptor: int) -> list[_Seen]:
        """The entries of a directory that are to be visited, last first, so that they can be popped."""
        found: list[_Seen] = []
        below = len(_join(self.root, b""))
        with os.scandir(descriptor) as entries:
            for entry in entries:
                name = os.fsencode(entry.name)
                full = _join(path, name)
                try:
                    status = self._status(entry, name)
                except DocumentSkipped as left:
                    self.skipped.add(Skip(left.reason, full, left.detail))
                    continue
                is_directory = stat.S_ISDIR(status.st_mode)
                if not self.patterns.leave_out(full[below:], is_directory):
                    key = name + b"/" if is_directory else name
                    found.append(_Seen(key, name, *Stamp.of(status)[:3], *file_id(status)))
        found.sort(key=itemgetter(0), reverse=True)
        return found

    def _status(self, entry: os.DirEntry[str], name: bytes) -> os.stat_result:
        """The status of an entry that is to be visited. Raises DocumentSkipped for any other."""
        if entry.name.startswith(DRAFT_PREFIX):
            raise DocumentSkipped("artifact")
        if name.startswith(b".") and not self.walking.hidden:
            raise DocumentSkipped("hidden")
        try:
            status = entry.stat(follow_symlinks=False)
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
            if name.endswith(ARTIFACT_SUFFIXES):
                raise DocumentSkipped("artifact")
        elif not stat.S_ISREG(status.st_mode):
            raise DocumentSkipped("special")
        return status


def _is_artifact(descriptor: int) -> bool:
    """Whether a directory is an artifact, by its manifest."""
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


def _join(directory: bytes, name: bytes) -> bytes:
    """The path of a name in a directory. Slashes at the end of the directory are kept, as find(1) does."""
    return directory + name if directory.endswith(b"/") else directory + b"/" + name
