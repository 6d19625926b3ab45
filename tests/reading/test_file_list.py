"""What a list of files says about each file, and which argument gave it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simdocs.reading.file_list import STAMP
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


def test_the_stamp_of_a_link_that_is_followed_is_that_of_its_file(tree: Path) -> None:
    found = found_by(tree, follow=True, include=("link",))
    assert found.stamps.tolist() == [status(bytes(tree / "b/d"))]


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
