"""Publishing an artifact: a directory, the whole old one or the whole new one at every instant.

It is built in a draft directory beside its target. The draft is the lock, too: who holds it may write that artifact,
and one that nobody holds is left over and is built in anew. Then the two change places in one step.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import socket
import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass

from simdocs.artifacts.formats import FORMATS, HOLDER, KIND_OF_SUFFIX, MANIFEST
from simdocs.errors import LockedError, OutputError, UsageError
from simdocs.model.names import shown
from simdocs.storage import syscalls
from simdocs.storage.atomic_file import confirm, draft_name, place_for
from simdocs.storage.syscalls import failing, undisturbed

_LOOK_AGAIN = 0.05
"""Seconds between two looks at a lock that somebody else holds."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A directory to fill: its descriptor, and the target's name for messages."""

    descriptor: int
    name: str


@contextlib.contextmanager
def drafted(path: str, kind: str, wait: float = 0.0) -> Iterator[Draft]:
    """A draft that becomes the artifact `path` when all went well; else what was there before is there still.

    wait: seconds to wait while another run writes the same artifact. LockedError: it still does. UsageError: what has
    that name is no artifact of this kind. OutputError: no such directory, or that of an artifact, no space, no way to
    exchange directories.
    """
    name = shown(os.fsencode(path))
    path = os.path.realpath(path)
    parent, base = os.path.split(path)
    if not base:
        raise UsageError(f"{name}: is no name for an artifact: name it NAME{FORMATS[kind].suffix}")
    if KIND_OF_SUFFIX.get(os.path.splitext(base)[1], kind) != kind:
        raise UsageError(f"{name}: is the name of another kind of artifact: name it NAME{FORMATS[kind].suffix}")
    place = place_for(parent or "/", name)
    try:
        yield from _filled(base, place, kind, name, wait)
    finally:
        os.close(place)


def _filled(base: str, place: int, kind: str, name: str, wait: float) -> Iterator[Draft]:
    own = draft_name(base)
    deadline = time.monotonic() + wait
    descriptor = old = replaced = -1
    try:
        with failing(name):
            while descriptor < 0:
                with undisturbed():
                    descriptor = _hold(own, place, name, last=time.monotonic() >= deadline)
                if descriptor < 0:
                    time.sleep(_LOOK_AGAIN)
            _introduce(descriptor)
        # Not before: until then another run may be clearing away what it replaced.
        _refuse_others(base, place, kind, name)
        with failing(name):
            old = _hold_old(base, place, name, deadline)
            if old >= 0:
                _try_exchange(descriptor)
        yield Draft(descriptor, name)
        _refuse_others(base, place, kind, name)
        with failing(name), undisturbed():
            replaced = _publish(own, base, place, descriptor, old)
            confirm(place, name)
            # Only now is the new one sure to be there after a power cut.
            _clear(own, place, replaced)
    finally:
        try:
            _clear(own, place, descriptor)
        finally:
            for one in (descriptor, old, replaced):
                if one >= 0:
                    os.close(one)


def _publish(own: str, base: str, place: int, descriptor: int, old: int) -> int:
    """Put the draft in the target's place; a descriptor of what was there, or -1. old: what was there when we began,
    locked, or -1."""
    syscalls.unlink(HOLDER, descriptor)
    try:
        there = syscalls.directory(base, place)
    except FileNotFoundError:
        syscalls.open_to_all(descriptor, None, 0o777)
        syscalls.sync(descriptor)
        syscalls.rename_new(own, base, place)
        return -1
    try:
        # Once exchanged, it has the draft's name, and must not look left over before it is cleared away.
        if not (old >= 0 and os.path.samestat(os.fstat(there), os.fstat(old))) and not syscalls.locked(there):
            raise OSError(None, "somebody else has locked it")
        syscalls.open_to_all(descriptor, stat.S_IMODE(os.fstat(there).st_mode), 0o777)
        syscalls.sync(descriptor)
        syscalls.exchange(own, base, place)
    except BaseException:
        os.close(there)
        raise
    return there


def _clear(own: str, place: int, descriptor: int) -> None:
    """Remove this directory if it has the draft's name, and if that can be done: the next writer does it otherwise."""
    with contextlib.suppress(OSError):
        if descriptor >= 0 and _is(own, place, descriptor):
            syscalls.empty(descriptor)
            syscalls.remove_directory(own, place)


def _hold(own: str, place: int, name: str, *, last: bool) -> int:
    """The draft directory, made, locked and empty: its descriptor; -1: look again. last: LockedError instead, if
    somebody else holds it."""
    syscalls.create_directory(own, place)
    try:
        descriptor = syscalls.directory(own, place)
    except FileNotFoundError:  # its holder has just finished
        return -1
    kept = False
    try:
        if not syscalls.locked(descriptor):
            if last:
                raise LockedError(f"{name}: {_holder(descriptor)} is writing it: --lock-wait SECONDS waits for it")
        elif _is(own, place, descriptor):
            syscalls.empty(descriptor)
            kept = True
    except OSError:
        with contextlib.suppress(OSError):
            syscalls.remove_directory(own, place)
        raise
    finally:
        if not kept:
            os.close(descriptor)
    return descriptor if kept else -1


def _is(own: str, place: int, descriptor: int) -> bool:
    """Whether the name still means what was opened by it."""
    try:
        there = os.stat(own, dir_fd=place, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return os.path.samestat(there, os.fstat(descriptor))


def _introduce(descriptor: int) -> None:
    """Leave word of who holds the draft."""
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
    """Who holds the draft, as far as is known."""
    try:
        file = os.open(HOLDER, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=descriptor)
        try:
            facts = json.loads(os.read(file, 4096))
        finally:
            os.close(file)
        return f"process {facts['pid']} on {facts['host']}, since {facts['start']},"
    except (OSError, ValueError, KeyError, TypeError):
        return "another run"


def _hold_old(base: str, place: int, name: str, deadline: float) -> int:
    """What is to be replaced, locked; -1: nothing is there. LockedError: somebody else holds it, such as a run that has
    just published it and is not done, or `flock TARGET`."""
    while True:
        try:
            old = syscalls.directory(base, place)
        except FileNotFoundError:
            return -1
        kept = False
        try:
            kept = syscalls.locked(old)
        finally:
            if not kept:
                os.close(old)
        if kept:
            return old
        if time.monotonic() >= deadline:
            raise LockedError(f"{name}: another run has locked it: --lock-wait SECONDS waits for it")
        time.sleep(_LOOK_AGAIN)


def _try_exchange(descriptor: int) -> None:
    """Fail now, not after the work, where directories cannot be exchanged."""
    for one in ("a", "b"):
        syscalls.create_directory(one, descriptor)
    syscalls.exchange("a", "b", descriptor)
    for one in ("a", "b"):
        syscalls.remove_directory(one, descriptor)


def _refuse_others(base: str, place: int, kind: str, name: str) -> None:
    """UsageError when the target is there and is no artifact of this kind, nor what is left of one."""
    try:
        descriptor = syscalls.directory(base, place)
    except FileNotFoundError:
        return
    except OSError as error:
        if error.errno in (errno.ENOTDIR, errno.ELOOP):
            raise UsageError(f"{name}: is there and is no artifact: it is not replaced; remove it first") from None
        raise OutputError(f"{name}: {error.strerror}") from None
    try:
        there = set(syscalls.entries(descriptor))
        if not there or not there <= FORMATS[kind].files or not _of_kind(descriptor, there, kind):
            raise UsageError(f"{name}: is there and is no artifact of kind {kind}: it is not replaced; remove it first")
    except OSError as error:
        raise OutputError(f"{name}: {error.strerror}") from None
    finally:
        os.close(descriptor)


def _of_kind(descriptor: int, there: set[str], kind: str) -> bool:
    """Whether a directory of such names is of this kind: by its manifest, or, where that is damaged, by its arrays."""
    kinds = {one: stat.S_IFMT(os.stat(one, dir_fd=descriptor, follow_symlinks=False).st_mode) for one in there}
    if stat.S_IFDIR in kinds.values():
        return False
    if kinds.get(MANIFEST) == stat.S_IFREG:
        file = os.open(MANIFEST, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=descriptor)
        try:
            head = os.read(file, 200)
        finally:
            os.close(file)
        for other, one in FORMATS.items():
            if f'"{one.name}"'.encode() in head:
                return other == kind
    return {array.file for array in FORMATS[kind].arrays} <= there
