"""Find documents of one collection again in another one: the same file, or the same line of it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simdocs.matching.corpus import Corpus
from simdocs.model.ragged import Index, Mask, Rows
from simdocs.names import is_uri, path_from
from simdocs.reading.identity import file_id, status_of

Location = tuple[object, object, bytes]
"""The place of a document now: its file, by id or else by path, and the part of its name that names a line."""

_STAMPED = ("inode", "ctime_ns", "mtime_ns", "file_size", "line")
"""The facts that are equal if two documents are the same line of the same unchanged file."""


def locations(documents: Corpus, rows: Rows) -> list[Location]:
    """The places of these documents now. Nothing is read, so the text there may have changed."""
    names, ends = documents.names(rows), documents.facts(rows)["container"].tolist()
    lines = [name[end:] if end else b"" for name, end in zip(names, ends, strict=True)]
    files = [name[:end] if end else name for name, end in zip(names, ends, strict=True)]
    found = {file: _located(path_from(documents.root, file)) for file in set(files)}
    return [(*found[file], line) for file, line in zip(files, lines, strict=True)]


def _located(path: bytes) -> tuple[object, object]:
    if is_uri(path):
        from simdocs.reading.stores import digest_of

        return digest_of(path)
    try:
        return file_id(status_of(path))
    except OSError:
        return "", os.path.abspath(path)


def same_documents(first: Corpus, left: Rows, second: Corpus, right: Rows) -> Mask:
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


def _numbered_locations(documents: Corpus, rows: Rows, numbers: dict[Location, int]) -> Index:
    """The locations of these documents as numbers. New locations are added to `numbers`."""
    unique, which = np.unique(rows, return_inverse=True)
    found = locations(documents, unique)
    return np.array([numbers.setdefault(location, len(numbers)) for location in found], np.int64)[which]


def in_same_place(documents: Corpus, rows: Rows, others: Corpus, other_rows: Rows) -> Mask:
    """Which of these documents are found now in the same place as one of the others."""
    here = locations(documents, rows)
    inodes = [location[1] for location in here if isinstance(location[1], int)]
    there = set(locations(others, other_rows[np.isin(others.facts(other_rows)["inode"], inodes)]))
    return np.array([location in there for location in here], bool)


def recognised(new: Corpus, recorded: Corpus) -> Mask:
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
