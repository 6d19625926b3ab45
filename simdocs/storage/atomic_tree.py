"""Publish a directory of files, and of directories of files, in one step: see `atomic_directory`.

A list of its files is in it. By this list a later run knows which directory it may replace: one that holds nothing
else. A list and not a pattern, because other people's files have the same suffixes. If the names of the files are known
before, the list is the first file that is written. The parts of an answer are not; their list comes last, and a draft
without it holds nothing but parts.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from simdocs.model.names import display_name
from simdocs.parameters.values import is_uri
from simdocs.storage import syscalls
from simdocs.storage.atomic_directory import DraftDirectory, atomic_directory, check_directory
from simdocs.storage.output_stream import OutputStream
from simdocs.storage.syscalls import as_output_error
from simdocs.storage.targets import IsArtifact, Replaceable
from simdocs.storage.tree import directories_of, directory_below, paths_below

if TYPE_CHECKING:
    from simdocs.storage.stored_output import StoredTree

LIST = ".simdocs-files.json"
"""The file that lists the others. Its name is hidden, so that programs that read all files of a directory skip it."""

_PART = re.compile(r"part-\d{5,}(\.[a-z]+)?|_SUCCESS")
"""The names of the parts of an answer, and of the file that says that all are there."""

_FORMAT, _VERSION = "simdocs-files", 1

_MOST_BYTES = 1 << 30
"""The largest list that is read."""


def listed(descriptor: int) -> frozenset[str]:
    """The relative paths of the files that the list in a directory has; none if there is no list. OSError."""
    try:
        with os.fdopen(syscalls.open_found(LIST, descriptor), "rb") as content:
            facts = json.loads(content.read(_MOST_BYTES))
        if facts["format"] != _FORMAT or facts["version"] != _VERSION:
            return frozenset()
        return frozenset(filter(_is_below, facts["files"]))
    except (FileNotFoundError, ValueError, KeyError, TypeError, RecursionError):
        return frozenset()


def _is_below(path: str) -> bool:
    """Whether a path leads to something below a directory, whatever is in it."""
    return all(name not in ("", ".", "..") and "\0" not in name for name in path.split("/"))


def _listed_or_parts(descriptor: int) -> frozenset[str]:
    """The files that a draft may hold: those of its list, or parts."""
    names = listed(descriptor)
    return names or frozenset(name for name in syscalls.names_in(descriptor) if _PART.fullmatch(name))


def _holds_nothing_else(descriptor: int, _names: frozenset[str]) -> bool:
    return bool(listed(descriptor)) and _added(descriptor) is None


def _added(descriptor: int) -> str | None:
    """The first path below a directory with a list that the list does not have; None: there is none, or no list."""
    files = listed(descriptor)
    return next((path for path in paths_below(descriptor) if files and path not in files and path != LIST), None)


OUR_FILES = Replaceable(
    "a directory that simdocs wrote and nobody added to, or an empty one",
    frozenset([LIST]),
    _holds_nothing_else,
    _listed_or_parts,
    _added,
    may_be_empty=True,
)
"""Directories that hold a list of files, and nothing but these files. An empty directory is taken as well."""


class DraftTree:
    """A directory to fill with these files, one after the other. files: None: any parts, and `_SUCCESS` after them."""

    def __init__(self, draft: DraftDirectory, files: Sequence[str] | None) -> None:
        self._draft, self._files, self._made = draft, files, list[str]()
        if files is not None:
            self._list(files)

    def _list(self, files: Sequence[str]) -> None:
        facts = {"format": _FORMAT, "version": _VERSION, "files": sorted(files)}
        with self.file(LIST) as stream:
            stream.write(json.dumps(facts, indent=1).encode() + b"\n")

    @contextlib.contextmanager
    def file(self, path: str) -> Iterator[OutputStream]:
        """Open a stream to a file of the list, which is on the disk when the stream is left. OutputError."""
        self._made.append(path)
        directory, base = os.path.split(path)
        name = display_name(os.fsencode(os.path.join(self._draft.name, path)))
        with as_output_error(name), directory_below(self._draft.dir_fd, directory, create=True) as at:
            descriptor = syscalls.create(base, at)
        try:
            stream = OutputStream(descriptor, name)
            yield stream
            stream.flush()
            with as_output_error(name):
                syscalls.set_mode(descriptor, None, 0o666)
                syscalls.sync(descriptor)
                closing, descriptor = descriptor, -1
                syscalls.close(closing)
        finally:
            syscalls.release(descriptor)

    def prepare(self) -> None:
        """Make everything ready to be published, so that nothing but publishing it can fail any more."""
        if self._files is None:
            with self.file("_SUCCESS"):
                pass
            self._files = tuple(self._made)
            self._list(self._files)
        with as_output_error(self._draft.name):
            for directory in directories_of(self._files):
                # A file that could not be read was not written.
                with contextlib.suppress(FileNotFoundError), directory_below(self._draft.dir_fd, directory) as at:
                    syscalls.set_mode(at, None, 0o777)
                    syscalls.sync(at)


@contextlib.contextmanager
def atomic_tree(path: str, files: Sequence[str] | None, is_artifact: IsArtifact) -> Iterator[DraftTree | StoredTree]:
    """Open a draft that becomes the directory `path` at the end. After an exception, the old directory is still there.

    files: the relative paths of the files that it will hold; None: parts of an answer. A directory that holds a list of
    files, and nothing but these, is replaced. For the errors, see `atomic_directory`; of a store, `stored_tree`.
    """
    if is_uri(os.fsencode(path)):
        from simdocs.storage.stored_output import stored_tree

        with stored_tree(path) as tree:
            yield tree
        return
    with atomic_directory(path, OUR_FILES, is_artifact) as draft:
        yield DraftTree(draft, files)


def check_tree(path: str, is_artifact: IsArtifact) -> None:
    """Raise the UsageError or OutputError that `atomic_tree` raises about this path before it writes anything."""
    if is_uri(os.fsencode(path)):
        from simdocs.storage.stored_output import check_prefix

        check_prefix(path)
        return
    check_directory(path, OUR_FILES, is_artifact)
