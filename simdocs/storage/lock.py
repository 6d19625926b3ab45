"""One writer at a time: a draft directory is the lock of its target, and a note in it names the holder.

A lock is a flock on a directory, so it ends with the process that holds it. A draft that can be locked was left behind
by a run that was killed.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import time

from simdocs.errors import LockedError, mention
from simdocs.storage import syscalls

HOLDER = "holder"
"""The file in a draft directory that names the process that holds it."""

RETRY_SECONDS = 0.05
"""Seconds between two attempts to get a lock."""

_ADVICE = f"try again later, or wait with {mention('lock_wait')}"


def try_lock_draft(draft: str, dir_fd: int, name: str, *, last_try: bool) -> int:
    """Create, lock and empty the draft directory, and return its descriptor, or -1 if the caller must try again.

    LockedError: another run holds it, and this was the last try.
    """
    syscalls.create_directory(draft, dir_fd)
    try:
        descriptor = syscalls.open_directory(draft, dir_fd)
    except FileNotFoundError:  # its holder has just finished
        return -1
    kept = False
    try:
        if not syscalls.try_lock(descriptor):
            if last_try:
                raise LockedError(f"{name}: is being written by {_holder(descriptor)}: {_ADVICE}")
        elif is_same(draft, dir_fd, descriptor):
            syscalls.empty_directory(descriptor)
            kept = True
    except OSError:
        with contextlib.suppress(OSError):
            syscalls.remove_directory(draft, dir_fd)
        raise
    finally:
        if not kept:
            os.close(descriptor)
    return descriptor if kept else -1


def lock_target(base: str, dir_fd: int, name: str, deadline: float) -> int:
    """Lock the directory that is to be replaced, and return its descriptor, or -1 if there is none.

    LockedError: at the deadline another process still holds it. That may be a run that has just published it and is
    not finished, or `flock TARGET`.
    """
    while True:
        try:
            target = syscalls.open_directory(base, dir_fd)
        except FileNotFoundError:
            return -1
        kept = False
        try:
            kept = syscalls.try_lock(target)
        finally:
            if not kept:
                os.close(target)
        if kept:
            return target
        if time.monotonic() >= deadline:
            raise LockedError(f"{name}: is locked by another process: {_ADVICE}")
        time.sleep(RETRY_SECONDS)


def is_same(name: str, dir_fd: int, descriptor: int) -> bool:
    """Return whether this name still belongs to what was opened as `descriptor`."""
    try:
        now = os.stat(name, dir_fd=dir_fd, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return os.path.samestat(now, os.fstat(descriptor))


def write_holder(descriptor: int) -> None:
    """Write into a draft directory which process holds it."""
    facts = {
        "pid": os.getpid(),
        "host": socket.gethostname(),
        "start": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }
    file = syscalls.create(HOLDER, descriptor)
    try:
        syscalls.write(file, json.dumps(facts).encode())
    finally:
        syscalls.close(file)


def _holder(descriptor: int) -> str:
    """Describe who holds the draft directory, as far as that is known."""
    try:
        file = os.open(HOLDER, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=descriptor)
        try:
            facts = json.loads(os.read(file, 4096))
        finally:
            os.close(file)
        return f"process {facts['pid']} on {facts['host']} since {facts['start']}"
    except (OSError, ValueError, KeyError, TypeError):
        return "another run"
