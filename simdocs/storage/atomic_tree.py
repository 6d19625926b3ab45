"""Publish a directory of files, and of directories of files, in one step: see `atomic_directory`.

A list of its files is in it, with their sizes and times. By this list a later run knows which directory it may replace:
one that holds nothing else, and whose files are as they were written. A list and not a pattern, because other people's
files have the same suffixes. If the names of the files are known before, a list of them is the first file that is
written. The parts of an answer are not; a draft without a list holds nothing but parts. The sizes and times come last.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
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

_PART = re.compile(r"part-\d{5,}(\.[a-z]+)?|_SUCCESS")
"""The names of the parts of an answer, and of the file that says that all are there."""

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


def _listed_or_parts(descriptor: int) -> frozenset[str]:
    """The files that a draft may hold: those of its list, or parts."""
    names = frozenset(listed(descriptor))
    return names or frozenset(name for name in syscalls.names_in(descriptor) if _PART.fullmatch(name))


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
    _listed_or_parts,
    _altered,
    may_be_empty=True,
)
"""Directories that hold a list of files, and nothing but these files, as they were written. An empty directory is taken
as well.
"""


class DraftTree:
    """A directory to fill with these files, one after the other. files: None: any parts, and `_SUCCESS` after them."""

    def __init__(self, draft: DraftDirectory, files: Sequence[str] | None) -> None:
        self._draft, self._files, self._made = draft, files, dict[str, list[int]]()
        if files is not None:
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
        try:
            stream = OutputStream(descriptor, name)
            yield stream
            stream.flush()
            with as_output_error(name):
                syscalls.set_mode(descriptor, None, 0o666)
                syscalls.sync(descriptor)
                self._made[path] = _stamp(os.fstat(descriptor))
                closing, descriptor = descriptor, -1
                syscalls.close(closing)
        finally:
            syscalls.release(descriptor)

    def prepare(self) -> None:
        """Make everything ready to be published, so that nothing but publishing it can fail any more."""
        if self._files is None:
            with self.file("_SUCCESS"):
                pass
        made = {path: stamp for path, stamp in self._made.items() if path != LIST}
        self._list(_NEW, made)
        with as_output_error(self._draft.name):
            syscalls.rename(_NEW, LIST, self._draft.dir_fd)
            for directory in directories_of(self._files or made):
                # A file that could not be read was not written.
                with contextlib.suppress(FileNotFoundError), directory_below(self._draft.dir_fd, directory) as at:
                    syscalls.set_mode(at, None, 0o777)
                    syscalls.sync(at)


@contextlib.contextmanager
def atomic_tree(path: str, files: Sequence[str] | None) -> Iterator[DraftTree | StoredTree]:
    """Open a draft that becomes the directory `path` at the end. After an exception, the old directory is still there.

    files: the relative paths of the files that it will hold; None: parts of an answer. A directory that holds a list of
    files, and nothing but these as they were written, is replaced. For the errors, see `atomic_directory`; of a store,
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


PART_BYTES, PART_ROWS = 128 << 20, 1 << 21
"""The size of a part: as many bytes and the rest of the row, or as many rows of a binary format. Neither depends on how
the rows come, so the parts are always the same."""


class PartedStream(OutputStream):
    """Writes an answer to one part after the other. A part ends with a row, and the next begins if there is more.

    suffix: of the names of the parts, with its dot. end_mark: the byte at the end of each row; empty: `next_part` ends
    the parts. quoted: whether it may also be within a row, between quotation marks, of which there is then an odd
    number before it.
    """

    def __init__(
        self,
        tree: DraftTree | StoredTree,
        opened: contextlib.ExitStack,
        name: str,
        suffix: str,
        end_mark: bytes,
        *,
        quoted: bool,
    ) -> None:
        super().__init__(-1, name)
        self._tree, self._opened, self._suffix, self._end_mark, self._quoted = tree, opened, suffix, end_mark, quoted
        self._number, self._written, self._quotes, self._prepared = 0, 0, 0, False
        self._part = self._begin()

    def _begin(self) -> OutputStream:
        return self._opened.enter_context(self._tree.file(f"part-{self._number:05}{self._suffix}"))

    def write(self, data: bytes) -> None:
        """Write bytes to this part, and to the next ones if it is full."""
        at = 0
        while at < len(data):
            if self._end_mark and self._written >= PART_BYTES and self._ends:
                self.next_part()
            end = self._end_of_part(data, at)
            piece = data[at:end] if at or end < len(data) else data
            self._part.write(piece)
            self._written += len(piece)
            self._quotes += piece.count(b'"') if self._quoted else 0
            self._ends = piece.endswith(self._end_mark) and not self._quotes % 2
            at = end

    _ends = False
    """Whether what was written ends with a row."""

    def _end_of_part(self, data: bytes, at: int) -> int:
        """Where the bytes of this part end, of those from `at` on: after a mark, or at the end of the data."""
        if not self._end_mark or self._written + len(data) - at < PART_BYTES:
            return len(data)
        searched, quotes, end = at, self._quotes, max(at, at + PART_BYTES - self._written - 1)
        while (found := data.find(self._end_mark, end)) >= 0:
            end = found + 1
            quotes += data.count(b'"', searched, end) if self._quoted else 0
            searched = end
            if not quotes % 2:
                return end
        return len(data)

    def next_part(self) -> None:
        """End this part, and begin the next one."""
        self._opened.pop_all().close()
        self._number, self._written, self._quotes = self._number + 1, 0, 0
        self._part = self._begin()

    def flush(self) -> None:
        """Write everything that this part holds."""
        if not self._prepared:
            self._part.flush()

    def prepare(self) -> None:
        """End the last part, so that nothing but publishing can fail any more."""
        if not self._prepared:
            self._opened.pop_all().close()
            self._tree.prepare()
            self._prepared = True


@contextlib.contextmanager
def atomic_parts(path: str, suffix: str, end_mark: bytes, *, quoted: bool) -> Iterator[PartedStream]:
    """Open a stream that becomes parts and `_SUCCESS` in the directory, or below the prefix, `path` at the end.

    For the parameters see `PartedStream`; for what is replaced, and for the errors, `atomic_tree`.
    """
    with atomic_tree(path, None) as tree, contextlib.ExitStack() as opened:
        parts = PartedStream(tree, opened, path, suffix, end_mark, quoted=quoted)
        yield parts
        parts.prepare()
