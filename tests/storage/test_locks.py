"""Only one writer at a time: others wait, or report who it is. The lock is free as soon as its holder has ended."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import time
import traceback
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest

from simdocs.errors import LockedError
from tests.amounts import slow
from tests.artifacts.tiny import draft_of, found, read, save, writing
from tests.cli.corpus import A1, A, B, lay
from tests.cli.program import PATIENCE, anew, finished, running, simdocs
from tests.cli.traps import trap

NAME = "a.signatures"
BUILD = ("signature", "docs", "-q", "--rebuild", "-o", NAME)
ENDING = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


@pytest.fixture
def here(place: Path) -> Path:
    """A directory with docs, and with an artifact of other documents."""
    lay(place, {"docs/a.txt": A, "docs/b.txt": A1, "docs/c.txt": B})
    save(place / NAME, 1)
    return place


def listing(where: Path) -> list[str]:
    return sorted(name for name in os.listdir(where) if name != "trap")


def wait_until(true: Callable[[], object]) -> None:
    """Wait until this is true, at most as long as a command may take."""
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end
        time.sleep(0.01)


def of_program(path: Path) -> bool:
    """Return whether the program built this artifact here, and finds it undamaged."""
    done = simdocs("check", path.name, cwd=path.parent)
    return done == (0, b"", "") and b"docs/a.txt" in (path / "names.npy").read_bytes()


@pytest.mark.reliability("two writers of one artifact")
def test_a_second_writer_reports_who_holds_the_lock(here):
    with writing(here / NAME):
        said = (
            rf"a\.signatures: is being written by process {os.getpid()} on {socket.gethostname()}"
            r" since 20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ: try again later, or wait with"
        )
        with pytest.raises(LockedError, match=rf"{said} --lock-wait$"):
            save(here / NAME, 2)
        done = simdocs(*BUILD, cwd=here)
        assert (done.status, done.out) == (75, b"")
        assert re.fullmatch(rf"simdocs: error: {said} --lock-wait\n", done.err)
        begun = time.monotonic()
        assert simdocs(*BUILD, "--lock-wait", "0.4", cwd=here).status == 75
        assert time.monotonic() - begun > 0.4
        with pytest.raises(LockedError), writing(here / "./../" / here.name / NAME):
            pytest.fail("the same by another name")
        save(here / "b.signatures", 3)  # another one may be written
    assert (found(here / NAME), found(here / "b.signatures")) == (1, 3)
    save(here / NAME, 4)
    assert listing(here) == [NAME, "b.signatures", "docs"]


@pytest.mark.reliability("the lock's holder is killed")
def test_a_killed_writer_does_not_keep_the_lock(here):
    env = trap(here, "os.kill(main, 9)", "open", "docs/c.txt")
    assert simdocs(*BUILD, "-j1", cwd=here, env=env).status == -signal.SIGKILL
    assert (found(here / NAME), listing(here)) == (1, [draft_of(NAME), NAME, "docs"])
    assert simdocs(*BUILD, cwd=here) == (0, b"", "")
    assert of_program(here / NAME)
    assert listing(here) == [NAME, "docs"]


@pytest.mark.reliability("the lock's holder is killed")
def test_workers_that_outlive_a_killed_writer_do_not_keep_its_lock(here):
    action = "open('worker', 'w').write(str(os.getpid()))\nos.kill(main, 9)\ntime.sleep(600)"
    env = trap(here, action, "open", "docs/c.txt", in_worker=True)
    streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with running(*BUILD, "-j2", cwd=here, env=env, **streams) as process:
        assert process.wait(60) == -signal.SIGKILL
        os.kill(int((here / "worker").read_text()), 0)  # lives on
        assert simdocs(*BUILD, cwd=here) == (0, b"", "")
        os.kill(int((here / "worker").read_text()), 0)
    assert of_program(here / NAME)
    assert listing(here) == [NAME, "docs", "worker"]


@pytest.mark.reliability("ctrl-C, SIGTERM or SIGHUP")
@pytest.mark.parametrize(("number", "jobs"), [*((number, "-j1") for number in ENDING), (signal.SIGTERM, "-j2")])
def test_a_signal_during_the_work_keeps_the_old_artifact(here, number, jobs):
    env = trap(here, f"os.kill(main, {number})", "open", "docs/c.txt", in_worker=jobs == "-j2")
    assert simdocs(*BUILD, jobs, cwd=here, env=env) == (-number, b"", "")
    assert (found(here / NAME), listing(here)) == (1, [NAME, "docs"])


def stopped(process: int) -> bool:
    """Whether a process is stopped, as by Ctrl-Z."""
    return Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2].startswith("T")


@pytest.mark.reliability("ctrl-Z, SIGSTOP and fg")
@pytest.mark.parametrize("jobs", ["-j1", "-j2"])
def test_a_stopped_writer_keeps_its_lock_and_goes_on(here, jobs):
    note = here / "stopped"
    action = f"open({str(note)!r}, 'w').write(str(os.getpid()))\nos.kill(os.getpid(), signal.SIGSTOP)"
    env = trap(here, action, "open", "docs/c.txt", in_worker=jobs == "-j2")
    with running(*BUILD, jobs, cwd=here, env=env) as process:
        wait_until(lambda: note.exists() and note.read_text() and stopped(int(note.read_text())))
        with pytest.raises(LockedError):
            save(here / NAME, 2)
        os.kill(int(note.read_text()), signal.SIGCONT)
        assert finished(process) == (0, b"", "")
    note.unlink()
    assert of_program(here / NAME)
    assert listing(here) == [NAME, "docs"]


@pytest.mark.reliability("a signal while an output is published")
@pytest.mark.parametrize(("event", "at", "new"), [
    ("fcntl.flock", 1, False), ("ctypes.dlsym", 1, False), ("ctypes.dlsym", 2, True), ("os.remove", 2, True),
    *slow(("os.mkdir", 1, False), ("fcntl.flock", 2, False), ("os.listdir", 3, False)),
])  # fmt: skip
def test_a_signal_during_locking_or_publishing_is_deferred(here, event, at, new):
    """The few calls that lock the draft, or publish it and remove the old artifact, are finished first."""
    env = trap(here, "os.kill(main, 15)", event, "" if event != "ctypes.dlsym" else "renameat2", at=at)
    assert anew(*BUILD, "-j1", cwd=here, env=env) == (-signal.SIGTERM, b"", "")
    assert listing(here) == [NAME, "docs"]
    assert of_program(here / NAME) if new else found(here / NAME) == 1


@pytest.mark.reliability("make -j into one directory")
def test_eight_writers_of_different_artifacts_do_not_meet(here):
    with ExitStack() as stack:
        names = [f"{at}.signatures" for at in range(8)]
        every = [
            stack.enter_context(running(*BUILD[:-1], name, "-j1", cwd=here)) for name in names
        ]  # fmt: skip
        assert [finished(process) for process in every] == [(0, b"", "")] * 8
    assert listing(here) == sorted([*names, NAME, "docs"])
    assert len({(here / name / "signatures.npy").read_bytes() for name in names}) == 1


@pytest.mark.reliability("readers of an artifact that is replaced")
@pytest.mark.parametrize("there", [True, False], ids=["over-an-old-one", "new"])
@pytest.mark.parametrize("rounds", [6, pytest.param(500, marks=pytest.mark.slow)])
def test_readers_see_whole_artifacts_while_writers_replace_them(place, there, rounds):
    """Every writer gets its turn, and a reader always sees the whole artifact of one of them."""
    path = place / NAME
    if there:
        save(path, 0)
    children = [_forked(lambda salt=salt: [save(path, salt, wait=60) for _ in range(rounds)]) for salt in (1, 2, 3)]
    seen = set()
    while children:
        if there or path.exists():
            seen.add(read(path))
        for child in children:
            ended, status = os.waitpid(child, os.WNOHANG)
            if ended:
                assert status == 0
                children.remove(child)
                break
    assert seen <= {0, 1, 2, 3}
    assert found(path) in (1, 2, 3)
    assert os.listdir(place) == [NAME]


def _forked(work) -> int:
    child = os.fork()
    if not child:
        status = 1
        try:
            work()
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    return child
