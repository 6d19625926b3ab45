"""Publishing a directory of files: whatever fails, and whenever, the whole old one or the whole new one is there."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from simdocs.errors import UsageError
from simdocs.storage.atomic_tree import LIST, atomic_tree
from tests.artifacts.tiny import draft_of
from tests.storage.faults import FAULTS, calls_of, end_of
from tests.storage.power import lay
from tests.storage.test_power import after_every_cut

FILES = ("x.jsonl", "a/y.jsonl", "a/b/z.jsonl", "b/x.jsonl")
"""`a` and `b` are also names of directories that are made in a draft to try the file system."""


def save(path: Path, content: int, files: tuple[str, ...] = FILES) -> None:
    with atomic_tree(str(path), files) as tree:
        for name in files:
            with tree.file(name) as stream:
                stream.write(b"%d" % content)
        tree.prepare()


def found(path: Path) -> int:
    """The content of all files of a directory, which is the same; -1: there is no directory."""
    if not path.exists():
        return -1
    files = {file.relative_to(path).as_posix(): file.read_bytes() for file in path.rglob("*") if file.is_file()}
    del files[LIST]
    assert set(files) in (set(FILES), set(FILES[:2]))
    (content,) = set(files.values())
    return int(content)


@pytest.mark.reliability("a full, broken or read-only disk")
@pytest.mark.parametrize("kind", FAULTS)
def test_a_fault_at_any_call_leaves_the_old_or_the_new_directory(place: Path, kind: str) -> None:
    fault, done = FAULTS[kind]
    path = place / "out"
    save(path, 0, FILES[:2])
    calls = calls_of(lambda: save(path, 1))
    for at in range(len(calls)):
        old, new = found(path), 2 * at + 2
        ended = end_of(lambda: save(path, new), fault, at, done)  # noqa: B023
        now = found(path)
        assert now == new or (ended is not None and now == old)
        assert {*os.listdir(place)} <= {"out", draft_of("out")}
        save(path, new + 1)
        assert os.listdir(place) == ["out"]


@pytest.mark.reliability("a power cut")
def test_a_power_cut_at_any_instant_leaves_the_old_or_the_new_directory(place: Path) -> None:
    begun, few = place / "begun", FILES[:2]
    begun.mkdir()
    save(begun / "out", 1, few)
    ended = set()
    for number, tree in enumerate(after_every_cut(begun, lambda where: save(where / "out", 2, few))):
        where = place / str(number)
        lay(tree, where)
        ended.add(found(where / "out"))
    assert ended == {1, 2}


@pytest.mark.parametrize("mask", [0o077, 0o022])
def test_files_and_directories_have_the_modes_of_new_ones(place: Path, mask: int) -> None:
    before = os.umask(mask)
    try:
        (place / "out").mkdir()  # what is empty is replaced
        save(place / "out", 1)
    finally:
        os.umask(before)
    modes = {path.is_dir(): stat.S_IMODE(path.stat().st_mode) for path in (place / "out").rglob("*")}
    assert modes == {True: 0o777 & ~mask, False: 0o666 & ~mask}
    assert {stat.S_IMODE(path.stat().st_mode) for path in place.rglob("*")} == set(modes.values())


def test_what_a_killed_run_left_is_removed(place: Path) -> None:
    path = place / "out"
    child = os.fork()
    if not child:
        with atomic_tree(str(path), FILES) as tree, tree.file("a/b/z.jsonl"):
            os._exit(0)
    os.waitpid(child, 0)
    assert os.listdir(place) == [draft_of("out")]
    save(path, 1)
    assert (os.listdir(place), found(path)) == (["out"], 1)


@pytest.mark.parametrize("name", ["more", "a/more", "more/", "a/b/more/"])
def test_a_directory_with_anything_else_is_not_replaced(place: Path, name: str) -> None:
    path = place / "out"
    save(path, 1)
    (path / name).mkdir() if name.endswith("/") else (path / name).touch()
    with pytest.raises(UsageError, match=f"has files that simdocs did not write, such as {name}"):
        save(path, 2)
    assert (path / name).exists()
    assert os.listdir(place) == ["out"]


def test_a_directory_with_a_list_of_version_1_is_replaced(place: Path) -> None:
    (place / "out").mkdir()
    (place / "out" / LIST).write_bytes(b'{"format": "simdocs-files", "version": 1, "files": ["x.jsonl"]}')
    (place / "out/x.jsonl").touch()
    save(place / "out", 1)
    assert (os.listdir(place), found(place / "out")) == (["out"], 1)


@pytest.mark.parametrize(
    "content",
    [b"", b"[]", b"{}", b'{"format": "simdocs-files", "version": 1, "files": []}', b"[" * 100_000]
    + [
        b'{"format": "simdocs-files", "version": 1, "files": ["%b"]}' % name for name in (b"../x", b"/x", b"a//x", b".")
    ],
)
def test_a_list_that_is_not_ours_lets_nothing_be_replaced(place: Path, content: bytes) -> None:
    path = place / "out"
    path.mkdir()
    (path / LIST).write_bytes(content)
    (path / "x").touch()
    (place / "x").touch()
    with pytest.raises(UsageError):
        save(path, 2)
    assert (path / "x").exists()
    assert (place / "x").exists()
