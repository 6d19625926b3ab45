"""Files and documents are recognised: the same file, an unchanged file, the same text."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from simdocs.matching.lookup import in_same_place, same_documents
from simdocs.model.documents import FACTS
from simdocs.reading.identity import Stamp, row_digests
from tests import strategies as some


class _Documents:
    """Files below root as they are recorded now, with the digests of their texts."""

    def __init__(self, root: Path, *names: str) -> None:
        self.root, self._names = os.fsencode(root), [os.fsencode(name) for name in names]
        self._facts = np.zeros(len(names), FACTS)
        for row, name in enumerate(names):
            stamp = Stamp.of((root / name).stat())
            self._facts[row]["mtime_ns"], self._facts[row]["ctime_ns"] = stamp.mtime_ns, stamp.ctime_ns
            self._facts[row]["inode"], self._facts[row]["file_size"] = stamp.inode, stamp.size
            self._facts[row]["size"] = stamp.size
            self._facts[row]["digest"] = row_digests(ragged((root / name).read_bytes()))[0]

    def __len__(self) -> int:
        return len(self._names)

    def facts(self, rows: NDArray[np.int64]) -> NDArray[np.void]:
        return self._facts[rows]

    def all_facts(self) -> NDArray[np.void]:
        return self._facts

    def names(self, rows: NDArray[np.int64]) -> list[bytes]:
        return [self._names[row] for row in rows.tolist()]


Documents: Any = _Documents
"""These stand for a Corpus."""


def ragged(*texts: bytes) -> some.Ragged:
    values = np.frombuffer(b"".join(texts), np.uint8)
    return some.Ragged.from_lengths(values, np.array([len(text) for text in texts], np.int64))


def all_rows(documents: Any) -> NDArray[np.int64]:
    return np.arange(len(documents))


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    for name in "abc":
        (tmp_path / name).write_bytes(b"text of " + name.encode())
    return tmp_path


def test_documents_are_the_same_by_stamp_or_by_place(docs: Path) -> None:
    old = Documents(docs, "a", "b", "c")
    (docs / "b").write_bytes(b"edited in place, so found where it was")
    (docs / "c").rename(docs / "old")
    (docs / "c").write_bytes(b"another file of that name")
    now = Documents(docs, "a", "b", "c", "old")
    left = np.repeat(np.arange(3), 4)
    same = same_documents(old, left, now, np.tile(np.arange(4), 3)).reshape(3, 4)
    # A rename changes ctime, so the old file of that name is known by its place alone, where another stands now.
    assert same.tolist() == [[True, False, False, False], [False, True, False, False], [False, False, True, False]]


def test_lines_of_one_file_are_told_apart_by_their_numbers_and_names(docs: Path) -> None:
    lines = Documents(docs, "a", "a")
    lines._names = [b"a#1", b"a#2"]
    facts = lines.all_facts()
    facts["container"], facts["start"], facts["line"] = 1, [0, 10], [1, 2]
    pairs = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    assert same_documents(lines, pairs[0], lines, pairs[1]).tolist() == [True, False, False, True]


def test_documents_are_in_the_same_place_if_their_names_lead_to_one_file(docs: Path) -> None:
    old = Documents(docs, "a", "b", "c")
    (docs / "b").unlink()
    (docs / "link").symlink_to("c")
    new = Documents(docs, "a", "link")
    assert in_same_place(old, all_rows(old), new, np.array([1])).tolist() == [False, False, True]
    assert in_same_place(old, all_rows(old), new, all_rows(new)).tolist() == [True, False, True]
