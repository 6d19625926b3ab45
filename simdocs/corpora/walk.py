"""Walk directories by their descriptors. Names may be long, trees may be deep, and links may form loops."""

from __future__ import annotations

import os
import stat
from bisect import bisect, bisect_left
from collections.abc import Iterator
from itertools import compress
from operator import itemgetter
from struct import Struct
from typing import NamedTuple

import numpy as np

from simdocs.corpora.patterns import Patterns
from simdocs.corpora.stamp import FACTS, READ, STATUS, FileId, are_regular, file_id, open_name, statuses
from simdocs.model.documents import NAMED
from simdocs.model.skipped import DocumentSkipped, Skip, Skipped
from simdocs.names import DRAFT_PREFIX, is_manifest, is_uri
from simdocs.options.texts import Walking

ARTIFACT_SUFFIXES = (b".shingles", b".signatures", b".index")

_Directory = tuple[bytes, bytes]
"""The name of a directory with a slash, which comes after it in the paths of its files; and its facts."""

_NAME = itemgetter(0)

_FACTS, _MOST_LINKS = Struct("<I3q2Q"), (1 << 32) - 1


def facts_of(status: os.stat_result, links: int = 0) -> bytes:
    """The facts of a file, from its status. links: how many names it has; 0: that of a link may have led to it."""
    return _FACTS.pack(
        min(links, _MOST_LINKS), status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_dev, status.st_ino
    )


def packed_facts(size: int, mtime_ns: int, device: int, inode: int) -> bytes:
    """The facts of an object of a store."""
    return _FACTS.pack(0, size, mtime_ns, mtime_ns, device, inode)


def held_facts(size: int, status: os.stat_result) -> bytes:
    """The facts of a file whose bytes are held: their size, and no times."""
    return _FACTS.pack(0, size, 0, 0, status.st_dev, status.st_ino)


def id_of(facts: bytes) -> FileId:
    """The id of a file, from its facts."""
    *_, device, inode = _FACTS.unpack(facts)
    return device, inode


class Found(NamedTuple):
    """Consecutive files that were found: their whole names, and their facts end to end, as bytes of FACTS.

    walked: see MET.
    held: the bytes of the only file, if they can be read only once.
    """

    names: list[bytes]
    facts: bytes
    walked: int = NAMED
    held: bytes | None = None

    def files(self) -> Iterator[tuple[bytes, bytes]]:
        """Yield the name and the facts of each."""
        starts = range(0, len(self.facts), _FACTS.size)
        return zip(self.names, (self.facts[start : start + _FACTS.size] for start in starts), strict=True)


class Lister:
    """Lists directories.

    below: how many bytes of their paths are the root of the walk.
    threads: how many ask for statuses.
    """

    def __init__(self, walking: Walking, patterns: Patterns, skipped: Skipped, below: int, threads: int) -> None:
        self.walking, self.patterns, self.skipped = walking, patterns, skipped
        self.below, self.threads = below, threads

    def entries(self, path: bytes, descriptor: int) -> tuple[list[bytes], bytes, list[_Directory]]:
        """The entries to visit in an open directory: the names of the files, ascending; their facts, as in Found; and
        the directories, last first.

        path: the path of the directory, with a slash. Entries that are left out are added to skipped.
        """
        names = sorted(map(os.fsencode, os.listdir(descriptor)))
        known = statuses(names, descriptor, self.threads)
        facts = known.view(np.uint8).reshape(-1, STATUS.itemsize)[:, -FACTS.itemsize :]
        is_file = are_regular(known)
        is_file[bisect_left(names, b".") : bisect_left(names, b"/")] = False  # the hidden ones
        is_file[bisect_left(names, SUCCESS) : bisect(names, SUCCESS)] = False
        directories, patterns = list[_Directory](), self.patterns if self.patterns else None
        for place in np.flatnonzero(~is_file).tolist() if patterns is None else range(len(names)):
            name, is_directory = names[place], False
            if not is_file[place]:
                try:
                    status, links = self._status(name, descriptor)
                except DocumentSkipped as left:
                    self.leave_out(path + name, left)
                    continue
                facts[place] = np.frombuffer(facts_of(status, links), np.uint8)
                is_directory = stat.S_ISDIR(status.st_mode)
                is_file[place] = not is_directory
            if patterns is not None and patterns.leave_out((path + name)[self.below :], is_directory):
                is_file[place] = False
            elif is_directory:
                directories.append((name + b"/", facts[place].tobytes()))
            elif name == SUCCESS and not status.st_size:
                is_file[place] = False
                self.leave_out(path + name, DocumentSkipped("described"))
        directories.sort(key=_NAME, reverse=True)
        return list(compress(names, is_file)), facts[is_file].tobytes(), directories

    def leave_out(self, path: bytes, left: DocumentSkipped) -> None:
        """Report that a file or directory is left out."""
        self.skipped.add(Skip(left.reason, path, left.detail))
        if left.reason == "unreadable":
            self.skipped.unlisted.add(path)

    def _status(self, name: bytes, descriptor: int) -> tuple[os.stat_result, int]:
        """The status of an entry to visit in an open directory, and how many names it has; 0: it was reached by a link.

        Raises DocumentSkipped for any other.
        """
        if name.startswith(b"."):
            if name.startswith(DRAFT_PREFIX.encode()):
                raise DocumentSkipped("artifact")
            if not self.walking.hidden:
                raise DocumentSkipped("hidden")
        is_link = False
        try:
            status = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
            if stat.S_ISREG(status.st_mode):
                return status, status.st_nlink
            if is_link := stat.S_ISLNK(status.st_mode):
                if not self.walking.follow:
                    raise DocumentSkipped("link")
                status = os.stat(name, dir_fd=descriptor)
        except FileNotFoundError:
            raise (DocumentSkipped("unreadable", "dangling link") if is_link else DocumentSkipped("vanished")) from None
        except OSError as error:
            raise DocumentSkipped("unreadable", error.strerror or str(error)) from None
        if stat.S_ISDIR(status.st_mode):
            if name.endswith(ARTIFACT_SUFFIXES):
                raise DocumentSkipped("artifact")
        elif not stat.S_ISREG(status.st_mode):
            raise DocumentSkipped("special")
        return status, 0


SUCCESS = b"_SUCCESS"
"""The name of an empty file that only says that its directory is complete, as Spark and Hadoop write it."""

MARKS = frozenset((b"state.json", b"dataset_dict.json"))
"""Files that only directories of saved data sets have, as a rule."""


def _exists(descriptor: int, name: bytes) -> bool:
    """Whether an open directory has an entry with this name."""
    try:
        os.stat(name, dir_fd=descriptor, follow_symlinks=False)
    except OSError:
        return False
    return True


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


MOST_OPEN = 32
"""Directories that are open at once. Those above them are opened again by name when their turn comes."""


_AT_ONCE = 1 << 10
"""The most files that are yielded at once."""


class _Level:
    """A directory above the current one: its descriptor (-1: closed for now), and what is to visit in it.

    names, facts: those of all its files, of which the first `done` were visited.
    directories: those still to visit, last first.
    """

    __slots__ = ("descriptor", "directories", "done", "facts", "file_id", "names", "path")

    def __init__(
        self,
        path: bytes,
        descriptor: int,
        file_id: FileId,
        names: list[bytes],
        facts: bytes,
        directories: list[_Directory],
    ) -> None:
        self.path, self.descriptor, self.file_id = path, descriptor, file_id
        self.names, self.facts, self.directories = names, facts, directories
        self.done = 0

    @property
    def is_done(self) -> bool:
        return not self.directories and self.done == len(self.names)

    def next_files(self, walked: int) -> Found:
        """The next files before the next directory. They are visited then. walked: see MET."""
        directory, begin, end = _join(self.path, b""), self.done, len(self.names)
        if self.directories:
            end = bisect(self.names, _NAME(self.directories[-1]), begin)
        self.done = min(begin + _AT_ONCE, end)
        facts = self.facts[begin * _FACTS.size : self.done * _FACTS.size]
        return Found([directory + name for name in self.names[begin : self.done]], facts, walked)


def walk(
    root: bytes,
    walking: Walking,
    skipped: Skipped,
    patterns: Patterns | None = None,
    threads: int = 1,
) -> Iterator[Found]:
    """Yield the regular files below the directory root, bytewise by whole path; the objects below a prefix of a store.

    skipped: collects the files and directories that are left out.
    patterns: the patterns of walking, if several walks share them.
    threads: how many look at files, which may lie on slow disks or on other machines.
    Raises OSError only for root itself.
    """
    patterns = patterns or Patterns(walking.include, walking.exclude)
    if is_uri(root):
        from simdocs.corpora.stores.walk import walk_objects

        return walk_objects(root, walking, skipped, patterns)
    return _Walk(root, walking, skipped, patterns, threads).files()


class _Walk:
    """One walk: its stack of directories and the ids of those it has seen."""

    def __init__(self, root: bytes, walking: Walking, skipped: Skipped, patterns: Patterns, threads: int) -> None:
        self.root, self.walking, self.skipped = root, walking, skipped
        self.lister = Lister(walking, patterns, skipped, len(_join(root, b"")), threads)
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
                while (found := level.next_files(self.walked)).names:
                    yield found
                if level.is_done:
                    self._pop()
                    continue
                name, facts = level.directories.pop()
                if not self.walking.one_file_system or id_of(facts)[0] == device:
                    self._descend(level, name[:-1], _join(level.path, name[:-1]))
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
            names, facts, directories = self.lister.entries(_join(path, b""), descriptor)
            try:
                names, facts = self._of_dataset(path, descriptor, names, facts)
            except DocumentSkipped as left:
                self.skipped.add(Skip(left.reason, path, left.detail))
                names, facts, directories = [], b"", []
            level = _Level(path, descriptor, identity, names, facts, directories)
            self.stack.append(level)
            if level.directories:
                self._keep_open(level)  # to open the directories below
                descriptor = -1
            else:
                level.descriptor = -1
        finally:
            if descriptor >= 0:
                os.close(descriptor)

    def _of_dataset(self, path: bytes, descriptor: int, names: list[bytes], facts: bytes) -> tuple[list[bytes], bytes]:
        """The files to read of an open directory, as `entries` returns them: of a saved data set, those with its rows.

        names, facts: all of them.
        """
        if MARKS.isdisjoint(names) and not (self.lister.patterns and any(_exists(descriptor, name) for name in MARKS)):
            return names, facts
        from simdocs.corpora.saved_dataset import OpenDirectory, saved_dataset

        dataset = saved_dataset(OpenDirectory(descriptor))
        if dataset is None:
            return names, facts
        directory = _join(path, b"")
        for name in sorted(dataset.listed):
            if not _exists(descriptor, name):
                self.skipped.add(Skip("unreadable", directory + name, "the data set lists it, but it is missing"))
        taken = list[bytes](), list[bytes]()
        for name, its_facts in Found(names, facts).files():
            if dataset.leaves_out(name):
                self.skipped.add(Skip("described", directory + name))
            else:
                taken[0].append(name)
                taken[1].append(its_facts)
        return taken[0], b"".join(taken[1])

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
