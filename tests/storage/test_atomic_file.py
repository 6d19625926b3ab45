"""Publishing a file: whatever fails, and whenever, the whole old one or the whole new one is there."""

from __future__ import annotations

import errno
import fcntl
import os
import threading
from pathlib import Path
from typing import Any

import pytest

from simdocs.errors import OutputError
from simdocs.storage.atomic_file import atomic_file
from tests.artifacts.tiny import found, save
from tests.storage.faults import FAULTS, Faulty, calls_of, end_of, instead

OLD, NEW = b"old\n", b"new\n" * 1000


def write(path: Any) -> None:
    with atomic_file(str(path)) as sink:
        sink.write(NEW[:100])
        sink.flush()
        sink.write(NEW[100:])


@pytest.fixture
def path(place: Path) -> Path:
    """A file that is to be replaced."""
    (place / "answer").write_bytes(OLD)
    return place / "answer"


@pytest.mark.reliability("a full, broken or read-only disk")
@pytest.mark.parametrize("there", [True, False], ids=["over-an-old-file", "new"])
@pytest.mark.parametrize(("fault", "done"), FAULTS.values(), ids=FAULTS)
def test_a_fault_at_any_call_leaves_the_old_or_the_new_file(place, path, fault, done, there):
    if not there:
        path.unlink()
    calls = calls_of(lambda: write(path))
    assert {"open", "write", "fsync", "rename", "flock"} <= set(calls)
    wrong = []
    for at, name in enumerate(calls):
        path.unlink(missing_ok=True)
        if there:
            path.write_bytes(OLD)
        ended = end_of(lambda: write(path), fault, at, done)
        now = path.read_bytes() if path.exists() else b""
        left = [one for one in os.listdir(place) if one != "answer"]
        if now != NEW and (ended is None or now != (OLD if there else b"")):
            wrong.append((at, name, "neither the old nor the new", now[:20]))
        if isinstance(ended, OutputError) and ("published, but" in str(ended)) != (now == NEW):
            wrong.append((at, name, "the error does not say what was published", ended))
        if left:
            wrong.append((at, name, "left behind", left))
            for one in left:  # this process, unlike one that ended, would hold its lock
                os.unlink(place / one)
        write(path)
        if path.read_bytes() != NEW or os.listdir(place) != ["answer"]:
            wrong.append((at, name, "the next run", os.listdir(place)))
    assert wrong == []


@pytest.mark.reliability("fsync fails")
def test_a_failed_fsync_is_not_retried(place, path, monkeypatch):
    at = calls_of(lambda: write(path)).index("fsync")
    path.write_bytes(OLD)
    faulty = Faulty(OSError(errno.EIO, "Input/output error"), at)
    faulty.install(monkeypatch)
    with pytest.raises(OutputError, match="Input/output error"):
        write(path)
    assert faulty.calls.count("fsync") == 1
    assert path.read_bytes() == OLD


@pytest.mark.reliability("the directory cannot be synced at the end")
def test_a_failed_sync_of_the_parent_directory_is_reported(path, monkeypatch):
    path.unlink()
    calls = calls_of(lambda: write(path))
    path.unlink()
    Faulty(OSError(errno.EIO, "Input/output error"), len(calls) - 1 - calls[::-1].index("fsync")).install(monkeypatch)
    with pytest.raises(OutputError, match="published, but durability not confirmed"):
        write(path)
    assert path.read_bytes() == NEW


@pytest.mark.reliability("short writes")
def test_short_writes_are_continued(place, monkeypatch):
    some, there = os.write, os.pwrite
    instead(monkeypatch, write=lambda to, data: some(to, data[:7]), pwrite=lambda to, data, at: there(to, data[:7], at))
    write(place / "answer")
    assert (place / "answer").read_bytes() == NEW
    save(place / "a.signatures", 1)
    assert found(place / "a.signatures") == 1


@pytest.mark.reliability("close fails")
@pytest.mark.parametrize("at", [-3, -2], ids=["before-publishing", "after-publishing"])
def test_a_close_that_fails_is_reported_as_what_it_is(place, path, monkeypatch, at):
    calls = calls_of(lambda: write(path))
    path.write_bytes(OLD)
    close = [number for number, name in enumerate(calls) if name == "close"][at]
    assert (calls.index("rename") < close) == (at == -2)
    Faulty(OSError(errno.EDQUOT, "Disk quota exceeded"), close).install(monkeypatch)
    said = "published, but closing it failed" if at == -2 else "write error"
    with pytest.raises(OutputError, match=rf"answer: {said}: Disk quota exceeded$"):
        write(path)
    assert (path.read_bytes(), os.listdir(place)) == (NEW if at == -2 else OLD, ["answer"])


@pytest.mark.reliability("a file system without locks")
@pytest.mark.parametrize("number", [errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS])
def test_no_draft_is_left_where_files_cannot_be_locked(place, path, monkeypatch, number):
    Faulty(OSError(number, os.strerror(number)), only="flock").install(monkeypatch)
    with pytest.raises(OutputError, match=r"write error: this file system cannot lock files: choose another"):
        write(path)
    assert (path.read_bytes(), os.listdir(place)) == (OLD, ["answer"])


@pytest.mark.reliability("a rename across file systems")
def test_a_rename_across_file_systems_leaves_the_old_file(place, path, monkeypatch):
    Faulty(OSError(errno.EXDEV, "Invalid cross-device link"), only="rename").install(monkeypatch)
    with pytest.raises(OutputError, match=r"answer: write error: Invalid cross-device link$"):
        write(path)
    assert (path.read_bytes(), os.listdir(place)) == (OLD, ["answer"])


@pytest.mark.reliability("two writers of one answer")
def test_the_last_of_two_writers_of_one_file_wins(place, path):
    """The last to finish wins. Neither takes the other's draft for one that was left behind."""
    with atomic_file(str(path)) as first:
        first.write(b"first")
        with atomic_file(str(path)) as second:
            second.write(b"second")
        assert path.read_bytes() == b"second"
    assert path.read_bytes() == b"first"
    assert os.listdir(place) == ["answer"]


def test_a_draft_that_another_writer_sweeps_is_created_again(place, path, monkeypatch):
    path.unlink()
    flock, met = fcntl.flock, []

    def meanwhile(descriptor: int, operation: int) -> None:
        if not met:
            (draft,) = os.listdir(place)
            met.append(os.open(place / draft, os.O_RDONLY))
            flock(met[0], fcntl.LOCK_EX)
            os.unlink(place / draft)
            threading.Timer(0.2, os.close, met).start()
        flock(descriptor, operation)

    instead(monkeypatch, flock=meanwhile)
    write(path)
    assert path.read_bytes() == NEW
    assert os.listdir(place) == ["answer"]


def test_a_second_writer_does_not_take_a_draft_that_is_not_locked_yet(place, path, monkeypatch):
    path.unlink()
    flock, met = fcntl.flock, []

    def meanwhile(descriptor: int, operation: int) -> None:
        if not met:
            met.append(descriptor)
            with atomic_file(str(path)) as second:
                second.write(b"second")
        flock(descriptor, operation)

    instead(monkeypatch, flock=meanwhile)
    with atomic_file(str(path)) as first:
        first.write(b"first")
    assert path.read_bytes() == b"first"
    assert os.listdir(place) == ["answer"]
