"""What a list of files says about each file, and which argument gave it."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simdocs.model import columns, documents
from simdocs.reading import file_list
from simdocs.reading.file_list import STAMP, FileList
from tests.cli.corpus import lay
from tests.reading.finding import found_by

FILES = {"a": b"1", "b/c": b"22", "b/d": b"333", "e/f/g": b"", "e/f/h": b"55555", "e/i": b"6"}


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tree of files with times of their own, two hard links and a symbolic link."""
    root = lay(tmp_path_factory.mktemp("tree"), FILES)
    for at, name in enumerate(FILES, 1):
        os.utime(root / name, ns=(0, at * 10**18 + at))
    os.link(root / "b/c", root / "e/linked")
    os.link(root / "e/i", root / "b/linked")
    (root / "link").symlink_to("b/d")
    return root


def status(path: bytes) -> tuple[int, int, int]:
    now = os.stat(path)
    return now.st_size, now.st_mtime_ns, now.st_ctime_ns


@pytest.mark.parametrize("follow", [False, True])
def test_stamps_are_the_sizes_and_times_of_walked_and_named_files(tree: Path, follow: bool) -> None:
    names = [bytes(tree / name) for name in ("b/d", "link", ".")]
    found = found_by(*names[:1], *names[1 + (not follow) :], follow=follow)
    assert len(found.names) == len(FILES)
    assert found.stamps.dtype == STAMP
    assert found.stamps.tolist() == list(map(status, found.names))
    assert found.sizes.tolist() == [os.stat(name).st_size for name in found.names]


@pytest.mark.parametrize("fewest, times", [(8, 1), (3, 1), (9, 0)])
def test_that_files_are_many_is_told_once(tree: Path, monkeypatch: pytest.MonkeyPatch, fewest: int, times: int) -> None:
    """Eight names are reached, of which two are hard links."""
    monkeypatch.setattr(file_list, "_MANY", fewest)
    told: list[bool] = []
    assert len(found_by(tree, many=lambda: told.append(True)).names) == len(FILES)
    assert len(told) == times


def test_the_stamp_of_a_link_that_is_followed_is_that_of_its_file(tree: Path) -> None:
    found = found_by(tree, follow=True, include=("link",))
    assert found.stamps.tolist() == [status(bytes(tree / "b/d"))]


def test_stamps_of_listed_files_are_their_sizes_and_times(tree: Path, tmp_path: Path) -> None:
    (tmp_path / "list").write_bytes(b"%b\n%b\n" % (bytes(tree / "e"), bytes(tree / "a")))
    found = found_by(listed=tmp_path / "list")
    assert found.stamps.tolist() == list(map(status, found.names))
    assert found.counts.tolist() == [5]


def test_the_stamp_of_bytes_that_are_held_is_their_length_without_times(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    writer = threading.Thread(target=fifo.write_bytes, args=(b"text",))
    writer.start()
    found = found_by(fifo)
    writer.join(60)
    assert found.stamps.tolist() == [(4, 0, 0)]
    texts = FileList.of([b"a", b"b"], [4, 0], {0: b"text", 1: b""}, texts=True)
    assert texts.stamps.tolist() == [(4, 0, 0), (0, 0, 0)]
    assert texts.counts.tolist() == [1, 1]


@given(names=st.lists(st.sampled_from([".", "a", "b", "e", "e/f", "e/linked", "b/linked"]), max_size=5))
def test_counts_are_the_new_files_of_each_argument(tree: Path, names: list[str]) -> None:
    paths = [bytes(tree / name) for name in names]
    found = found_by(*paths)
    seen, counts = set[int](), list[int]()
    for path in paths:
        alone = found_by(path)
        counts.append(len(set(alone.met["inode"].tolist()) - seen))
        seen |= set(alone.met["inode"].tolist())
    assert found.counts.tolist() == counts
    assert sum(counts) == len(found.names)


ROWS = st.lists(
    st.tuples(
        st.binary(max_size=4),
        st.tuples(*[st.integers(0, 9)] * 3),
        st.tuples(st.integers(-1, 9), *[st.integers(0, 9)] * 3),
        st.sampled_from(["walked", "named", "held", "jsonl"]),
        st.integers(0, 3),
        st.booleans(),
    ),
    max_size=8,
)
"""Files: name, stamp, how it was met, kind, which of four arguments gave it; and whether to take it."""


@given(rows=ROWS, texts=st.booleans())
def test_the_files_that_are_taken_keep_all_that_is_known_about_them(rows: list[tuple[Any, ...]], texts: bool) -> None:
    ordered = sorted(rows, key=lambda row: row[4])
    whole, some = listed(ordered, texts=texts), [row for row in ordered if row[5]]
    taken = whole.take(np.array([at for at, row in enumerate(ordered) if row[5]], np.int64))
    for value, expected in zip(facts(taken), facts(listed(some, texts=texts)), strict=True):
        assert value == expected


def listed(rows: list[tuple[Any, ...]], *, texts: bool) -> FileList:
    names, stamps, met, kinds, arguments, _ = ([row[field] for row in rows] for field in range(6))
    return FileList(
        columns.ByteStrings(columns.joined(names)),
        np.array(stamps, STAMP),
        np.array(met, documents.MET),
        np.bincount(np.array(arguments, np.int64), minlength=4),
        {at: names[at] for at, kind in enumerate(kinds) if kind in ("held", "jsonl")},
        named=frozenset(at for at, kind in enumerate(kinds) if kind != "walked"),
        held_in={at: kind for at, kind in enumerate(kinds) if kind == "jsonl"},
        texts=texts,
        inputs=frozenset({(1, 2)}),
    )


def facts(files: FileList) -> list[object]:
    return [
        list(files.names),
        files.stamps.tolist(),
        files.met.tolist(),
        files.counts.tolist(),
        files.held,
        files.named,
        files.held_in,
        files.texts,
        list(files.other_names),
        files.other_rows.tolist(),
        files.inputs,
    ]


def test_a_list_without_the_files_that_were_reached_again_has_no_other_names(tree: Path) -> None:
    found = found_by(tree, tree / "a")
    assert len(found.other_names) == 3
    taken = found.take(np.arange(len(found.names)))
    assert (list(taken.other_names), taken.other_rows.tolist()) == ([], [])
    assert list(taken.names) == list(found.names)
    assert taken.counts.tolist() == [len(FILES), 0]
