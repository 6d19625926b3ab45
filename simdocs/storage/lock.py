"""One writer at a time: a draft directory is the lock of its target, and a note in it names the holder.

A lock is a flock on a directory, so it ends with the process that holds it. A draft that can be locked was left behind
by a run that was killed.
"""

from __future__ import annotations

import contextlib
import json
import os
import time

from simdocs.errors import LockedError
from simdocs.storage import syscalls

HOLDER = "holder"
"""The file in a draft directory that names the process that holds it."""

RETRY_SECONDS = 0.05
"""Seconds between two attempts to get a lock."""

_ADVICE = "try again later, or wait with --lock-wait"


def create_draft(draft: str, dir_fd: int) -> int:
    """Create and lock the draft directory, and return its descriptor, or -1 if something else has that name."""
    try:
        syscalls.create_directory(draft, dir_fd)
    except FileExistsError:
        return -1
    kept, descriptor = False, -1
    try:
        descriptor = syscalls.open_directory(draft, dir_fd)
        # Another run may have taken it for a draft that was left behind: it holds the lock, or has removed it.
        kept = syscalls.try_lock(descriptor) and is_same(draft, dir_fd, descriptor) and _hold(descriptor)
    except FileNotFoundError:
        return -1
    except OSError:
        with contextlib.suppress(OSError):
            syscalls.remove_directory(draft, dir_fd)
        raise
    finally:
        if not kept:
            syscalls.release(descriptor)
    return descriptor if kept else -1


def _hold(descriptor: int) -> bool:
    """Write into a new draft directory which process holds it; return False if it was put in the place of our own.

    The owner of the directory is compared with that of a file that we create, and not with our user's number, because
    some network file systems give everything to one user.
    """
    if syscalls.names_in(descriptor):
        return False
    facts = {
        "pid": os.getpid(),
        "host": os.uname().nodename,
        "start": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }
    file = syscalls.create(HOLDER, descriptor)
    ours = False
    try:
        ours = os.fstat(file).st_uid == os.fstat(descriptor).st_uid
        if ours:
            syscalls.write(file, json.dumps(facts).encode())
        closing, file = file, -1
        syscalls.close(closing)
    except OSError:
        ours = False
        raise
    finally:
        if not ours:
            syscalls.release(file)
            syscalls.try_unlink(HOLDER, descriptor)
    return ours


def locked_by_another(name: str, descriptor: int) -> LockedError:
    """Return the error about a target whose draft directory another run holds."""
    return LockedError(f"{name}: is being written by {_holder(descriptor)}: {_ADVICE}")


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
                syscalls.release(target)
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


def _holder(descriptor: int) -> str:
    """Describe who holds the draft directory, as far as that is known."""
    try:
        with syscalls.held(syscalls.open_found(HOLDER, descriptor)) as file:
            facts = json.loads(os.read(file, 4096))
        return f"process {facts['pid']} on {facts['host']} since {facts['start']}"
    except (OSError, ValueError, KeyError, TypeError):
        return "another run"
