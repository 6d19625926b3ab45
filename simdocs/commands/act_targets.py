"""To which duplicates something is done, and where each of them goes."""

from __future__ import annotations

import contextlib
import glob
import os
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from simdocs.artifacts.recognise import is_artifact
from simdocs.commands.found_again import PairAgain
from simdocs.corpora.patterns import either
from simdocs.corpora.stamp import FileId, file_id
from simdocs.errors import OutputError, UsageError, mention
from simdocs.model.names import display_name
from simdocs.model.saved_answer import SavedAnswer, SavedDocument, SavedPair
from simdocs.requests.acting import ActRequest
from simdocs.storage import syscalls
from simdocs.storage.step import NotDoneError, Victim
from simdocs.storage.syscalls import as_output_error
from simdocs.storage.targets import open_parent
from simdocs.storage.trash import ENDING, FILES, INFO, trash_for

_LONGEST = 255
"""Bytes of the longest name in a directory."""


class Selection:
    """The duplicates that were chosen: those that match `only`, if any pattern is given, and that are not protected."""

    def __init__(self, saved: SavedAnswer, only: Sequence[str], protect: Sequence[str]) -> None:
        self._saved = saved
        self._only, self._protect = (
            either([pattern.rstrip("/") or "/" for pattern in patterns]) if patterns else None
            for patterns in (only, protect)
        )
        self._protected = set(_files_of(protect, saved.root))
        self._above: dict[FileId, frozenset[FileId]] = {}

    def pairs(self) -> Iterator[SavedPair]:
        """Yield the pairs whose duplicates were chosen."""
        for pair in self._saved.pairs():
            if self._is_chosen(pair.duplicate):
                yield pair

    def _is_chosen(self, document: SavedDocument) -> bool:
        below = document.file[self._saved.roots[document.root].named :]
        ways = [name.decode("utf-8", "surrogateescape").lstrip("/") for name in (document.file, below)]
        paths = [each for way in ways for each in _parts(way)]
        if self._only is not None and not any(map(self._only, paths)):
            return False
        return self._protect is None or not any(map(self._protect, paths))

    def refuse_protected(self, file: Victim) -> None:
        """Raise NotDoneError if a file is, or lies in, something protected that has another name there."""
        if not self._protected:
            return
        above = self._directories(file.dir_fd) | {file_id(file.status)}
        if above & self._protected:
            raise NotDoneError(f"it is protected by {mention('protect')}")

    def _directories(self, dir_fd: int) -> frozenset[FileId]:
        """The directory that is open, and all above it."""
        first = file_id(os.fstat(dir_fd))
        if first not in self._above:
            found, at = [first], os.dup(dir_fd)
            try:
                while True:
                    above = syscalls.open_directory("..", at)
                    os.close(at)
                    at = above
                    if (here := file_id(os.fstat(at))) == found[-1]:
                        break
                    found.append(here)
            except OSError as error:
                raise NotDoneError(f"the directories above it cannot be looked at: {error.strerror}") from None
            finally:
                os.close(at)
            self._above[first] = frozenset(found)
        return self._above[first]


def _parts(path: str) -> Iterator[str]:
    """Yield a path, and that of each directory above it."""
    while path:
        yield path
        path = path.rpartition("/")[0]


def _files_of(patterns: Sequence[str], root: bytes) -> Iterator[FileId]:
    """Yield the ids of files and directories that patterns name as paths, so that they are known by any other name."""
    for pattern in patterns:
        for path in glob.iglob(
            os.path.join(os.fsdecode(root), os.fsdecode(pattern.encode("utf-8", "surrogateescape")))
        ):
            with contextlib.suppress(OSError):
                yield file_id(os.stat(path))


class Destination(NamedTuple):
    """Where a file goes: a directory, and the path below it; the name of what describes it in a trash; the directories
    below the first one that must be made. Everything is empty if it goes nowhere."""

    root: bytes = b""
    path: bytes = b""
    info: bytes = b""
    made: tuple[bytes, ...] = ()


class Targets:
    """Finds the places to which files go; they go nowhere by default."""

    def __init__(self, name: str) -> None:
        self._name = name

    def action(self, pair: PairAgain) -> str:
        """The action that is right for a duplicate. NotDoneError: none is."""
        if pair.duplicate.status.st_dev != pair.kept.status.st_dev:
            raise NotDoneError("its kept document is on another file system")
        if pair.duplicate.status.st_nlink > 1:
            raise NotDoneError("it has other names (hard links), so nothing would be gained")
        return self._name

    def target(self, place: bytes, status: os.stat_result) -> Destination:  # noqa: ARG002
        """The place to which a file goes. NotDoneError: there is none."""
        return Destination()

    def clear(self) -> None:
        """Remove what was made and is not needed."""


class _Moves(Targets):
    """Files go to a directory, in which they keep their paths."""

    def __init__(self, request: ActRequest, saved: SavedAnswer, *, make: bool) -> None:
        super().__init__(request.action)
        assert request.acting.move is not None
        self._copies, self._base = request.acting.copy, saved.root
        self._taken = set[bytes]()
        self._root = os.path.realpath(request.acting.move)
        _refuse_inside(self._root, request.acting.move, saved)
        self._is_new = not os.path.isdir(self._root)
        self._device = self._prepared(request.acting.move, make=make)

    def _prepared(self, given: bytes, *, make: bool) -> int:
        """Make the directory if it does not exist, and return its device, or that of the one in which it will be."""
        name = display_name(given)
        above, base = os.path.split(self._root)
        if is_artifact(os.fsdecode(self._root)):
            raise OutputError(f"{name}: this is an artifact: choose another directory")
        parent = open_parent(os.fsdecode(above), name, is_artifact)
        try:
            with as_output_error(name):
                there = syscalls.status(os.fsdecode(base), parent) if base else os.fstat(parent)
                if there is None and make:
                    syscalls.create_directory(os.fsdecode(base), parent)
                    syscalls.sync(parent)
            if there is not None and not os.path.isdir(self._root):
                raise UsageError(f"{name}: this is not a directory: name one, or a new one")
            return (os.fstat(parent) if there is None else there).st_dev
        finally:
            syscalls.release(parent)

    def action(self, pair: PairAgain) -> str:
        """A move, or a copy to another file system if that was asked for."""
        if pair.duplicate.status.st_dev == self._device:
            return self._name
        if self._copies:
            return "copy"
        where = display_name(self._root)
        raise NotDoneError(f"{where} is on another file system: add {mention('copy')} to copy it there and remove it")

    def target(self, place: bytes, status: os.stat_result) -> Destination:  # noqa: ARG002
        """The path of the file below the directory of the answer, or from the root; with a number if it is taken."""
        place = os.path.normpath(place)
        base = self._base.rstrip(b"/") + b"/"
        below = place.removeprefix(base) if place.startswith(base) else place.lstrip(b"/")
        directory, name = os.path.split(below)
        path = _unique(name, lambda name: not self._is_free(os.path.join(directory, name)))
        path = os.path.join(directory, path)
        self._taken.add(path)
        made = list[bytes]()
        above = directory
        while above and not os.path.lexists(os.path.join(self._root, above)):
            made.append(above)
            above = os.path.dirname(above)
        return Destination(self._root, path, b"", tuple(reversed(made)))

    def _is_free(self, path: bytes) -> bool:
        return path not in self._taken and not os.path.lexists(os.path.join(self._root, path))

    def clear(self) -> None:
        """Remove the directory if it was made, and nothing was moved to it."""
        if self._is_new:
            above, base = map(os.fsdecode, os.path.split(self._root))
            with contextlib.suppress(OSError):
                parent = syscalls.open_directory(above)
                try:
                    syscalls.remove_directory(base, parent)
                finally:
                    syscalls.release(parent)


def _refuse_inside(root: bytes, given: bytes, saved: SavedAnswer) -> None:
    """Raise UsageError if files would be moved to where the next run would find them again."""
    for argument in saved.arguments:
        directory = os.path.realpath(os.path.join(saved.root, argument.name))
        if argument.name and os.path.isdir(directory) and (root + b"/").startswith(directory.rstrip(b"/") + b"/"):
            inside = f"this is inside {display_name(argument.name)}, where the next run would find the files again"
            raise UsageError(f"{display_name(given)}: {inside}: choose another directory")


def _unique(name: bytes, is_taken: Callable[[bytes], bool]) -> bytes:
    """The name, or the first that is free of those with a number after it."""
    number, found = 1, name
    while is_taken(found):
        number += 1
        more = b".%d" % number
        found = name[: _LONGEST - len(ENDING) - len(more)] + more
    return found


class _Trash(Targets):
    """Files go into the trash of their file system."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._taken = set[bytes]()

    def action(self, pair: PairAgain) -> str:  # noqa: ARG002
        """The action."""
        return self._name

    def target(self, place: bytes, status: os.stat_result) -> Destination:
        """The place in a trash that no other file has."""
        trash = os.fsencode(trash_for(place, status.st_dev))
        name = os.path.basename(place)[: _LONGEST - len(ENDING)]
        found = _unique(name, lambda name: self._is_taken(trash, name))
        self._taken.add(os.path.join(trash, found))
        return Destination(os.path.join(trash, FILES.encode()), found, found + ENDING.encode())

    def _is_taken(self, trash: bytes, name: bytes) -> bool:
        there = (os.path.join(trash, FILES.encode(), name), os.path.join(trash, INFO.encode(), name + ENDING.encode()))
        return os.path.join(trash, name) in self._taken or any(map(os.path.lexists, there))


def targets_of(request: ActRequest, saved: SavedAnswer, *, make: bool) -> Targets:
    """Where the files of a request go. make: make the directory to which they are moved.

    UsageError: it is inside a directory that was read, or no directory. OutputError: it cannot be made.
    """
    if request.acting.move is not None:
        return _Moves(request, saved, make=make)
    return _Trash(request.action) if request.acting.trash else Targets(request.action)
