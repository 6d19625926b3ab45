"""Publish a directory in one step: at every instant its name means the whole old one or the whole new one.

The new directory is built as a draft beside its target. The draft is also the lock: the process that holds it may write
that target. Finally the draft and the target exchange their names, and the old directory is removed.
"""

from __future__ import annotations

import contextlib
import os
import stat
import time
from collections.abc import Iterator
from typing import NamedTuple

from simdocs.names import display_name
from simdocs.storage import syscalls
from simdocs.storage.atomic_file import Drafts, draft_name, open_parent, real_path, sync_parent
from simdocs.storage.syscalls import as_output_error, signals_deferred
from simdocs.storage.targets import (
    HOLDER,
    PROBES,
    RETRY_SECONDS,
    Replaceable,
    create_draft,
    empty,
    is_same,
    lock_target,
    refuse_others,
    sweep_directory,
)


class DraftDirectory(NamedTuple):
    """A directory to fill: its descriptor, and the name of its target for messages."""

    dir_fd: int
    name: str


@contextlib.contextmanager
def atomic_directory(path: str, replaceable: Replaceable, wait: float = 0.0) -> Iterator[DraftDirectory]:
    """Open a draft that becomes the directory `path` at the end. After an exception, the old directory is still there.

    A link is followed: its target is replaced. wait: seconds to wait while another run writes the same target.
    LockedError: it is still being written. UsageError: it exists and may not be replaced. OutputError: its directory
    does not exist or is an artifact, the disk is full, or the file system cannot exchange directories.
    """
    name = display_name(os.fsencode(path))
    parent, base = os.path.split(real_path(path, name))
    with syscalls.held(open_parent(parent, name)) as dir_fd:
        yield from _filled(base, Drafts(draft_name(base), dir_fd, parent, name), replaceable, wait)


def check_directory(path: str, replaceable: Replaceable) -> None:
    """Raise the UsageError or OutputError that `atomic_directory` raises about this path before it writes anything."""
    name = display_name(os.fsencode(path))
    parent, base = os.path.split(real_path(path, name))
    with syscalls.held(open_parent(parent, name)) as dir_fd:
        refuse_others(base, dir_fd, replaceable, name)


def _filled(base: str, drafts: Drafts, replaceable: Replaceable, wait: float) -> Iterator[DraftDirectory]:
    own, dir_fd, name = drafts.prefix, drafts.dir_fd, drafts.name
    deadline = time.monotonic() + wait
    draft = old = replaced = -1
    try:
        with as_output_error(name):
            while draft < 0:
                with signals_deferred():
                    draft = create_draft(own, dir_fd)
                last_try = time.monotonic() >= deadline
                if draft < 0 and not sweep_directory(drafts, replaceable, last_try=last_try):
                    time.sleep(RETRY_SECONDS)
        # This comes after the lock, because until then another run may still be removing what it replaced.
        refuse_others(base, dir_fd, replaceable, name)
        with as_output_error(name):
            old = lock_target(base, dir_fd, name, deadline)
            if old >= 0:
                _try_exchange(draft)
        yield DraftDirectory(draft, name)
        refuse_others(base, dir_fd, replaceable, name)
        with as_output_error(name), signals_deferred():
            replaced = _publish(own, base, dir_fd, draft, old)
            sync_parent(dir_fd, name)
            # Only now is it certain that the new directory survives a power cut.
            _clear(drafts, replaced, replaceable)
    finally:
        try:
            _clear(drafts, draft, replaceable)
        finally:
            for descriptor in (draft, old, replaced):
                syscalls.release(descriptor)


def _publish(own: str, base: str, dir_fd: int, draft: int, old: int) -> int:
    """Put the draft in the place of the target, and return a descriptor of what it replaced, or -1.

    old: the target as it was when we began, locked, or -1.
    """
    syscalls.unlink(HOLDER, draft)
    # It must be complete on the disk before it can get a mode that lets others write to it: see `leftovers`.
    syscalls.sync(draft)
    try:
        target = syscalls.open_directory(base, dir_fd)
    except FileNotFoundError:
        syscalls.set_mode(draft, None, 0o777)
        syscalls.sync(draft)
        syscalls.rename_new(own, base, dir_fd)
        return -1
    try:
        # After the exchange it has the draft's name. Without a lock the next run would take it for a left-over draft.
        if not (old >= 0 and os.path.samestat(os.fstat(target), os.fstat(old))) and not syscalls.try_lock(target):
            raise OSError(None, "another process has locked it")
        syscalls.set_mode(draft, stat.S_IMODE(os.fstat(target).st_mode), 0o777)
        syscalls.sync(draft)
        syscalls.exchange(own, base, dir_fd)
    except BaseException:
        syscalls.release(target)
        raise
    return target


def _clear(drafts: Drafts, descriptor: int, replaceable: Replaceable) -> None:
    """Remove this directory if it has the draft's name. If that fails, the next writer does it."""
    with contextlib.suppress(OSError):
        if descriptor >= 0 and is_same(drafts.prefix, drafts.dir_fd, descriptor):
            empty(descriptor, replaceable)
            syscalls.remove_directory(drafts.prefix, drafts.dir_fd)


def _try_exchange(draft: int) -> None:
    """Fail now, and not after the work, if the file system cannot exchange directories."""
    for name in PROBES:
        syscalls.create_directory(name, draft)
    syscalls.exchange(*PROBES, draft)
    for name in PROBES:
        syscalls.remove_directory(name, draft)
