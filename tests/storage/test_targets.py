"""A new artifact replaces only an artifact of its own kind, damaged or not."""

from __future__ import annotations

import contextlib
import fcntl
import os
import stat
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from simdocs.artifacts.formats import replaceable
from simdocs.errors import LockedError, OutputError, UsageError
from simdocs.storage import syscalls
from simdocs.storage.atomic_directory import atomic_directory
from simdocs.storage.atomic_file import atomic_file, real_path
from tests.artifacts.tiny import draft_of, found, save, writing
from tests.cli.corpus import lay

NAME = "a.signatures"
STRANGER = 12345

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files to other users")

REFUSAL = (
    r"^\S*a\.signatures: this exists and is not a signatures artifact, so it is not replaced: choose another name$"
)


def _stranger(kind: str, path: Path) -> None:
    """Put something at this path that must not be replaced."""
    if kind == "plain file":
        path.write_bytes(b"text")
    elif kind == "FIFO":
        os.mkfifo(path)
    elif kind == "link in a circle":
        path.symlink_to(path.name)
    elif kind == "empty directory":
        path.mkdir()
    elif kind == "arrays of others":
        lay(path, {"signatures.npy": b"mine"})
    elif kind == "manifest of others":
        lay(path, {"manifest.json": b'{"name": "an app"}'})
    else:
        made = "shingles" if kind == "another kind" else "signatures"
        other = path.with_name(f"other.{made}")
        save(other, 1, made)
        if kind == "file in it":
            lay(other, {"README": b"mine"})
        other.rename(path)


STRANGERS = (
    *("plain file", "FIFO", "link in a circle", "another kind", "empty directory"),
    *("arrays of others", "manifest of others", "file in it"),
)


def _tree(root: Path) -> dict[str, object]:
    return {
        one.relative_to(root).as_posix(): one.read_bytes() if one.is_file() else stat.S_IFMT(one.lstat().st_mode)
        for one in root.rglob("*")
    }


@pytest.mark.reliability("an output name that something else has")
@pytest.mark.parametrize("kind", STRANGERS)
@pytest.mark.parametrize("when", ["before", "meanwhile"])
def test_only_artifacts_of_the_same_kind_are_replaced(place, kind, when):
    path = place / NAME
    if when == "before":
        _stranger(kind, path)
        before = _tree(place)
        with pytest.raises(UsageError, match=REFUSAL), _signatures(path):
            pytest.fail("work was begun")
    else:
        with pytest.raises(UsageError, match=REFUSAL), _signatures(path):
            _stranger(kind, path)
            before = {name: what for name, what in _tree(place).items() if not name.startswith(draft_of(NAME))}
    assert _tree(place) == before


@contextlib.contextmanager
def _signatures(path: Path) -> Iterator[None]:
    with writing(path) as under_way:
        yield
        under_way.finished = True


@pytest.mark.reliability("outputs with such names")
def test_a_target_name_of_255_bytes_works(place):
    path = place / f"{'x' * (255 - 11)}.signatures"
    for salt in (1, 2):
        save(path, salt)
        assert found(path) == salt
    with pytest.raises(OutputError, match="too long"):
        save(place / f"x{path.name}", 1)


@pytest.mark.reliability("an output that is a link, FIFO or device")
@pytest.mark.parametrize("dangling", [False, True])
def test_the_target_of_a_link_is_replaced_and_the_link_stays(place, dangling):
    (place / "elsewhere").mkdir()
    path, link = place / "elsewhere" / NAME, place / "link.signatures"
    link.symlink_to(f"elsewhere/{NAME}")
    if not dangling:
        save(path, 1)
    save(link, 2)
    assert link.is_symlink()
    assert (found(path), os.listdir(path.parent), sorted(os.listdir(place))) == (2, [NAME], ["elsewhere", link.name])


@as_root
@pytest.mark.reliability("a link, FIFO or socket of another user at the output")
@pytest.mark.parametrize("kind", ["link", "FIFO"])
@pytest.mark.parametrize(("mode", "owner"), [(0o1777, 0), (0o755, 0), (0o1755, 0), (0o777, 0), (0o1777, STRANGER)])
def test_another_users_link_in_a_shared_directory_is_not_followed(place, kind, mode, owner):
    """It is if nobody else can make one there, or the owner of the directory made it."""
    mine, planted = place / "mine", place / "shared" / "answer"
    mine.write_bytes(b"precious")
    planted.parent.mkdir()
    os.chown(planted.parent, owner, owner)
    planted.parent.chmod(mode)
    planted.symlink_to(mine) if kind == "link" else os.mkfifo(planted)
    os.chown(planted, STRANGER, STRANGER, follow_symlinks=False)
    if (mode, owner) == (0o1777, 0):
        with pytest.raises(OutputError, match=r"this is a (link|special file) of another user"):
            real_path(os.fspath(planted), "answer")
        with pytest.raises(OutputError, match="of another user"), atomic_file(os.fspath(planted)) as file:
            file.write(b"new")
        assert (mine.read_bytes(), os.listdir(planted.parent)) == (b"precious", ["answer"])
    else:
        assert real_path(os.fspath(planted), "answer") == os.path.realpath(planted)


@pytest.mark.parametrize("file", ["manifest.json", "names.npy"])
@pytest.mark.parametrize("damage", ["empty", "garbage", "missing", "FIFO", "link"])
def test_a_damaged_artifact_is_replaced(place, file, damage):
    path = place / NAME
    save(path, 1)
    (path / file).unlink()
    if damage == "empty":
        (path / file).touch()
    elif damage == "garbage":
        (path / file).write_bytes(b"\xff" * 300)
    elif damage == "FIFO":
        os.mkfifo(path / file)
    elif damage == "link":
        (path / file).symlink_to("nowhere")
    save(path, 2)
    assert (found(path), os.listdir(place)) == (2, [NAME])


@pytest.mark.reliability("any umask")
@pytest.mark.reliability("the mode of an output")
@pytest.mark.parametrize("mask", [0o077, 0o022, 0o002])
def test_modes_follow_the_umask_or_the_replaced_artifact(place, mask):
    path = place / NAME
    before = os.umask(mask)
    try:
        save(path, 1)
        assert stat.S_IMODE(path.stat().st_mode) == 0o777 & ~mask
        path.chmod(0o750)
        save(path, 2)
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o750
    assert {stat.S_IMODE(one.stat().st_mode) for one in path.iterdir()} == {0o666 & ~mask}


def test_a_foreign_lock_on_the_target_is_reported_before_the_work(place):
    """For example `flock docs.index simdocs index docs -o docs.index`."""
    path = place / NAME
    save(path, 1)
    other = os.open(path, os.O_RDONLY)
    try:
        assert syscalls.try_lock(other)
        with (
            pytest.raises(LockedError, match=r"is locked by another process: .* wait with --lock-wait$"),
            writing(path),
        ):
            pytest.fail("work was begun")
        threading.Timer(0.2, fcntl.flock, (other, fcntl.LOCK_UN)).start()
        save(path, 2, wait=20)
    finally:
        os.close(other)
    assert (found(path), os.listdir(place)) == (2, [NAME])


@pytest.mark.parametrize("locked", [True, False])
def test_an_artifact_that_came_meanwhile_is_replaced_unless_it_is_locked(place, locked):
    path, other = place / NAME, place / "other.signatures"
    save(other, 1)
    refused = pytest.raises(OutputError, match="another process has locked it")
    with refused if locked else contextlib.nullcontext(), atomic_directory(str(path), replaceable("signatures")):
        other.rename(path)
        held = os.open(path, os.O_RDONLY)
        assert not locked or syscalls.try_lock(held)
    os.close(held)
    assert (bool(os.listdir(path)), os.listdir(place)) == (locked, [NAME])
