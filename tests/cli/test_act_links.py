"""act --hardlink and --move: only what is byte-identical is linked, and what the system refuses is left."""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest

import simdocs as library
from simdocs.storage import syscalls
from tests.cli.corpus import A1, A, B, lay
from tests.cli.program import bound_by_modes, simdocs
from tests.storage.acting import answered, two_disks, undo


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, with a document, a copy of it, and one that is nearly the same, and the answer."""
    monkeypatch.chdir(tmp_path)
    lay(tmp_path, {"docs/a": A, "docs/copy": A, "docs/near": A1, "docs/z": B})
    answered("docs")
    return tmp_path


def link(**options: Any) -> dict[str, str]:
    """Make links of duplicates: those that are left, and why."""
    return dict(library.act("x.answer", **{"hardlink": True, "yes": True} | options).skipped.by_reason.get("left", []))


def test_only_byte_identical_files_become_links(place: Path) -> None:
    for yes in (False, True):
        assert link(yes=yes) == {
            "docs/near": "it is not byte-identical to the kept document: only a move can act on it"
        }
        assert os.path.samefile(place / "docs/a", place / "docs/copy") == yes
    assert (place / "docs/near").read_bytes() == A1
    assert sorted(os.listdir("docs")) == ["a", "copy", "near", "z"]


def test_undoing_a_link_makes_a_copy_with_everything_that_the_file_had(place: Path) -> None:
    copy = place / "docs/copy"
    os.utime(copy, ns=(10**18, 10**18 + 3))
    with contextlib.suppress(OSError):  # some file systems have none
        for name in ("docs/a", "docs/copy"):
            os.setxattr(name, "user.origin", b"here")
    attributes = os.listxattr(copy)
    before = copy.stat()
    link()
    assert copy.stat().st_mtime_ns != before.st_mtime_ns
    undo()
    after = copy.stat()
    assert not os.path.samefile(place / "docs/a", copy)
    assert copy.read_bytes() == A
    for field in ("st_mode", "st_mtime_ns", "st_uid", "st_gid", "st_size", "st_nlink"):
        assert getattr(after, field) == getattr(before, field), field
    assert (place / "docs/a").stat().st_nlink == 1
    assert os.listxattr(copy) == attributes


def test_a_link_whose_bytes_have_changed_is_not_undone(place: Path) -> None:
    link()
    (place / "docs/a").write_bytes(B)
    assert undo().skipped.by_reason["left"] == [("docs/copy", "it has changed since it was linked")]
    assert (place / "docs/copy").read_bytes() == B


OTHERS: dict[str, tuple[Callable[[], object], str]] = {
    "mode": (lambda: os.chmod("docs/copy", 0o600), "the kept document has another mode"),
    "attributes": (
        lambda: os.setxattr("docs/copy", "user.origin", b"here"),
        "the kept document has another mode, owner or group, or other extended attributes",
    ),
    "owner": (lambda: os.chown("docs/copy", 1, -1), "the kept document has another mode, owner or group"),
    "group": (lambda: os.chown("docs/copy", -1, 1), "the kept document has another mode, owner or group"),
    "names": (
        lambda: os.link("docs/copy", "outside"),
        "it has other names (hard links), so nothing would be freed",
    ),
}


@pytest.mark.parametrize("what", OTHERS)
def test_a_copy_with_another_mode_other_attributes_or_other_names_is_no_link(place: Path, what: str) -> None:
    change, why = OTHERS[what]
    try:
        change()
    except OSError:
        pytest.skip("this file system has no extended attributes")
    for yes in (False, True):
        assert link(yes=yes)["docs/copy"].startswith(why)
    assert not os.path.samefile(place / "docs/a", place / "docs/copy")


def before(monkeypatch: pytest.MonkeyPatch, call: str, action: Callable[..., object], first: int = 1) -> None:
    """Let this happen right before a system call, which the action is given the arguments of. first: of its calls."""
    real, calls = getattr(syscalls, call), count(1)

    def called(*given: Any) -> None:
        if next(calls) == first:
            action(*given)
        real(*given)

    monkeypatch.setattr(syscalls, call, called)


def precious(name: str) -> None:
    """Rename another file over this document."""
    Path("new").write_bytes(b"new and precious")
    Path("new").rename(f"docs/{name}")


CHANGED = "it has changed since it was compared"


def fails(monkeypatch: pytest.MonkeyPatch, what: str, number: int) -> None:
    """Let this system call fail with this error."""

    def fail(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(syscalls, what, fail)


@pytest.mark.reliability("a link or a rename that the system refuses")
@pytest.mark.parametrize("number", [errno.EXDEV, errno.EPERM])
def test_a_link_that_the_system_refuses_leaves_the_file(place: Path, monkeypatch, number: int) -> None:
    before = (place / "docs/copy").stat()
    fails(monkeypatch, "link", number)
    assert link()["docs/copy"] == os.strerror(number)
    after = (place / "docs/copy").stat()
    assert (after.st_ino, after.st_nlink, (place / "docs/copy").read_bytes()) == (before.st_ino, 1, A)
    assert sorted(os.listdir("docs")) == ["a", "copy", "near", "z"]
    assert len(undo()) == 0


@pytest.mark.reliability("a link or a rename that the system refuses")
@pytest.mark.parametrize("number", [errno.EXDEV, errno.EACCES])
def test_a_move_that_the_system_refuses_leaves_the_file(place: Path, monkeypatch, number: int) -> None:
    """As in a read-only or sticky directory, or for an immutable file."""
    fails(monkeypatch, "rename_between", number)
    done = library.act("x.answer", yes=True, move="away")
    assert ("docs/near", os.strerror(number)) in done.skipped.by_reason["left"]
    assert (place / "docs/near").read_bytes() == A1
    assert not [path for path in (place / "away").rglob("*") if path.is_file()]


@pytest.mark.parametrize("action", [("--move", "away"), ("--hardlink",)])
def test_a_directory_that_cannot_be_written_keeps_its_files(place: Path, action: tuple[str, ...]) -> None:
    (place / "docs").chmod(0o500)
    done = simdocs("act", "x.answer", *action, "--yes", cwd=place, before=bound_by_modes)
    assert (done.status, done.out) == (3, b"")
    assert "docs/copy: left as it is: Permission denied" in done.err
    (place / "docs").chmod(0o700)
    assert sorted(os.listdir("docs")) == ["a", "copy", "near", "z"]
    assert not [path for path in (place / "away").rglob("*") if path.is_file()]
    assert len(undo()) == 0


@pytest.mark.reliability("a link or a rename that the system refuses")
@pytest.mark.parametrize("call", ["exchange", "rename_between"])
@pytest.mark.parametrize("action", [{"hardlink": True}, {"move": "away"}])
def test_a_file_system_that_cannot_keep_names_apart_gets_no_other_way(
    place: Path, monkeypatch: pytest.MonkeyPatch, call: str, action: dict[str, object]
) -> None:
    fails(monkeypatch, call, errno.ENOTSUP)
    done = library.act("x.answer", yes=True, **action)  # type: ignore[arg-type]
    if (call == "exchange") == ("hardlink" in action):
        assert len(done) == 0
        assert not (place / "away").exists() or not os.listdir(place / "away")
    assert {path.read_bytes() for path in place.rglob("*") if path.is_file()} >= {A, A1, B}
    monkeypatch.undo()
    monkeypatch.chdir(place)
    undo()
    assert [(place / name).read_bytes() for name in ("docs/a", "docs/copy", "docs/near", "docs/z")] == [A, A, A1, B]


@pytest.mark.reliability("a file that comes in the place of a duplicate")
def test_a_file_that_comes_between_is_not_replaced_by_a_link(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Something is renamed over the duplicate after it was compared, right before the names are exchanged."""
    before(monkeypatch, "exchange", lambda *_: precious("copy"))
    assert link()["docs/copy"] == CHANGED
    assert (place / "docs/copy").read_bytes() == b"new and precious"
    assert sorted(os.listdir(place / "docs")) == ["a", "copy", "near", "z"]


def test_a_kept_document_that_changes_between_keeps_the_duplicate(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before(monkeypatch, "exchange", lambda *_: (place / "docs/a").write_bytes(A + b"more"))
    assert link()["docs/copy"] == CHANGED
    assert (place / "docs/copy").read_bytes() == A


@pytest.mark.reliability("a file that comes in the place of a duplicate")
@pytest.mark.parametrize("disks", [1, 2])
def test_a_file_that_comes_between_is_moved_back(place: Path, monkeypatch: pytest.MonkeyPatch, disks: int) -> None:
    if disks == 2:
        two_disks(monkeypatch)  # the first call is refused, and the second gives the file another name beside it
    before(monkeypatch, "rename_between", lambda old, *_: precious(old), first=disks)
    done = library.act("x.answer", yes=True, move="away")
    assert ("docs/copy", CHANGED) in done.skipped.by_reason["left"]
    assert (place / "docs/copy").read_bytes() == b"new and precious"
    monkeypatch.undo()
    monkeypatch.chdir(place)
    assert undo().skipped.counts == {}
    assert (place / "docs/near").read_bytes() == A1


@pytest.mark.reliability("a file that comes in the place of a duplicate")
@pytest.mark.parametrize("more", [0, 1])
def test_a_file_that_is_written_to_between_and_keeps_its_size_or_time_is_moved_back(place: Path, monkeypatch, more):
    def written(old: str, *_: object) -> None:
        time = Path("docs", old).stat().st_mtime_ns
        Path("docs", old).write_bytes(b"x" * (len(A) + more))
        os.utime(Path("docs", old), ns=(0, time + 1 - more))

    before(monkeypatch, "rename_between", written)
    done = library.act("x.answer", yes=True, move="away", max_removed=1.0)
    assert ("docs/copy", CHANGED) in done.skipped.by_reason["left"]
    assert set((place / "docs/copy").read_bytes()) == {ord("x")}


def test_if_moving_back_fails_the_error_says_where_the_file_is(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError(errno.EIO, "Input/output error")

    before(monkeypatch, "rename_between", fail, first=2)
    before(monkeypatch, "rename_between", lambda old, *_: Path("docs", old).write_bytes(A + b"more"))
    with pytest.raises(library.OutputError, match=f"it is {place}/away/docs/copy"):
        library.act("x.answer", move="away", yes=True)
    assert (place / "away/docs/copy").read_bytes() == A + b"more"
    with pytest.raises(library.OutputError, match="an earlier run was interrupted"):
        library.act("x.answer", hardlink=True, yes=True)


@pytest.mark.reliability("a link in the place of a file or directory")
def test_a_link_that_comes_in_the_place_of_a_directory_leads_nowhere(place: Path, monkeypatch) -> None:
    """The directory of the duplicate is exchanged for a link right before the file is moved."""
    lay(place, {"deep/a": A, "deep/er/b": A1, "outside/b": A1})
    answered("deep")

    def exchanged(*_: object) -> None:
        Path("deep/er").rename("deep/est")
        Path("deep/er").symlink_to("../outside")

    before(monkeypatch, "rename_between", exchanged)
    assert len(library.act("x.answer", move="away", yes=True)) == 1
    assert (place / "outside/b").read_bytes() == A1
    assert (place / "away/deep/er/b").read_bytes() == A1
    assert undo().skipped.counts == {"left": 1}  # the link is not followed to put it back
    assert os.listdir(place / "outside") == ["b"]
    (place / "deep/er").unlink()
    (place / "deep/est").rename("deep/er")
    assert len(undo()) == 1
    assert (place / "deep/er/b").read_bytes() == A1


# Other file systems


@pytest.mark.reliability("a move to another file system")
@pytest.mark.skipif(
    not os.access("/dev/shm", os.W_OK) or os.stat("/dev/shm").st_dev == os.stat(tempfile.gettempdir()).st_dev,
    reason="there is no other file system",
)
def test_a_move_between_real_file_systems_keeps_everything(place: Path) -> None:
    (place / "docs/near").chmod(0o604)
    os.utime(place / "docs/near", ns=(10**18, 10**18 + 5))
    before = (place / "docs/near").stat()
    with tempfile.TemporaryDirectory(dir="/dev/shm") as away:
        assert len(library.act("x.answer", move=away, yes=True)) == 2
        moved = Path(away, "docs/near")
        for file in (moved, place / "docs/near"):
            now = file.stat()
            assert (file.read_bytes(), now.st_mode, now.st_mtime_ns) == (A1, before.st_mode, before.st_mtime_ns)
            if file == moved:
                assert sorted(os.listdir(place / "docs")) == ["a", "z"]
                assert len(undo()) == 2
        assert os.listdir(away) == []
    assert sorted(os.listdir(place / "docs")) == ["a", "copy", "near", "z"]


@pytest.mark.parametrize("action", [{"hardlink": True}, {"move": "away"}])
@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda aside: aside.write_bytes(B), "it has changed since"),
        (lambda _: precious("copy"), "something else has its name now"),
    ],
)
def test_what_came_after_a_step_that_ended_halfway_is_not_overwritten(place: Path, monkeypatch, action, change, why):
    two_disks(monkeypatch)
    with monkeypatch.context() as patch, pytest.raises(library.OutputError, match="it cannot be removed"):
        fails(patch, "unlink", errno.EIO)
        library.act("x.answer", yes=True, only=["copy"], **action)
    (aside,) = (place / "docs").glob(".simdocs*")
    change(aside)
    there = {path: path.read_bytes() for path in (place / "docs").iterdir()}
    assert undo().skipped.by_reason["left"] == [("docs/copy", f"{why}: it is {aside}")]
    assert {path: path.read_bytes() for path in (place / "docs").iterdir()} == there


def test_a_file_that_comes_between_is_not_replaced_by_the_copy_of_a_link(place: Path, monkeypatch) -> None:
    link()
    before(monkeypatch, "exchange", lambda *_: precious("copy"))
    assert undo().skipped.by_reason["left"] == [("docs/copy", "something else has its name now")]
    assert (place / "docs/copy").read_bytes() == b"new and precious"
    assert sorted(os.listdir("docs")) == ["a", "copy", "near", "z"]


@pytest.mark.parametrize(
    ("theirs", "draft", "stays"), [(A1, False, False), (B, False, True), (A1, True, True), (None, True, False)]
)
def test_undo_removes_only_the_copy_that_it_finds_at_the_target(place: Path, monkeypatch, theirs, draft, stays) -> None:
    """The file could not be removed after it was copied. While there is a draft, what has its name is not the copy."""
    two_disks(monkeypatch)
    with monkeypatch.context() as patch, pytest.raises(library.OutputError, match="copied, but it cannot be removed"):
        fails(patch, "unlink", errno.EIO)
        library.act("x.answer", yes=True, move="away", only=["near"])
    (aside,) = (place / "docs").glob(".simdocs*")
    (place / "away/docs/near").write_bytes(theirs) if theirs else (place / "away/docs/near").unlink()
    if draft:
        (place / "away/docs" / aside.name).touch()
    assert len(undo()) == 1
    assert ((place / "docs/near").read_bytes(), sorted(os.listdir("docs"))) == (A1, ["a", "copy", "near", "z"])
    assert [path.name for path in (place / "away").rglob("*") if path.is_file()] == ["near"] * stays


def test_a_full_disk_leaves_what_was_to_be_copied(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    two_disks(monkeypatch)
    write = syscalls.write

    def full(descriptor: int, data: bytes) -> None:
        if bytes(data) in (A, A1):
            raise OSError(errno.ENOSPC, "No space left on device")
        write(descriptor, data)

    monkeypatch.setattr(syscalls, "write", full)
    done = library.act("x.answer", move="away", yes=True)
    assert ("docs/near", "No space left on device") in done.skipped.by_reason["left"]
    assert (place / "docs/near").read_bytes() == A1
    assert not [path for path in (place / "away").rglob("*") if path.is_file()]
