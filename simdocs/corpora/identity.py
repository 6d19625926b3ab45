"""Recognise documents: the same file, an unchanged file, or the same text. Count the bytes that deleting files frees.

All rules for this are here. Only `pipeline/reload.py` reads a text again to compare it with the recorded digest.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from simdocs.corpora.stamp import FileId, Stamp, are_regular, file_id, status_of, statuses
from simdocs.model.documents import STAMP_FIELDS
from simdocs.model.ragged import Array, Index, Mask, Ragged, Rows
from simdocs.names import is_uri, path_from

Location = tuple[object, object, bytes]
"""The place of a document now: its file, by id or else by path, and the part of its name that names a line."""

_RECORDED = (*STAMP_FIELDS, "size", "start", "extent", "digest")
"""The facts that are an Identity, in the order of its fields."""

_STAMPED = ("inode", "ctime_ns", "mtime_ns", "file_size", "start", "extent")
"""The facts that are equal if two documents are the same line of the same unchanged file."""

_AT_ONCE = 1 << 12
"""Facts that are taken out of an array at once."""


class Identity(NamedTuple):
    """The recorded facts of a document by which it is recognised later.

    file_size, mtime_ns, ctime_ns, inode: the stamp of its file; all 0 if it came from no file.
    size: bytes of its text as read.
    start, extent: its location in its container, if any.
    digest: the digest of its normalised text.
    The device of the file is not recorded, because it changes when a disk is mounted again.
    """

    file_size: int
    mtime_ns: int
    ctime_ns: int
    inode: int
    size: int
    start: int
    extent: int
    digest: tuple[int, int]

    @property
    def from_file(self) -> bool:
        """Whether the document came from a file, so that it can be read again."""
        return bool(self.inode or self.ctime_ns)

    def unchanged(self, stamp: Stamp | None) -> bool:
        """Whether the file with this stamp is the one that was read, and has not changed since."""
        return stamp == (self.file_size, self.mtime_ns, self.ctime_ns, self.inode)

    def unchanged_text(self, stamp: Stamp, size: int) -> bool:
        """Whether a text of this size, read again from a file with this stamp, is certainly the one recorded."""
        return self.unchanged(stamp) and size == self.size


class FilesToDelete:
    """Counts the bytes that deleting some files would free: the sum of their sizes.

    A file with several names (hard links) counts once, and only if all its names are among them. A symbolic link counts
    nothing. Sizes are those that `ls -l` shows: how many blocks they take differs from one file system to another.
    """

    def __init__(self) -> None:
        self._bytes = 0
        self._names_left: dict[FileId, int] = {}

    def add_alone(self, size: int) -> None:
        """Add files that have no other names, with this size in all."""
        self._bytes += size

    def add(self, paths: Sequence[bytes], recorded: Sequence[int]) -> None:
        """Add the files with these paths. recorded: their sizes when they were read; see `_add`."""
        known = statuses(paths)
        simple = (known["links"] == 1) & are_regular(known)
        self._bytes += int(known["size"][simple].sum())
        for place in np.flatnonzero(~simple).tolist():
            self._add(paths[place], recorded[place])

    def _add(self, path: bytes, recorded: int) -> None:
        """Add the file with this path. recorded: its size when it was read, which counts if it has no status now."""
        try:
            status = os.lstat(path)
        except OSError:
            self._bytes += recorded
            return
        left = status.st_nlink - 1
        if left:  # only these are remembered: most files have one name
            left = self._names_left[file_id(status)] = self._names_left.get(file_id(status), status.st_nlink) - 1
        self._bytes += status.st_size if stat.S_ISREG(status.st_mode) and not left else 0

    @property
    def freed(self) -> int:
        """The bytes that deleting the files would free."""
        return self._bytes


def identities(facts: NDArray[np.void]) -> Iterator[Identity]:
    """Yield the identity of each document, from its facts (n,) FACTS."""
    for at in range(0, len(facts), _AT_ONCE):
        part = facts[at : at + _AT_ONCE]
        columns: list[list[Any]] = [part[name].tolist() for name in _RECORDED]
        columns[-1] = list(map(tuple, columns[-1]))
        yield from map(Identity, *columns)


class Recorded(Protocol):
    """Documents by row, with the facts that were recorded when they were read."""

    @property
    def root(self) -> bytes:
        """The directory from which their names are found; empty for the working directory."""

    def __len__(self) -> int: ...

    def facts(self, rows: Rows) -> NDArray[np.void]:
        """Their facts, (n,) FACTS."""

    def all_facts(self) -> NDArray[np.void]:
        """The facts of all documents, (N,) FACTS."""

    def names(self, rows: Rows) -> list[bytes]:
        """Their names."""


def locations(documents: Recorded, rows: Rows) -> list[Location]:
    """The places of these documents now. Nothing is read, so the text there may have changed."""
    names, ends = documents.names(rows), documents.facts(rows)["container"].tolist()
    lines = [name[end:] if end else b"" for name, end in zip(names, ends, strict=True)]
    files = [name[:end] if end else name for name, end in zip(names, ends, strict=True)]
    found = {file: _located(path_from(documents.root, file)) for file in set(files)}
    return [(*found[file], line) for file, line in zip(files, lines, strict=True)]


def _located(path: bytes) -> tuple[object, object]:
    if is_uri(path):
        from simdocs.corpora.stores.store import digest_of

        return digest_of(path)
    try:
        return file_id(status_of(path))
    except OSError:
        return "", os.path.abspath(path)


def same_documents(first: Recorded, left: Rows, second: Recorded, right: Rows) -> Mask:
    """Whether documents left[i] of the first and right[i] of the second are the same file, or the same line of it.

    They are the same if inode and times are equal, or if both are found in the same place now.
    """
    # Facts are large, and the same document occurs in many pairs. So they are read once for each document.
    lefts, a = np.unique(left, return_inverse=True)
    rights, b = np.unique(right, return_inverse=True)
    ours, theirs = first.facts(lefts), second.facts(rights)
    same: Mask = ours["inode"][a] != 0
    from_files: Mask = same & (theirs["inode"][b] != 0)
    for name in _STAMPED:
        same &= ours[name][a] == theirs[name][b]
    numbers: dict[Location, int] = {}
    ours_now = _numbered_locations(first, left[from_files], numbers)
    same[from_files] |= ours_now == _numbered_locations(second, right[from_files], numbers)
    return same


def _numbered_locations(documents: Recorded, rows: Rows, numbers: dict[Location, int]) -> Index:
    """The locations of these documents as numbers. New locations are added to `numbers`."""
    unique, which = np.unique(rows, return_inverse=True)
    found = locations(documents, unique)
    return np.array([numbers.setdefault(location, len(numbers)) for location in found], np.int64)[which]


def first_names(files: NDArray[np.void], runs: Index, path_of: Callable[[int], bytes]) -> Index:
    """For each file the first file of an earlier run that is the same under another name, or else itself: int64 (F,).

    Two files are the same if their inodes, times and sizes are equal, unless both are found now, on different devices.
    A snapshot of a file system is another device, and its files have the same inodes. The files of one run differ.

    files: (F,) FILE. runs: (F,), the run of each file, ascending. path_of: the path of a file.
    """
    first = np.arange(len(files))
    for same in _recorded_alike(files):
        known = list[tuple[int, int | None]]()
        for file in same:
            device = _device(path_of(file), int(files["inode"][file]))
            for other, its_device in known:
                if runs[other] != runs[file] and (None in (device, its_device) or device == its_device):
                    first[file] = other
                    break
            else:
                known.append((file, device))
    return first


def _recorded_alike(files: NDArray[np.void]) -> Iterator[list[int]]:
    """Yield the files of which the same is recorded, if two or more are alike."""
    inodes = files["inode"]
    ordered = np.sort(inodes)
    rows = np.flatnonzero(np.isin(inodes, ordered[1:][ordered[1:] == ordered[:-1]]) & (inodes != 0))
    some = files[rows]
    order = np.lexsort([some[name] for name in STAMP_FIELDS])
    marks = some[list(STAMP_FIELDS)][order]
    alike = np.flatnonzero(marks[1:] == marks[:-1])
    for run in np.split(alike, np.flatnonzero(np.diff(alike) > 1) + 1) if len(alike) else ():
        yield rows[order[run[0] : run[-1] + 2]].tolist()


def _device(path: bytes, inode: int) -> int | None:
    """The device of the file at this path, if it is there and has this inode."""
    try:
        status = status_of(path)
    except OSError:
        return None
    return status.st_dev if status.st_ino == inode else None


def in_same_place(documents: Recorded, rows: Rows, others: Recorded, other_rows: Rows) -> Mask:
    """Which of these documents are found now in the same place as one of the others."""
    here = locations(documents, rows)
    inodes = [location[1] for location in here if isinstance(location[1], int)]
    there = set(locations(others, other_rows[np.isin(others.facts(other_rows)["inode"], inodes)]))
    return np.array([location in there for location in here], bool)


def recognised(new: Recorded, recorded: Recorded) -> Mask:
    """Which new documents are recorded already, with the same text and the same file.

    A file is the same if its inode and times are, or if it is found in the same place now.
    """
    facts, theirs = new.all_facts(), recorded.all_facts()
    known = np.zeros(len(new), bool)
    rows = np.flatnonzero(np.isin(theirs["digest"][:, 0], facts["digest"][:, 0]) & (theirs["inode"] != 0))
    mine = np.flatnonzero(np.isin(facts["digest"][:, 0], theirs["digest"][rows, 0]))
    mine = mine[facts["inode"][mine] != 0]
    stamped = set(_with_digests(theirs[rows][list(_STAMPED)].tolist(), theirs[rows]))
    known[mine] = [mark in stamped for mark in _with_digests(facts[mine][list(_STAMPED)].tolist(), facts[mine])]
    mine = mine[~known[mine]]
    rows = rows[np.isin(theirs["digest"][rows, 0], facts["digest"][mine, 0])]
    there = set(_with_digests(locations(recorded, rows), theirs[rows]))
    known[mine] = [mark in there for mark in _with_digests(locations(new, mine), facts[mine])]
    return known


def _with_digests(marks: list[Any], facts: NDArray[np.void]) -> Iterator[tuple[object, ...]]:
    """Yield each mark with the digest of its document's text."""
    return ((*mark, *digest) for mark, digest in zip(marks, facts["digest"].tolist(), strict=True))


def content_digest(content: bytes) -> bytes:
    """The first 16 bytes of the SHA-256 of the content of a file, or of a chunk of it."""
    return hashlib.sha256(content).digest()[:16]


def row_digests(rows: Ragged) -> Array:
    """The first 16 bytes of the SHA-256 of each row's bytes in memory, as two numbers for each row: (N, 2) uint64."""
    view = np.ascontiguousarray(rows.values).view(np.uint8).data
    ends = (rows.offsets * rows.values.itemsize).tolist()
    digests = b"".join(hashlib.sha256(view[a:b]).digest()[:16] for a, b in pairwise(ends))
    return np.frombuffer(digests, "<u8").reshape(len(rows), 2)


def same_texts(texts: Ragged, facts: NDArray[np.void]) -> Mask:
    """Whether each normalised text, as UTF-8, has the digest in these facts (n,)."""
    same: Mask = (row_digests(texts) == facts["digest"]).all(axis=1)
    return same
