"""Publishing a directory: whatever fails, and whenever, the whole old one or the whole new one is there."""

from __future__ import annotations

import errno
import os
import re
import shutil
import signal

import pytest

from simdocs.errors import OutputError
from simdocs.storage import syscalls
from tests.amounts import slow
from tests.artifacts.tiny import KINDS, arrays, arrays_of, draft_of, found, save, writing
from tests.storage.faults import FAULTS, Ended, calls_of, end_of, instead

NAME = "a.signatures"


@pytest.mark.reliability("a full, broken or read-only disk")
@pytest.mark.parametrize(
    ("kind", "there"),
    [
        *[("disk-full", True), ("signal-after", True), ("broken-disk", False)],
        *slow(("broken-disk", True), ("disk-full", False), ("signal-before", False), ("signal-after", False)),
        *slow(("signal-before", True)),
    ],
)
def test_a_fault_at_any_call_leaves_the_old_or_the_new_artifact(place, kind, there):
    fault, done = FAULTS[kind]
    path = place / NAME
    if there:
        save(path, 0)
    calls = calls_of(lambda: save(path, 1))
    assert {"open", "write", "pwrite", "fsync", "flock", "mkdir", "exchange", "unlink", "close"} <= set(calls)
    wrong, left = [], []
    for at, name in enumerate(calls):
        if not there:
            shutil.rmtree(path)
        old, new = found(path), 2 * at + 2
        ended = end_of(lambda: save(path, new), fault, at, done)  # noqa: B023
        now = found(path)
        if now != new and (ended is None or now != old):
            wrong.append((at, name, "neither the old nor the new", now))
        if isinstance(ended, OutputError) and ("published, but" in str(ended)) != (now == new):
            wrong.append((at, name, "the error does not say what was published", ended))
        if beside := [one for one in os.listdir(place) if one != NAME]:
            left.append(name)
            assert beside == [draft_of(NAME)]
        save(path, new + 1)
        if found(path) != new + 1 or os.listdir(place) != [NAME]:
            wrong.append((at, name, "the next run", os.listdir(place)))
    assert wrong == []
    if isinstance(fault, OSError):
        # The new one is there but not sure to be, or removing the old one or the draft fails.
        assert left.count("fsync") == (1 if there else 0)
        assert set(left) <= {"fsync", "stat", "fstat", "listdir", "unlink", "rmdir"}


@pytest.mark.reliability("memory runs out later")
def test_a_draft_is_removed_although_there_is_no_memory_to_list_what_is_in_it(place, monkeypatch):
    def no_memory(*_: object) -> None:
        raise OSError(errno.ENOMEM, os.strerror(errno.ENOMEM))

    with pytest.raises(MemoryError), monkeypatch.context() as patch, writing(place / NAME):
        assert os.listdir(place) == [draft_of(NAME)]
        patch.setattr(os, "listdir", no_memory)
        raise MemoryError
    assert os.listdir(place) == []


@pytest.mark.reliability("an output that cannot be written or exchanged")
@pytest.mark.parametrize("number", [errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP])
def test_no_work_begins_where_directories_cannot_be_exchanged(place, monkeypatch, number):
    path = place / NAME
    save(path, 1)

    def unsupported(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(syscalls, "_rename", unsupported)
    with pytest.raises(OutputError, match="cannot exchange two directories"), writing(path):
        pytest.fail("work was begun")
    assert (found(path), os.listdir(place)) == (1, [NAME])
    save(place / "b.signatures", 2)  # a new name needs no exchange
    assert found(place / "b.signatures") == 2


@pytest.mark.reliability("short writes")
@pytest.mark.parametrize("name", ["write", "pwrite"])
def test_a_write_that_writes_nothing_is_an_error(place, monkeypatch, name):
    instead(monkeypatch, **{name: lambda *_: 0})
    with pytest.raises(OutputError, match=r"write error: the system wrote nothing$"):
        save(place / NAME, 1)
    assert os.listdir(place) == []


@pytest.mark.reliability("an artifact that cannot be read again")
@pytest.mark.parametrize("kind", KINDS)
def test_what_cannot_be_read_again_is_not_published(place, monkeypatch, kind):
    """Each write in turn writes another byte first. Only the first headers are written again."""
    path, calls = place / f"a.{kind}", 0
    said = rf"a\.{kind}(/.*)?: .*: this was found when it was read again, so it was not published: try another disk"
    refused, harmless = 0, 0
    while True:
        faulty = iter(range(calls, -1, -1))

        def changed(to, data, faulty=faulty):
            bad = next(faulty, -1) == 0
            return os.write(to, bytes([data[0] ^ 1, *data[1:]]) if bad else data)

        instead(monkeypatch, write=changed)
        try:
            save(path, 1, kind)
        except OutputError as error:
            assert re.search(said, str(error)), error
            assert os.listdir(place) == []
            refused += 1
        else:
            assert found(path, kind) == 1
            shutil.rmtree(path)
            harmless += 1
        if next(faulty, -1) >= 0:
            break
        calls += 1
    assert refused == 2 + sum(len(array) > 0 for array in arrays(kind, 1).values())
    assert harmless == len(arrays_of(kind)) + 2  # the note about the holder, and no fault at all


@pytest.mark.reliability("a signal while an output is published")
def test_a_signal_just_before_the_commit_leaves_no_signal_blocked(place, monkeypatch):
    """Its handler runs in the call that blocks signals."""
    path = place / NAME
    save(path, 1)
    block = signal.pthread_sigmask

    def struck(action: int, numbers: object) -> object:
        old = block(action, numbers)
        if action == signal.SIG_BLOCK and numbers:
            raise Ended
        return old

    with writing(path), monkeypatch.context() as patch:
        patch.setattr(syscalls.signal, "pthread_sigmask", struck)
        with pytest.raises(Ended), syscalls.signals_deferred():
            pytest.fail("not disturbed")
    assert not set(block(signal.SIG_BLOCK, ())) & set(syscalls._SIGNALS)
