"""The directories that an output may replace, and one writer at a time: a draft directory is the lock of its target.

A lock is a flock on a directory, so it ends with the process that holds it. A note in a draft names its holder. A draft
that can be locked was left behind by a run that was killed.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import stat
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import accumulate
from typing import NamedTuple

from simdocs.errors import LockedError, OutputError, UsageError
from simdocs.names import display_name
from simdocs.storage import syscalls
from simdocs.storage.atomic_file import Drafts, not_ours

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
    file, kept = syscalls.create(HOLDER, descriptor), False
    try:
        with syscalls.written(file):
            ours = os.fstat(file).st_uid == os.fstat(descriptor).st_uid
            if ours:
                syscalls.write(file, json.dumps(facts).encode())
        kept = ours
    finally:
        if not kept:
            syscalls.try_unlink(HOLDER, descriptor)
    return kept


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
    now = syscalls.status(name, dir_fd)
    return now is not None and os.path.samestat(now, os.fstat(descriptor))


def _holder(descriptor: int) -> str:
    """Describe who holds the draft directory, as far as that is known."""
    try:
        with syscalls.held(syscalls.open_found(HOLDER, descriptor)) as file:
            facts = json.loads(os.read(file, 4096))
        return f"process {facts['pid']} on {facts['host']} since {facts['start']}"
    except (OSError, ValueError, KeyError, TypeError):
        return "another run"


@contextlib.contextmanager
def directory_below(descriptor: int, directory: str, *, create: bool = False) -> Iterator[int]:
    """Open a directory below another one, by a relative path, which is empty for that one itself. OSError.

    create: make the directories on the way that do not exist.
    """
    at = os.dup(descriptor)
    try:
        for name in filter(None, directory.split("/")):
            if create:
                with contextlib.suppress(FileExistsError):
                    syscalls.create_directory(name, at)
            below = syscalls.open_directory(name, at)
            syscalls.release(at)
            at = below
        yield at
    finally:
        syscalls.release(at)


def directories_of(paths: Iterable[str]) -> list[str]:
    """All directories on the way to these files, each before the one in which it is."""
    above = {os.path.dirname(path) for path in paths}
    every = {each for directory in above for each in accumulate(directory.split("/"), "{}/{}".format)}
    return sorted(every - {""}, key=lambda directory: (-directory.count("/"), directory))


def paths_below(descriptor: int) -> Iterator[str]:
    """Yield the relative paths of all that is below a directory: those of empty directories end with a slash."""
    waiting = [""]
    while waiting:
        directory = waiting.pop()
        prefix = f"{directory}/" if directory else ""
        with directory_below(descriptor, directory) as at:
            names = syscalls.names_in(at)
            if not names and prefix:
                yield prefix
            for name in names:
                if stat.S_ISDIR(os.stat(name, dir_fd=at, follow_symlinks=False).st_mode):
                    waiting.append(prefix + name)
                else:
                    yield prefix + name


def remove_below(descriptor: int, paths: Collection[str]) -> None:
    """Remove these files below one of our directories, and the directories that they were in. OSError.

    What is gone already is ignored. A directory that holds something else is an error.
    """
    files: dict[str, list[str]] = {}
    for path in paths:
        files.setdefault(os.path.dirname(path), []).append(os.path.basename(path))
    for directory in [*directories_of(paths), ""]:
        with contextlib.suppress(FileNotFoundError), directory_below(descriptor, directory) as at:
            for name in files.get(directory, ()):
                with contextlib.suppress(FileNotFoundError):
                    syscalls.unlink(name, at)
        if directory:
            above, name = os.path.split(directory)
            with contextlib.suppress(FileNotFoundError), directory_below(descriptor, above) as at:
                syscalls.remove_directory(name, at)


class Replaceable(NamedTuple):
    """Which existing directories an output may replace.

    description: what they are, for messages: "an index".
    files: the names of all files that they may hold, beside the lock's own.
    recognises: tells whether a directory that holds only such names is one of them, from its descriptor and the names
        in it; raises OSError if it cannot be read.
    below: returns the relative paths of more files that a directory may hold, also in directories below it, from its
        descriptor; None: there are none.
    altered: says what was done to a directory of this kind since it was written, and what to do, from its descriptor;
        None: nothing, or it is no such directory.
    may_be_empty: whether an empty directory, as mkdir makes it, may be replaced as well.
    """

    description: str
    files: frozenset[str]
    recognises: Callable[[int, frozenset[str]], bool]
    below: Callable[[int], frozenset[str]] | None = None
    altered: Callable[[int], str | None] = lambda _descriptor: None
    may_be_empty: bool = False

    def names(self, descriptor: int) -> frozenset[str]:
        """The names that a directory may hold, beside the lock's own."""
        if self.below is None:
            return self.files
        return self.files | {path.partition("/")[0] for path in self.below(descriptor)}


def refuse_others(base: str, dir_fd: int, replaceable: Replaceable, name: str) -> None:
    """Raise UsageError if the target exists and may not be replaced."""
    try:
        descriptor = syscalls.open_directory(base, dir_fd)
    except FileNotFoundError:
        return
    except OSError as error:
        if error.errno in (errno.ENOTDIR, errno.ELOOP):
            raise _not_replaceable(name, replaceable) from None
        raise OutputError(f"{name}: {error.strerror}") from None
    try:
        names = frozenset(syscalls.names_in(descriptor))
        if not is_replaceable(descriptor, names, replaceable):
            if (altered := replaceable.altered(descriptor)) is not None:
                raise UsageError(f"{name}: {altered}")
            raise _not_replaceable(name, replaceable)
    except OSError as error:
        raise OutputError(f"{name}: {error.strerror}") from None
    finally:
        syscalls.release(descriptor)


def is_replaceable(descriptor: int, names: frozenset[str], replaceable: Replaceable) -> bool:
    """Return whether an output may replace the directory that holds these names. OSError: it cannot be read."""
    if not names:
        return replaceable.may_be_empty
    return names <= replaceable.names(descriptor) | {HOLDER} and replaceable.recognises(descriptor, names)


def _not_replaceable(name: str, replaceable: Replaceable) -> UsageError:
    return UsageError(
        f"{name}: this exists and is not {replaceable.description}, so it is not replaced: choose another name"
    )


PROBES = ("a", "b")
"""Two empty directories that are made in a draft to find out whether the file system can exchange directories."""


def sweep_directory(drafts: Drafts, replaceable: Replaceable, *, last_try: bool) -> bool:
    """Remove the draft directory of this target, and return whether nothing has its name now.

    If another run holds it, returns False, or raises LockedError if this was the last try. OutputError: it is not ours.
    """
    try:
        met = os.stat(drafts.prefix, dir_fd=drafts.dir_fd, follow_symlinks=False)
        if problem := not_ours(met, stat.S_IFDIR):
            raise drafts.in_the_way(drafts.prefix, problem)
        descriptor = syscalls.open_directory(drafts.prefix, drafts.dir_fd)
    except FileNotFoundError:  # its holder has just finished
        return True
    with syscalls.held(descriptor):
        if not syscalls.try_lock(descriptor):
            if last_try:
                raise LockedError(f"{drafts.name}: is being written by {_holder(descriptor)}: {_ADVICE}")
            return False
        if is_same(drafts.prefix, drafts.dir_fd, descriptor):
            if problem := not_ours(os.fstat(descriptor), stat.S_IFDIR) or _not_a_draft(descriptor, replaceable):
                raise drafts.in_the_way(drafts.prefix, problem)
            empty(descriptor, replaceable)
            syscalls.remove_directory(drafts.prefix, drafts.dir_fd)
    return True


def empty(descriptor: int, replaceable: Replaceable) -> None:
    """Remove from a directory all names that a draft or an artifact has, and no others. OSError."""
    if replaceable.below is not None:
        remove_below(descriptor, replaceable.below(descriptor))
    syscalls.empty_directory(descriptor, replaceable.files | {HOLDER}, PROBES)


def _not_a_draft(descriptor: int, replaceable: Replaceable) -> str:
    """Say why a directory is neither a draft that was left behind nor an artifact that one was exchanged with.

    A draft can be incomplete, but others cannot write to it: it gets the mode of an artifact only when it is complete.
    """
    names = frozenset(syscalls.names_in(descriptor))
    known = replaceable.names(descriptor)
    for name in sorted(names):
        is_directory = stat.S_ISDIR(os.stat(name, dir_fd=descriptor, follow_symlinks=False).st_mode)
        is_probe = is_directory and name in PROBES and _is_empty(name, descriptor)
        if not is_probe and (name not in known | {HOLDER} or (is_directory and replaceable.below is None)):
            return f"holds {display_name(os.fsencode(name))}, which simdocs did not write"
    open_to_others = os.fstat(descriptor).st_mode & syscalls.WRITABLE_BY_OTHERS
    if open_to_others and not is_replaceable(descriptor, names, replaceable):
        return "can be written to by other users"
    return ""


def _is_empty(name: str, dir_fd: int) -> bool:
    with syscalls.held(syscalls.open_directory(name, dir_fd)) as descriptor:
        return not syscalls.names_in(descriptor)
