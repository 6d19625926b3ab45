"""Inject faults: make the n-th call that changes the disk fail, before or after it does its work.

`Faulty` does so in this process, `FaultyProgram` in a run of the program.
"""

from __future__ import annotations

import errno
import fcntl
import os
import signal
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Protocol

from simdocs.errors import OutputError
from simdocs.storage import syscalls
from tests.cli.program import Done, simdocs
from tests.cli.traps import prelude

CALLS = (
    *("open", "close", "dup", "listdir", "write", "pwrite", "fstat", "fchmod", "fsync", "umask"),
    *("rename", "unlink", "mkdir", "rmdir", "link", "stat", "ftruncate", "utime", "fchown", "listxattr", "setxattr"),
)
"""The functions of os that simdocs/storage/syscalls.py calls, besides flock and renameat2."""


class Ended(BaseException):
    """The exception that the handler of a signal raises."""


class Patch(Protocol):
    """Sets attributes, as pytest's monkeypatch does."""

    def setattr(self, target: Any, name: str, value: Any, /) -> None: ...


Fault = BaseException | Callable[[], object]

FAULTS: dict[str, tuple[Fault, bool]] = {
    "disk-full": (OSError(errno.ENOSPC, "No space left on device"), False),
    "broken-disk": (OSError(errno.EIO, "Input/output error"), False),
    "no-permission": (OSError(errno.EACCES, "Permission denied"), False),
    "signal-before": (Ended(), False),
    "signal-after": (Ended(), True),
}


class Faulty:
    """Counts the calls of syscalls.py, and raises or calls the fault at the n-th, or at all of one name."""

    def __init__(self, fault: Fault | None = None, at: int = -1, done: bool = False, only: str = "") -> None:
        self.fault, self.at, self.done, self.only = fault, at, done, only
        self.calls: list[str] = []

    def wrapped(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def instead(*arguments: Any, **more: Any) -> Any:
            self.calls.append(name)
            now = self.fault is not None and (len(self.calls) - 1 == self.at or name == self.only)
            # A descriptor is gone after a failed close, too.
            if now and not self.done and name != "close":
                self.go_wrong()
            result = call(*arguments, **more)
            if now:
                self.go_wrong()
            return result

        return instead

    def go_wrong(self) -> None:
        if isinstance(self.fault, BaseException):
            raise self.fault.with_traceback(None)  # else it would keep the frames of all earlier runs, and their files
        assert self.fault is not None
        self.fault()

    def install(self, monkeypatch: Patch) -> None:
        calls = {name: self.wrapped(name, getattr(os, name)) for name in CALLS}
        instead(monkeypatch, flock=self.wrapped("flock", fcntl.flock), **calls)
        monkeypatch.setattr(syscalls, "_rename", self.wrapped("exchange", syscalls._rename))
        monkeypatch.setattr(syscalls, "_rename_between", self.wrapped("renameat2", syscalls._rename_between))


def instead(monkeypatch: Patch, *, flock: Callable[..., Any] = fcntl.flock, **calls: Callable[..., Any]) -> None:
    """Let syscalls.py call these functions instead of flock, and of the functions of os of these names."""
    monkeypatch.setattr(syscalls, "os", SimpleNamespace(**(vars(os) | calls)))
    monkeypatch.setattr(syscalls, "fcntl", SimpleNamespace(**(vars(fcntl) | {"flock": flock})))


def calls_of(run: Callable[[], object]) -> list[str]:
    """Return the calls of a run without a fault."""
    import pytest  # here, because importing it takes longer than a run of the program

    with pytest.MonkeyPatch.context() as patch:
        faulty = Faulty()
        faulty.install(patch)
        run()
    return faulty.calls


def end_of(run: Callable[[], object], fault: Fault, at: int, done: bool = False) -> OutputError | Ended | None:
    """Return how a run ends if the n-th call goes wrong, before or after it is done; None if the run succeeds."""
    import pytest

    with pytest.MonkeyPatch.context() as patch:
        Faulty(fault, at, done).install(patch)
        try:
            run()
        except (OutputError, Ended) as error:
            return error
    return None


def killed(work: Callable[[], object], at: int) -> int:
    """Do work in a child process, which cannot clean up: it is killed at the n-th call. Return its exit code."""
    import pytest

    child = os.fork()
    if not child:
        with pytest.MonkeyPatch.context() as patch:
            try:
                Faulty(lambda: os.kill(os.getpid(), signal.SIGKILL), at).install(patch)
                work()
            finally:
                os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


_PROGRAM = """
import atexit, os, sys
from types import SimpleNamespace

sys.path.append({root!r})
from tests.storage.faults import Faulty

def kill():
    os.kill(os.getpid(), 9)

error = OSError({number}, os.strerror({number}))
faulty = Faulty(error if {number} else kill, int(os.environ["AT"]))
faulty.install(SimpleNamespace(setattr=setattr))
atexit.register(lambda: open({log!r}, "w").write(" ".join(faulty.calls)))
"""


class FaultyProgram:
    """Runs the program in a directory, with an error of this number at the n-th call, or SIGKILL if it is 0."""

    def __init__(self, directory: Path, number: int, *arguments: str) -> None:
        self.directory, self.arguments = directory, arguments
        self._log = directory / "trap" / "calls"
        root = Path(__file__).resolve().parents[2]
        self._env = prelude(directory, _PROGRAM.format(root=str(root), number=number, log=str(self._log)))

    def run(self, at: int = -1) -> Done:
        return simdocs(*self.arguments, cwd=self.directory, env=self._env | {"AT": str(at)})

    def calls(self) -> list[str]:
        """Return the calls of the last run."""
        return self._log.read_text().split()
