"""Each call of act and undo that touches a disk fails once, is interrupted, or is the last one before a kill. After
each, every byte of every document is in a place that its owner or the journal knows, and undo puts everything back."""

from __future__ import annotations

import contextlib
import re
import shutil
import signal
from collections import Counter
from collections.abc import Callable
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
from tests.storage.faults import FAULTS, calls_of, end_of, killed
from tests.storage.traced import SYSCALLS, strace, traced

TEXTS = {A, A1, B}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "place"
    root.mkdir()
    prepare(root, monkeypatch)
    shutil.copytree(root, tmp_path / "kept")
    return root


def begin(action: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if action == "move to another disk":
        two_disks(monkeypatch)


def again(root: Path) -> None:
    """Put everything back as it was before a run, with the same inodes where nothing was done to them."""
    for path in root.iterdir():
        if path.name != "docs":
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    for path in root.with_name("kept").iterdir():
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


STEPS = [*[(action, 5) for action in ACTIONS], *slow(*[(action, 1) for action in ACTIONS])]

of_act_and_undo = pytest.mark.parametrize("undoing", [False, True], ids=["act", "undo"])


def fail_in_turn(place: Path, action: str, undoing: bool, at: slice, fail: Callable[..., None], **more: bool) -> None:
    """Let each of these calls of act or undo fail. A file that was undone as a copy has another inode."""
    before = files(place)
    work = undo if undoing else lambda: act(action)
    if undoing:
        act(action)
    calls = list(enumerate(calls_of(work)))
    if not undoing:
        restored(place, before, "the run without a fault")
    for number, name in calls[at]:
        again(place)
        if undoing:
            act(action)
        fail(work, number)
        check(place, (number, name))
        restored(place, before, (number, name), **more)


FAULTS_BEGIN = {name: number for number, name in enumerate(FAULTS)}
"""Different faults begin at different calls, so that together they meet all of them."""


@of_act_and_undo
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize(("action", "step"), STEPS)
def test_an_error_or_a_signal_at_any_call_loses_nothing(place, monkeypatch, action, step, fault, undoing):
    def fail(work, at):
        error, done = FAULTS[fault]
        with contextlib.suppress(SimdocsError, OSError):
            end_of(work, error, at, done)

    begin(action, monkeypatch)
    fail_in_turn(place, action, undoing, slice(FAULTS_BEGIN[fault] % step, None, step), fail, is_tidy=not undoing)


@of_act_and_undo
@pytest.mark.reliability("kill -9 of act or undo at any call")
@pytest.mark.parametrize(("action", "step"), STEPS)
def test_what_was_killed_at_any_call_can_be_undone(place, monkeypatch, action, step, undoing):
    def fail(work, at):
        assert killed(work, at) == -signal.SIGKILL, at

    begin(action, monkeypatch)
    fail_in_turn(place, action, undoing, slice(undoing % step, None, step), fail)


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
    before, log = files(place), tmp_path / "log"
    options = {"move": ("--move", "away")}.get(action, (f"--{action}",)) if name == "act" else ()

    def run(*inject: str):
        again(place)
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
