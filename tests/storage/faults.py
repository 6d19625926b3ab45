"""Inject faults: make the n-th call that changes the disk fail, before or after it does its work."""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from simdocs.storage import syscalls

CALLS = (
    *("open", "close", "listdir", "stat", "write", "pwrite", "fchmod", "fsync", "umask"),
    *("rename", "unlink", "mkdir", "rmdir"),
)
"""The functions of os that simdocs/storage/syscalls.py calls, besides flock and exchange."""


class Ended(BaseException):
    """The exception that the handler of a signal raises."""


Fault = BaseException | Callable[[], object]

FAULTS: dict[str, tuple[Fault, bool]] = {
    "disk-full": (OSError(errno.ENOSPC, "No space left on device"), False),
    "broken-disk": (OSError(errno.EIO, "Input/output error"), False),
    "signal-before": (Ended(), False),
    "signal-after": (Ended(), True),
}


class Faulty:
    """Counts the calls of syscalls.py, and raises or calls the fault at the n-th."""

    def __init__(self, fault: Fault | None = None, at: int = -1, done: bool = False) -> None:
        self.fault, self.at, self.done = fault, at, done
        self.calls: list[str] = []

    def wrapped(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def instead(*arguments: Any, **more: Any) -> Any:
            self.calls.append(name)
            now = self.fault is not None and len(self.calls) - 1 == self.at
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
            raise self.fault
        assert self.fault is not None
        self.fault()

    def install(self, monkeypatch: pytest.MonkeyPatch) -> None:
        calls = {name: self.wrapped(name, getattr(os, name)) for name in CALLS}
        monkeypatch.setattr(syscalls, "os", SimpleNamespace(**(vars(os) | calls)))
        flock = self.wrapped("flock", fcntl.flock)
        monkeypatch.setattr(syscalls, "fcntl", SimpleNamespace(**(vars(fcntl) | {"flock": flock})))
        monkeypatch.setattr(syscalls, "_rename", self.wrapped("exchange", syscalls._rename))


def calls_of(run: Callable[[], object]) -> list[str]:
    """Return the calls of a run without a fault."""
    with pytest.MonkeyPatch.context() as patch:
        faulty = Faulty()
        faulty.install(patch)
        run()
    return faulty.calls
