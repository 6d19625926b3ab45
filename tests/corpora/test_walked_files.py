"""Files are opened below the directory that was walked, through no link, whatever their order and depth."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simdocs.corpora import stamp, walked_files
from simdocs.model.skipped import DocumentSkipped
from tests.corpora.finding import found_by

LEVELS = 9


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tree of nine levels, with two files and a directory beside the way down on each."""
    root = path = tmp_path_factory.mktemp("tree")
    for level in range(LEVELS):
        for name in ("a", "b", "side/c"):
            (path / name).parent.mkdir(exist_ok=True)
            (path / name).write_text(f"{level} {name}")
        path = path / "d"
        path.mkdir()
    return root


def opened() -> int:
    return len(os.listdir("/dev/fd"))


@given(order=st.lists(st.integers(0, 3 * LEVELS - 1), max_size=30), most=st.integers(1, 12))
def test_files_in_any_order_are_those_of_their_names(tree: Path, order: list[int], most: int) -> None:
    names = sorted(os.fsencode(path) for path in tree.rglob("*") if path.is_file())
    root, before = len(os.fsencode(tree)) + 1, opened()
    with pytest.MonkeyPatch.context() as patch, walked_files.Directories() as directories:
        patch.setattr(walked_files, "_MOST_OPEN", most)
        for name in (names[at] for at in order):
            descriptor = directories.open(name, root)
            assert os.read(descriptor, 99) == Path(os.fsdecode(name)).read_bytes()
            os.close(descriptor)
            assert opened() <= before + most
    assert opened() == before


def test_a_directory_that_cannot_be_entered_spoils_no_other(tree: Path) -> None:
    root = os.fsencode(tree) + b"/"
    with walked_files.Directories() as directories:
        for name in (b"d/a", b"d/side/missing/x", b"d/d/b", b"d/a/x", b"d/side/c"):
            try:
                descriptor = directories.open(root + name, len(root))
            except FileNotFoundError:
                assert b"missing" in name
            except DocumentSkipped as skip:
                assert (name, skip.reason) == (b"d/a/x", "changed")
            else:
                assert stamp.file_id(os.fstat(descriptor)) == stamp.file_id(os.stat(root + name))
                os.close(descriptor)


@pytest.fixture
def deep(tmp_path: Path) -> Iterator[list[bytes]]:
    """The components of a path longer than PATH_MAX, with a file at its end."""
    parts = [b"d" * 200] * 30
    at = os.open(tmp_path, os.O_RDONLY)
    for part in parts:
        os.mkdir(part, dir_fd=at)
        below = os.open(part, os.O_RDONLY, dir_fd=at)
        os.close(at)
        at = below
    os.close(os.open("text", os.O_CREAT | os.O_WRONLY, dir_fd=at))
    yield parts
    os.close(at)


@pytest.mark.parametrize("named", [0, 1, 29])
def test_paths_longer_than_path_max_are_opened(tmp_path: Path, deep: list[bytes], named: int) -> None:
    """Whether most of the path is the argument, or what was found below it."""
    root = b"/".join([os.fsencode(tmp_path), *deep[:named]])
    found = found_by(root)
    (name,), (file,) = found.names, walked_files.each_met(found.met)
    with pytest.raises(OSError, match=os.strerror(errno.ENAMETOOLONG)):
        os.stat(name)
    descriptor, status = walked_files.open_file(name, file)
    os.close(descriptor)
    assert stamp.file_id(status) == found.file_id(0)


@pytest.mark.parametrize("at", range(3))
def test_a_link_in_place_of_any_component_is_not_followed(tmp_path: Path, at: int) -> None:
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "a/b/c").write_text("text")
    found = found_by(tmp_path)
    (file,) = walked_files.each_met(found.met)
    part = tmp_path.joinpath(*"abc"[: at + 1])
    part.rename(tmp_path / "moved")
    part.symlink_to(tmp_path / "moved")
    with pytest.raises(DocumentSkipped, match="changed"):
        walked_files.open_file(found.names[0], file)


def test_a_directory_that_could_not_be_entered_does_not_confuse_the_next_one(tmp_path: Path) -> None:
    root, z = os.fsencode(tmp_path) + b"/", b"a/z"
    (tmp_path / "a").mkdir()
    for name in ("a/x", "a/z", "z"):
        (tmp_path / name).write_text(name)
    (tmp_path / "b").symlink_to("a")
    with walked_files.Directories() as directories:
        os.close(directories.open(root + b"a/x", len(root)))
        with pytest.raises(DocumentSkipped, match="changed"):
            directories.open(root + b"b/z", len(root))
        with os.fdopen(directories.open(root + z, len(root)), "rb") as stream:
            assert stream.read() == z
