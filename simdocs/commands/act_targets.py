"""To which duplicates something is done, and where each of them goes."""

from __future__ import annotations

import contextlib
import glob
import os
from collections.abc import Iterator, Sequence

from simdocs.artifacts.recognise import is_artifact
from simdocs.corpora.identity import FileId, file_id
from simdocs.corpora.patterns import either
from simdocs.errors import OutputError, UsageError
from simdocs.model.saved_answer import SavedAnswer, SavedDocument, SavedPair
from simdocs.names import display_name
from simdocs.storage import syscalls
from simdocs.storage.step import NotDoneError, Victim
from simdocs.storage.targets import open_parent

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
        return (pair for pair in self._saved.pairs() if self._is_chosen(pair.duplicate))

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
            raise NotDoneError("it is protected by --protect")

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


class Destinations:
    """Finds the places of files in a directory, in which they keep their paths."""

    def __init__(self, given: bytes, saved: SavedAnswer) -> None:
        """UsageError: it is inside a directory that was read, or no directory. OutputError: it cannot be made."""
        self._base, self._taken, self._made = saved.root.rstrip(b"/") + b"/", set[bytes](), set[bytes]()
        root, name = os.path.realpath(given), display_name(given)
        _refuse_inside(root, given, saved)
        # The directory itself is made like those below it, when the first file goes there: then undo removes it, too.
        self._above, self._inside = os.path.split(root)
        if is_artifact(os.fsdecode(root)):
            raise OutputError(f"{name}: this is an artifact: choose another directory")
        syscalls.release(open_parent(os.fsdecode(self._above), name, is_artifact))
        if os.path.lexists(root) and not os.path.isdir(root):
            raise UsageError(f"{name}: this is not a directory: name one, or a new one")
        if not os.access(root if os.path.isdir(root) else self._above, os.W_OK):
            raise OutputError(f"{name}: you may not write there: choose another directory")

    def of(self, place: bytes) -> tuple[bytes, bytes, tuple[bytes, ...]]:
        """Where a file goes: a directory, the path below it, and the directories on that path that this run makes.

        The file keeps its path below the directory of the answer, or from the root; with a number if it is taken.
        """
        place = os.path.normpath(place)
        below = place.removeprefix(self._base) if place.startswith(self._base) else place.lstrip(b"/")
        directory, name = os.path.split(os.path.join(self._inside, below))
        path, number = os.path.join(directory, name), 1
        while path in self._taken or self._exists(path):
            number += 1
            more = b".%d" % number
            path = os.path.join(directory, name[: _LONGEST - len(more)] + more)
        self._taken.add(path)
        made = list[bytes]()
        while directory and (directory in self._made or not self._exists(directory)):
            made.append(directory)
            directory = os.path.dirname(directory)
        self._made.update(made)
        return self._above, path, tuple(reversed(made))

    def _exists(self, path: bytes) -> bool:
        return os.path.lexists(os.path.join(self._above, path))


def _refuse_inside(root: bytes, given: bytes, saved: SavedAnswer) -> None:
    """Raise UsageError if files would be moved to where the next run would find them again."""
    again = "where the next run would find them again: choose another directory"
    if root == os.path.realpath(saved.root):
        raise UsageError(f"{display_name(given)}: the files would stay in their directories, {again}")
    for name, _ in saved.arguments:
        directory = os.path.realpath(os.path.join(saved.root, name))
        if name and os.path.isdir(directory) and (root + b"/").startswith(directory.rstrip(b"/") + b"/"):
            raise UsageError(f"{display_name(given)}: the files would stay in {display_name(name)}, {again}")
