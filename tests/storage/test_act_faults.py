"""Each call of act and undo that touches a disk fails once, is interrupted, or is the last one before a kill. After
each, every byte of every document is in a place that its owner or the journal knows, and undo puts everything back."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
from collections import Counter
from pathlib import Path

import pytest

from simdocs.errors import SimdocsError
from tests.amounts import slow
from tests.cli.corpus import A1, A, B
from tests.cli.program import environment
from tests.storage.acting import (
    ACTIONS,
    JOURNAL,
    act,
    files,
    known_places,
    prepare,
    two_disks,
    undo,
    without_inodes,
)
from tests.storage.faults import FAULTS, Ended, Faulty, calls_of
from tests.storage.traced import SYSCALLS, strace, traced

TEXTS = {A, A1, B}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "place"
    root.mkdir()
    prepare(root, monkeypatch)
    return root


def begin(action: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if action == "move to another disk":
        two_disks(monkeypatch)


def again(root: Path, kept: Path) -> None:
    """Put everything back as it was before a run, with the same inodes where nothing was done to them."""
    for path in root.iterdir():
        if path.name != "docs":
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    for path in kept.iterdir():
        if path.name != "docs":
            shutil.copytree(path, root / path.name) if path.is_dir() else shutil.copy2(path, root / path.name)


def check(root: Path, where: object) -> None:
    """Every text is in a place that is known; every document still has its place, or the journal knows of it."""
    assert known_places(root).keys() >= TEXTS, where


def restored(root: Path, before, where: object, *, is_tidy: bool = True) -> None:
    """Undo whatever was done, and compare everything with what there was."""
    if (root / JOURNAL).exists():
        done = undo()
        assert done.skipped.counts == {}, (where, done.skipped.by_reason)
    assert without_inodes(files(root)) == without_inodes(before), where
    assert not any(path.is_file() for path in (root / "away").rglob("*")), where
    # undo leaves a directory that it could not remove.
    assert not is_tidy or not (root / "away").exists(), where


STEPS = [
    *[(action, 5) for action in ACTIONS],
    *slow(*[(action, 1) for action in ACTIONS]),
]

FAULT_STEPS = [
    *[(action, len(FAULTS)) for action in ACTIONS],
    *slow(*[(action, 1) for action in ACTIONS]),
]


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize(("action", "step"), FAULT_STEPS)
def test_an_error_or_a_signal_at_any_call_of_act_loses_nothing(place, monkeypatch, action, step, fault, tmp_path):
    begin(action, monkeypatch)
    before = files(place)
    kept = tmp_path / "kept"
    shutil.copytree(place, kept)
    calls = calls_of(lambda: act(action))
    restored(place, before, "the run without a fault")
    for at in range(FAULTS_BEGIN[fault] % step, len(calls), step):
        again(place, kept)
        # What was undone as a copy has another inode, which the answer does not mind.
        with pytest.MonkeyPatch.context() as patch:
            error, done = FAULTS[fault]
            Faulty(error, at, done).install(patch)
            with contextlib.suppress(SimdocsError, OSError, Ended):
                act(action)
        check(place, (at, calls[at]))
        restored(place, before, (at, calls[at]))


FAULTS_BEGIN = {name: number for number, name in enumerate(FAULTS)}
"""Different faults begin at different calls, so that together they meet all of them."""


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize(("action", "step"), FAULT_STEPS)
def test_an_error_or_a_signal_at_any_call_of_undo_loses_nothing(place, monkeypatch, action, step, fault, tmp_path):
    begin(action, monkeypatch)
    before = files(place)
    kept = tmp_path / "kept"
    shutil.copytree(place, kept)
    act(action)
    calls = calls_of(undo)
    for at in range(FAULTS_BEGIN[fault] % step, len(calls), step):
        again(place, kept)
        act(action)
        with pytest.MonkeyPatch.context() as patch:
            error, done = FAULTS[fault]
            Faulty(error, at, done).install(patch)
            with contextlib.suppress(SimdocsError, OSError, Ended):
                undo()
        check(place, (at, calls[at]))
        restored(place, before, (at, calls[at]), is_tidy=False)


def killed(work, at: int) -> int:
    """Do work in a child that is killed at this call, and return its exit code."""
    child = os.fork()
    if not child:
        with pytest.MonkeyPatch.context() as patch:
            try:
                Faulty(lambda: os.kill(os.getpid(), signal.SIGKILL), at).install(patch)
                work()
            finally:
                os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.mark.reliability("kill -9 of act or undo at any call")
@pytest.mark.parametrize(("action", "step"), STEPS)
def test_act_killed_at_any_call_can_be_undone(place, monkeypatch, action, step, tmp_path):
    begin(action, monkeypatch)
    before = files(place)
    kept = tmp_path / "kept"
    shutil.copytree(place, kept)
    calls = calls_of(lambda: act(action))
    restored(place, before, "the run without a fault")
    for at in range(0, len(calls), step):
        again(place, kept)
        assert killed(lambda: act(action), at) == -signal.SIGKILL, (at, calls[at])
        check(place, (at, calls[at]))
        restored(place, before, (at, calls[at]))


@pytest.mark.reliability("kill -9 of act or undo at any call")
@pytest.mark.parametrize(("action", "step"), STEPS)
def test_undo_killed_at_any_call_can_be_repeated(place, monkeypatch, action, step, tmp_path):
    begin(action, monkeypatch)
    before = files(place)
    kept = tmp_path / "kept"
    shutil.copytree(place, kept)
    act(action)
    calls = calls_of(undo)
    for at in range(1 % step, len(calls), step):
        again(place, kept)
        act(action)
        assert killed(undo, at) == -signal.SIGKILL, (at, calls[at])
        check(place, (at, calls[at]))
        restored(place, before, (at, calls[at]))


PROGRAMS = {
    "act": ("act", "x.answer", "--max-removed", "1", "--yes", "-q"),
    "undo": ("undo", JOURNAL, "--yes", "-q"),
}

WRITING = (*SYSCALLS, "link", "linkat", "ftruncate", "utimensat", "fchown", "fsetxattr")
"""The system calls at which the program is killed, once it has opened its journal."""


@pytest.mark.reliability("kill -9 of act or undo at any call")
@traced
@pytest.mark.slow
@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("action", ["move", "hardlink"])
def test_the_program_killed_at_any_system_call_can_be_undone(place, action, name, tmp_path):
    before, kept, log = files(place), tmp_path / "kept", tmp_path / "log"
    shutil.copytree(place, kept)
    options = {"move": ("--move", "away")}.get(action, (f"--{action}",)) if name == "act" else ()

    def run(*inject: str):
        again(place, kept)
        if name == "undo":
            act(action)
        arguments = ("-e", f"trace={','.join(WRITING)}", *inject)
        return strace((*PROGRAMS[name], *options), log, *arguments, cwd=place, env=environment())

    assert run().status == 3 * (name == "act" and action == "hardlink")  # a near-duplicate is no link
    restored(place, before, "the run without a fault")
    counts, calls = Counter[str](), list[str]()
    for line in log.read_text().splitlines():
        if begun := re.match(r"\d+ +(\w+)\(", line):
            counts[begun[1]] += 1
            if calls or JOURNAL in line:
                calls.append(f"{begun[1]}:signal=KILL:when={counts[begun[1]]}")
    assert len(calls) > 30
    for call in calls:
        assert run("-e", f"inject={call}").status in (-signal.SIGKILL, 128 + signal.SIGKILL), call
        check(place, call)
        restored(place, before, call)
