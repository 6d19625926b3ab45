"""Find the files that arguments name: walk directories by patterns, read lists, take each file once."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Callable, Collection, Iterator, Sequence
from fnmatch import translate
from itertools import groupby, islice
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from simdocs.errors import InputError
from simdocs.model.skipped import DocumentSkipped, Skip, Skipped
from simdocs.names import DRAFT_PREFIX, SUCCESS, display_name, is_manifest, is_uri
from simdocs.options.recipes import Walking
from simdocs.reading.file_list import FileList, Found, Reached
from simdocs.reading.files import MOST, FileId, each_ahead, file_id, is_directory, read_stream, status_of
from simdocs.reading.name_lists import (
    MARKS,
    first_bytes,
    is_list_of_names,
    list_of,
    of_entry,
    saved_dataset,
)

if TYPE_CHECKING:
    from simdocs.reading.stores import StoredEntry


ARTIFACT_SUFFIXES = (b".shingles", b".signatures", b".index")


class Sources(NamedTuple):
    """The names of documents and directories, or one list of such names.

    listed: the file of the list, or `-`.
    nul_ended: the names in the list end with NUL instead of a line feed.
    input_format: the container format of every file, and of standard input; empty: their names decide.
    """

    names: tuple[bytes, ...] = ()
    listed: bytes | None = None
    nul_ended: bool = False
    input_format: str = ""


def find(sources: Sources, walking: Walking, skipped: Skipped, many: Callable[[], None] | None = None) -> FileList:
    """Find each file once, in row order: by argument, then bytewise by whole path. A list keeps its order.

    many: is called once if there are many files, as soon as that is known.
    InputError: an argument that does not exist, or is a device or socket; a list that cannot be read.
    """
    reached, inputs = Reached(many), set[FileId]()
    search = _Search(walking, skipped, sources.input_format)
    for name in sources.names:
        reached.add(search.named(name), named=True, container=sources.input_format)
    if sources.listed is not None:
        reached.add(search.listed(sources.listed, sources.nul_ended, inputs), container=sources.input_format)
    found = reached.files(inputs)
    if search.patterns.unmatched:
        skipped.warnings.append(includes_nothing(search.patterns.unmatched))
    return found


_MISSING = (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG)

_Status = Callable[[], os.stat_result]


class _Search:
    """A search for files.

    of_pipes: the container format of standard input and FIFOs; empty: each is one text.
    limit: the most bytes of what can be read only once. Each document of a container has a limit, but all of them
        together have none but memory.
    opened: the FIFOs that were read, each of which can be read only once.
    """

    def __init__(self, walking: Walking, skipped: Skipped, of_pipes: str) -> None:
        self.walking, self.skipped, self.of_pipes = walking, skipped, of_pipes
        self.limit = MOST if of_pipes else walking.max_size
        self.patterns = Patterns(walking)
        self.opened = set[FileId]()

    def named(self, name: bytes) -> Iterator[Found]:
        """Yield the files of an argument. Warn if it is a directory without any."""
        unjudged, files = self.skipped.unjudged, self._expand(name)
        first = next(files, None)
        if first is not None:
            yield first
            yield from files
        elif not self.walking.include and self.skipped.unjudged == unjudged and is_directory(name):
            what = "below this prefix" if is_uri(name) else "in this directory"
            self.skipped.warnings.append(f"{display_name(name)}: no documents were found {what}")

    def listed(self, source: bytes, nul_ended: bool, inputs: set[FileId]) -> Iterator[Found]:
        """Yield the files of all entries of a list, in its order."""
        for number, name, status in _with_statuses(list_of(source, nul_ended, self.skipped, inputs)):
            try:
                yield from self._expand(name, status, listed=True)
            except InputError as error:
                raise of_entry(source, number, name, error) from None

    def _expand(self, name: bytes, status_now: _Status | None = None, *, listed: bool = False) -> Iterator[Found]:
        """Yield the files of an argument or an entry of a list. status_now: returns its status, if it was asked for."""
        if name == b"-":
            for found in self._once(name, 0):
                if not (listed or self.of_pipes) and found.held and is_list_of_names(found.held):
                    self.skipped.warnings.append("-: each line is the name of a file: did you mean --files-from -?")
                yield found
            return
        try:
            status = status_of(name) if status_now is None else status_now()
            if stat.S_ISDIR(status.st_mode):
                yield from _Walk(name, status, self.walking, self.skipped, self.patterns).files()
            elif stat.S_ISREG(status.st_mode):
                yield Found.of(name, status)
            elif not stat.S_ISFIFO(status.st_mode):
                raise InputError(f"{display_name(name)}: this is a device or socket: name a file, directory or FIFO")
            elif file_id(status) in self.opened:
                self.skipped.add(Skip("again", name))
            else:
                self.opened.add(file_id(status))
                descriptor = os.open(name, os.O_RDONLY | os.O_CLOEXEC)
                try:
                    yield from self._once(name, descriptor)
                finally:
                    os.close(descriptor)
        except OSError as error:
            if error.errno in _MISSING:
                raise not_found(name, error, listed=listed) from None
            self.skipped.unlisted.add(name)
            self.skipped.add(Skip("unreadable", name, error.strerror or str(error)))

    def _once(self, name: bytes, descriptor: int) -> Iterator[Found]:
        """Read a document whose bytes cannot be read twice, and yield it."""
        try:
            status = os.fstat(descriptor)
            data = read_stream(descriptor, self.limit)
        except DocumentSkipped as skip:
            self.skipped.add(Skip(skip.reason, name, skip.detail))
        except OSError as error:
            self.skipped.add(Skip("unreadable", name, error.strerror or str(error)))
        else:
            # Standard input may be one of the files. A pipe has an id of its own.
            yield Found(name, len(data), 0, 0, status.st_dev, status.st_ino, held=data)


_ASKED = 1 << 8
"""Entries of a list for whose status stores are asked together."""


def _with_statuses(entries: Iterator[tuple[int, bytes]]) -> Iterator[tuple[int, bytes, _Status | None]]:
    """Yield each entry; that of an object with a function that returns its status. Several are asked for at a time."""
    for are_uris, run in groupby(entries, lambda entry: is_uri(entry[1])):
        if not are_uris:
            yield from ((number, name, None) for number, name in run)
        while some := list(islice(run, _ASKED)):
            names = [name for _, name in some]
            statuses = each_ahead(names, lambda place, names=names: status_of(names[place]))  # type: ignore[misc]
            for (number, name), status in zip(some, statuses, strict=True):
                yield number, name, status


_MANIFEST = b"manifest.json"

_Entry: TypeAlias = "os.DirEntry[bytes] | StoredEntry"

_Listed: TypeAlias = "tuple[list[_Entry], frozenset[bytes] | None]"
"""The entries of a directory that are still to visit, last first, and the names of files that are read; None: all."""


def _entries(directory: bytes) -> Sequence[_Entry]:
    with os.scandir(directory) as listed:
        return list(listed)


class _Walk:
    """One walk, and the ids of the directories that it has seen. A prefix of a store is walked like a directory.

    root, status: the directory and its status. skipped: collects the files and directories that are left out.
    patterns: those of walking.
    """

    def __init__(
        self, root: bytes, status: os.stat_result, walking: Walking, skipped: Skipped, patterns: Patterns
    ) -> None:
        self.root, self.walking, self.skipped, self.patterns = root, walking, skipped, patterns
        self.below = len(os.path.join(root, b""))
        """How many bytes of a path are the root."""
        self.device, self.seen = status.st_dev, {file_id(status)}
        self.entries: Callable[[bytes], Sequence[_Entry]] = _entries
        self.head: Callable[[bytes, int], bytes | None] = first_bytes
        if is_uri(root):
            from simdocs.reading.stores import first_bytes_of_object, tree_below

            if root.rstrip(b"/").endswith(ARTIFACT_SUFFIXES):
                raise InputError(f"{display_name(root)}: artifacts are read from a disk only: copy it there first")
            self.entries, self.head = tree_below(root).__getitem__, first_bytes_of_object

    def files(self) -> Iterator[Found]:
        """Yield the regular files, bytewise by whole path. Raises OSError only for the root itself."""
        stack = list[_Listed]()
        try:
            stack.append(self._listed(self.root))
        except DocumentSkipped as left:
            self._leave_out(self.root, left)
        walked = 0 if self.walking.follow else self.below
        while stack:
            entries, data = stack[-1]
            if not entries:
                stack.pop()
                continue
            entry = entries.pop()
            try:
                status = self._status(entry)
                is_directory = stat.S_ISDIR(status.st_mode)
                if self.patterns.leave_out(entry.path[self.below :], is_directory):
                    continue
                if is_directory:
                    if not self.walking.one_file_system or status.st_dev == self.device or is_uri(self.root):
                        if file_id(status) in self.seen:
                            raise DocumentSkipped("again")
                        self.seen.add(file_id(status))
                        stack.append(self._listed(entry.path))
                    continue
                is_mark = not status.st_size and entry.name == SUCCESS.encode()
                if is_mark or (data is not None and entry.name not in data):
                    raise DocumentSkipped("described")
            except DocumentSkipped as left:
                self._leave_out(entry.path, left)
            except OSError as error:
                self._leave_out(entry.path, DocumentSkipped.of(error))
            else:
                yield Found.of(entry.path, status, 0 if entry.is_symlink() else status.st_nlink, walked)

    def _leave_out(self, path: bytes, left: DocumentSkipped) -> None:
        self.skipped.add(Skip(left.reason, path, left.detail))
        if left.reason == "unreadable":
            self.skipped.unlisted.add(path)

    def _status(self, entry: _Entry) -> os.stat_result:
        """The status of an entry to visit: a regular file or a directory.

        Raises DocumentSkipped: it is something else, or left out. OSError: its status cannot be read.
        """
        name = entry.name
        if name.startswith(b"."):
            if name.startswith(DRAFT_PREFIX.encode()):
                raise DocumentSkipped("artifact")
            if not self.walking.hidden:
                raise DocumentSkipped("hidden")
        if entry.is_symlink() and not self.walking.follow:
            raise DocumentSkipped("link")
        try:
            status = entry.stat()
        except (FileNotFoundError, NotADirectoryError):
            if entry.is_symlink():
                raise DocumentSkipped("unreadable", "dangling link") from None
            raise
        if stat.S_ISDIR(status.st_mode):
            if name.endswith(ARTIFACT_SUFFIXES):
                raise DocumentSkipped("artifact")
        elif not stat.S_ISREG(status.st_mode):
            raise DocumentSkipped("special")
        return status

    def _listed(self, path: bytes) -> _Listed:
        """What to visit in a directory, in the order of whole paths: a slash comes after the name of a directory.

        Raises DocumentSkipped: it is left out. OSError.
        """
        entries = sorted(self.entries(path), key=self._place, reverse=True)
        names = {entry.name for entry in entries}
        manifest = self.head(os.path.join(path, _MANIFEST), 64) if path != self.root and _MANIFEST in names else b""
        if is_manifest(manifest or b""):
            raise DocumentSkipped("artifact")
        if MARKS.isdisjoint(names):
            return entries, None
        data, needed = saved_dataset(lambda name, most: self.head(os.path.join(path, os.fsencode(name)), most), names)
        for name in sorted(needed - names):
            why = "the data set lists it, but it is missing"
            self.skipped.add(Skip("unreadable", os.path.join(path, name), why))
        return entries, data

    def _place(self, entry: _Entry) -> bytes:
        try:
            return entry.name + b"/" if entry.is_dir(follow_symlinks=self.walking.follow) else entry.name
        except OSError:
            return entry.name


_LONG, _SHOWN = 255, 80
"""A missing name of more than 255 bytes is probably a text. A message shows its first 80."""

_URL = re.compile(rb"[A-Za-z][A-Za-z0-9+.-]*://")

_SUFFIX = re.compile(rb"\.[A-Za-z0-9]{1,5}$")


def not_found(name: bytes, error: OSError, *, listed: bool = False) -> InputError:
    """The error that a file is missing, with a remedy if the name is a URL, a pattern, or a text.

    listed: the name is an entry of a list.
    """
    shown = display_name(name if len(name) <= _LONG else name[:_SHOWN] + b"...")
    if is_uri(name):
        return InputError(f"{shown}: {error.strerror or error}")
    if _URL.match(name):
        return InputError(f"{shown}: this is a URL, and simdocs reads files: download it, or give its path")
    (directory, pattern), hint = os.path.split(name), ""
    if error.errno == errno.ENOENT and {b"*", b"?"} & {pattern[at : at + 1] for at in range(len(pattern))}:
        where = display_name(directory or b".")
        hint = f": to select files by name, read {where} with --include '{display_name(pattern)}'"
    elif b" " in name.strip() and not directory and not _SUFFIX.search(name) and not listed:
        hint = ": if this is a text and not the name of a file, give - for standard input"
    return InputError(f"{shown}: {error.strerror or error}{hint}")


_Match = Callable[[str], object]


class Patterns:
    """Decides which files walks take: those that match include, if any pattern is given, and do not match exclude."""

    def __init__(self, walking: Walking) -> None:
        self._include = either(walking.include) if walking.include else None
        exclude = [pattern.rstrip("/") or "/" for pattern in walking.exclude]
        self._exclude = either(exclude) if exclude else None
        self.unmatched = {given: either([given]) for given in walking.include}
        """The patterns of include that have matched no file of a walk."""

    def leave_out(self, relative: bytes, is_directory: bool) -> bool:
        """Whether to leave out the file or directory at this path, which is relative to the root of the walk."""
        if self._include is None and self._exclude is None:
            return False
        path = relative.decode("utf-8", "surrogateescape")
        if self._exclude is not None and self._exclude(path):
            return True
        if self._include is None or is_directory:
            return False
        if self.unmatched:
            self.unmatched = {pattern: match for pattern, match in self.unmatched.items() if not match(path)}
        return not self._include(path)


def either(patterns: Sequence[str]) -> _Match:
    """A function that matches what any of the patterns matches.

    A pattern with a slash is compared with the whole path, any other one with the last component.
    """
    whole = _compiled([pattern.removeprefix("/") for pattern in patterns if "/" in pattern])
    last = _compiled([pattern for pattern in patterns if "/" not in pattern])
    return lambda path: whole(path) or last(path.rpartition("/")[2])


def _compiled(patterns: Sequence[str]) -> _Match:
    if not patterns:
        return lambda _: None
    return re.compile("|".join(f"(?:{translate(pattern)})" for pattern in patterns)).match


_BELOW = "a pattern with a slash is compared with the path below the directory"


def includes_nothing(patterns: Collection[str]) -> str:
    """The warning that no file matches these patterns of `include`, with what is most likely wrong with them."""
    shown = " or ".join(repr(pattern) for pattern in patterns)
    hint = ""
    if paths := [pattern for pattern in patterns if os.path.isfile(pattern)]:
        ending = os.path.splitext(paths[0])[1]
        hint = f": this is a file; the shell may have expanded a pattern: quote it, as in {'*' + ending!r}"
    elif any("/" in pattern for pattern in patterns):
        hint = f": {_BELOW}"
    elif endings := [pattern for pattern in patterns if not set("*?[") & set(pattern)]:
        hint = f": to match the end of a name, write {'*.' + endings[0].lstrip('.')!r}"
    return f"no file matches --include {shown}{hint}"
