"""Walks hold little memory for each file, and do not leave the tree when directories are exchanged meanwhile."""

from __future__ import annotations

import errno
import os
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from simdocs.corpora import file_list, walk
from simdocs.kernels import native
from simdocs.model.skipped import Skipped
from tests import strategies
from tests.amounts import slow
from tests.cli.corpus import lay
from tests.corpora.finding import found_by


def walked(root: Path) -> tuple[list[bytes], int]:
    """Return the names found below a directory, and the peak of the memory that the walk held."""
    tracemalloc.start()
    try:
        found = found_by(root)
        return list(found.names), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.reliability("20,000 files in one directory")
@pytest.mark.parametrize("number", [4000, *slow(20_000)])
def test_a_walk_holds_less_than_512_bytes_for_each_file(tmp_path, number):
    """That is less than a signature takes. It includes the name, and holds during the walk, too."""
    names = [f"{tmp_path}/{at * 7919 % number:06}" for at in range(number)]
    for name in names:
        os.close(os.open(name, os.O_CREAT | os.O_WRONLY))
    names_found, held = walked(tmp_path)
    assert names_found == sorted(os.fsencode(name) for name in names)
    assert held < 512 * number


@pytest.mark.parametrize("at_once", [1, 2, 3, 1000])
def test_files_are_in_bytewise_order_however_many_are_found_at_once(tmp_path, monkeypatch, at_once):
    monkeypatch.setattr(walk, "_AT_ONCE", at_once)
    monkeypatch.setattr(file_list, "_AT_ONCE", at_once)
    files = [b"%b%d" % (letter, at) for letter in (b"a", b"b", b"\xff", "\U0001f600".encode()) for at in range(4)]
    names = sorted([*files, *(b"%b.d/%b" % (name, name) for name in files[::3]), b"a/x", b"a0.d/y/z", b"a0.d/y0"])
    lay(tmp_path, {os.fsdecode(name): name for name in names})
    found = found_by(tmp_path)
    assert list(found.names) == [bytes(tmp_path) + b"/" + name for name in names]
    assert found.met["inode"].tolist() == [os.stat(name).st_ino for name in found.names]


@pytest.mark.parametrize("kernels", ["numpy", "native"])
def test_the_number_of_names_is_known_of_files_that_no_link_leads_to(tmp_path, kernels):
    docs, elsewhere = tmp_path / "docs", tmp_path / "elsewhere"
    lay(docs, {"one": b"1", "two": b"2", "in/.three": b"3"})
    os.link(docs / "two", docs / "zwei")
    elsewhere.write_bytes(b"4")
    os.symlink(elsewhere, docs / "link")
    with native.using(kernels if native.is_installed() else "numpy"):
        found = found_by(docs, hidden=True, follow=True)
        named = found_by(docs / "one")
    links = {
        os.path.basename(name): links for name, links in zip(found.names, found.met["links"].tolist(), strict=True)
    }
    assert links == {b"one": 1, b"two": 2, b".three": 1, b"link": 0}
    assert named.met["links"].tolist() == [0]


def test_a_walk_through_a_deep_chain_of_directories_does_not_hold_every_path(tmp_path):
    """The paths of all directories together would take memory that grows with the square of the depth."""
    levels, name = 400, "d" * 200
    descriptor = os.open(tmp_path, os.O_RDONLY)
    for _ in range(levels):
        os.mkdir(name, dir_fd=descriptor)
        below = os.open(name, os.O_RDONLY, dir_fd=descriptor)
        os.close(descriptor)
        descriptor = below
    os.close(os.open("text", os.O_CREAT | os.O_WRONLY, dir_fd=descriptor))
    os.close(descriptor)
    names_found, held = walked(tmp_path)
    assert names_found == [b"/".join([os.fsencode(tmp_path), *[name.encode()] * levels, b"text"])]
    assert held < levels * levels * len(name) / 8


def walked_while(
    root: Path, name: str, change: Callable[[], object]
) -> tuple[list[bytes], dict[str, list[tuple[str, str]]]]:
    """Return the names that a walk finds if the tree changes as soon as this one is found, and what it skips."""
    skipped, found = Skipped(), []
    for some in walk.walk(bytes(root), strategies.walking(), skipped):
        found += some.names
        if bytes(root / name) in some.names:
            change()
    return found, skipped.by_reason


@pytest.mark.reliability("a file or directory is replaced after the walk")
def test_a_directory_that_becomes_a_link_during_the_walk_is_not_entered(tmp_path):
    lay(tmp_path, {"docs/a": b"text", "docs/b/c": b"text", "elsewhere/secret": b"text"})

    def change() -> None:
        (tmp_path / "docs/b").rename(tmp_path / "aside")
        (tmp_path / "docs/b").symlink_to(tmp_path / "elsewhere")

    found, skipped = walked_while(tmp_path / "docs", "a", change)
    assert found == [bytes(tmp_path / "docs/a")]
    assert skipped == {"unreadable": [(str(tmp_path / "docs/b"), os.strerror(errno.ENOTDIR))]}


@pytest.mark.reliability("a file or directory is replaced after the walk")
def test_a_directory_that_is_replaced_while_the_walk_is_far_below_is_left(tmp_path, monkeypatch):
    """Only a few directories are open at once. Those above are opened again by name."""
    monkeypatch.setattr(walk, "MOST_OPEN", 1)
    lay(tmp_path, {"docs/a/1/deep/x": b"text", "docs/a/2/y": b"text", "docs/b/z": b"text"})

    def change() -> None:
        (tmp_path / "docs/a").rename(tmp_path / "aside")
        lay(tmp_path, {"docs/a/2/other": b"text"})

    found, skipped = walked_while(tmp_path / "docs", "a/1/deep/x", change)
    assert found == [bytes(tmp_path / "docs/a/1/deep/x"), bytes(tmp_path / "docs/b/z")]
    why = "its parent directory was replaced during the walk"
    assert skipped == {"unreadable": [(str(tmp_path / "docs/a/2"), why)]}
