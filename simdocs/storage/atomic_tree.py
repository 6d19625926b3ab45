"""Publish a directory of files, and of directories of files, in one step: see `atomic_directory`.

A list of its files is in it, with their sizes and times. By this list a later run knows which directory it may replace:
one that holds nothing else, and whose files are as they were written. A list and not a pattern, because other people's
files have the same suffixes. The list is the first file that is written. The sizes and times come last.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from simdocs.names import display_name, is_uri
from simdocs.storage import syscalls
from simdocs.storage.atomic_directory import DraftDirectory, atomic_directory, check_directory
from simdocs.storage.atomic_file import OutputStream
from simdocs.storage.syscalls import as_output_error
from simdocs.storage.targets import Replaceable, directories_of, directory_below, paths_below

if TYPE_CHECKING:
    from simdocs.storage.stored_output import StoredTree


LIST = ".simdocs-files.json"
"""The file that lists the others. Its name is hidden, so that programs that read all files of a directory skip it."""

_NEW = f"{LIST}.new"
"""The list with sizes and times, until it takes the place of the first one."""

_FORMAT, _VERSION = "simdocs-files", 2
"""In version 1, no list has sizes and times."""

_MOST_BYTES = 1 << 30
"""The largest list that is read."""


def listed(descriptor: int) -> dict[str, list[int]]:
    """The relative paths of the files that the list in a directory has, each with its size and the time when it was
    written if the list has them; none if there is no list. OSError.
    """
    try:
        with os.fdopen(syscalls.open_found(LIST, descriptor), "rb") as content:
            facts = json.loads(content.read(_MOST_BYTES))
        if facts["format"] != _FORMAT or facts["version"] not in (1, _VERSION):
            return {}
        files = facts["files"]
        below = (path for path in files if "\0" not in path and not {"", ".", ".."} & set(path.split("/")))
        return {path: files[path] if isinstance(files, dict) else [] for path in below}
    except (FileNotFoundError, ValueError, KeyError, TypeError, RecursionError):
        return {}


def _altered(descriptor: int) -> str | None:
    """What was done to a directory since it was written, and what to do; None: nothing, or it has no list."""
    files = listed(descriptor)
    for path in paths_below(descriptor) if files else ():
        shown = display_name(os.fsencode(path))
        if path not in files and path != LIST:
            what = f"has files that simdocs did not write, such as {shown}"
            return f"{what}, so it is not replaced: choose another name, or move them away"
        if files.get(path) and files[path] != _stamp(os.stat(path, dir_fd=descriptor, follow_symlinks=False)):
            what = f"{shown} in it was edited since simdocs wrote it"
            return f"{what}, so the directory is not replaced: choose another name, or move that file away"
    return None


def _stamp(status: os.stat_result) -> list[int]:
    return [status.st_size, status.st_mtime_ns]


OUR_FILES = Replaceable(
    "a directory that simdocs wrote and nobody added to, or an empty one",
    frozenset([LIST, _NEW]),
    lambda descriptor, _names: bool(listed(descriptor)) and _altered(descriptor) is None,
    lambda descriptor: frozenset(listed(descriptor)),
    _altered,
    may_be_empty=True,
)
"""Directories that hold a list of files, and nothing but these files, as they were written. An empty directory is taken
as well.
"""


class DraftTree:
    """A directory to fill with these files, one after the other."""

    def __init__(self, draft: DraftDirectory, files: Sequence[str]) -> None:
        self._draft, self._files, self._made = draft, files, dict[str, list[int]]()
        self._list(LIST, {path: [] for path in files})

    def _list(self, name: str, files: Mapping[str, list[int]]) -> None:
        facts = {"format": _FORMAT, "version": _VERSION, "files": dict(sorted(files.items()))}
        with self.file(name) as stream:
            stream.write(json.dumps(facts).encode() + b"\n")

    @contextlib.contextmanager
    def file(self, path: str) -> Iterator[OutputStream]:
        """Open a stream to a file of the list, which is on the disk when the stream is left. OutputError."""
        directory, base = os.path.split(path)
        name = display_name(os.fsencode(os.path.join(self._draft.name, path)))
        with as_output_error(name), directory_below(self._draft.dir_fd, directory, create=True) as at:
            descriptor = syscalls.create(base, at)
        with syscalls.written(descriptor, as_output_error(name)):
            stream = OutputStream(descriptor, name)
            yield stream
            stream.flush()
            with as_output_error(name):
                syscalls.set_mode(descriptor, None, 0o666)
                syscalls.sync(descriptor)
                self._made[path] = _stamp(os.fstat(descriptor))

    def prepare(self) -> None:
        """Make everything ready to be published, so that nothing but publishing it can fail any more."""
        made = {path: stamp for path, stamp in self._made.items() if path != LIST}
        self._list(_NEW, made)
        with as_output_error(self._draft.name):
            syscalls.rename(_NEW, LIST, self._draft.dir_fd)
            for directory in directories_of(self._files):
                # A file that could not be read was not written.
                with contextlib.suppress(FileNotFoundError), directory_below(self._draft.dir_fd, directory) as at:
                    syscalls.set_mode(at, None, 0o777)
                    syscalls.sync(at)


@contextlib.contextmanager
def atomic_tree(path: str, files: Sequence[str]) -> Iterator[DraftTree | StoredTree]:
    """Open a draft that becomes the directory `path` at the end. After an exception, the old directory is still there.

    files: the relative paths of the files that it will hold. A directory that holds a list of files, and nothing but
    these as they were written, is replaced. For the errors, see `atomic_directory`; of a store,
    `stored_tree`.
    """
    if is_uri(os.fsencode(path)):
        from simdocs.storage.stored_output import stored_tree

        with stored_tree(path) as tree:
            yield tree
        return
    with atomic_directory(path, OUR_FILES) as draft:
        yield DraftTree(draft, files)


def check_tree(path: str) -> None:
    """Raise the UsageError or OutputError that `atomic_tree` raises about this path before it writes anything."""
    if is_uri(os.fsencode(path)):
        from simdocs.storage.stored_output import check_prefix

        check_prefix(path)
        return
    check_directory(path, OUR_FILES)
