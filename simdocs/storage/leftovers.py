"""Remove the drafts that a killed run left behind. Anything else with the name of a draft is reported and kept.

In a directory that others can write to, somebody else can make something with the name of our draft: a FIFO, a link, a
directory. So nothing is opened before its type and owner are known, opening never waits, and only what we can have made
is removed: by its owner, its mode, and the names in it.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
from typing import NamedTuple

from simdocs.errors import OutputError
from simdocs.names import display_name
from simdocs.storage import syscalls
from simdocs.storage.lock import HOLDER, is_same, locked_by_another
from simdocs.storage.targets import Replaceable, is_replaceable
from simdocs.storage.tree import remove_below

PROBES = ("a", "b")
"""Two empty directories that are made in a draft to find out whether the file system can exchange directories."""

_TYPES = {
    stat.S_IFREG: "a file",
    stat.S_IFDIR: "a directory",
    stat.S_IFLNK: "a link",
    stat.S_IFIFO: "a FIFO",
    stat.S_IFSOCK: "a socket",
}


class Drafts(NamedTuple):
    """The names of the drafts of one target.

    prefix: the name of a draft directory, or the beginning of the names of draft files
    dir_fd, directory: the directory of the drafts, as a descriptor and as a path
    name: the target, for messages
    """

    prefix: str
    dir_fd: int
    directory: str
    name: str

    def in_the_way(self, draft: str, problem: str) -> OutputError:
        """Return the error about something that has the name of a draft and is not ours."""
        path = display_name(os.fsencode(os.path.join(self.directory, draft)))
        return OutputError(
            f"{self.name}: the name of its temporary file is taken: {path} {problem}:"
            " remove it if no other run is using it, or choose another output"
        )


def sweep_files(drafts: Drafts) -> None:
    """Remove the draft files of this target whose writers are gone: those that can be locked.

    OutputError: something that is not ours has the name of a draft.
    """
    for draft in syscalls.names_in(drafts.dir_fd):
        if re.fullmatch(rf"{re.escape(drafts.prefix)}\.\d+\.\d+", draft):
            _sweep_file(draft, drafts)


def _sweep_file(draft: str, drafts: Drafts) -> None:
    try:
        met = os.stat(draft, dir_fd=drafts.dir_fd, follow_symlinks=False)
    except FileNotFoundError:  # its writer has just finished
        return
    if problem := _not_ours(met, stat.S_IFREG):
        raise drafts.in_the_way(draft, problem)
    with contextlib.suppress(OSError):
        descriptor = syscalls.open_found(draft, drafts.dir_fd)
        try:
            if not _not_ours(os.fstat(descriptor), stat.S_IFREG) and syscalls.try_lock(descriptor):
                syscalls.try_unlink(draft, drafts.dir_fd)
        finally:
            syscalls.release(descriptor)


def sweep_directory(drafts: Drafts, replaceable: Replaceable, *, last_try: bool) -> bool:
    """Remove the draft directory of this target, and return whether nothing has its name now.

    If another run holds it, returns False, or raises LockedError if this was the last try. OutputError: it is not ours.
    """
    try:
        met = os.stat(drafts.prefix, dir_fd=drafts.dir_fd, follow_symlinks=False)
        if problem := _not_ours(met, stat.S_IFDIR):
            raise drafts.in_the_way(drafts.prefix, problem)
        descriptor = syscalls.open_directory(drafts.prefix, drafts.dir_fd)
    except FileNotFoundError:  # its holder has just finished
        return True
    try:
        if not syscalls.try_lock(descriptor):
            if last_try:
                raise locked_by_another(drafts.name, descriptor)
            return False
        if is_same(drafts.prefix, drafts.dir_fd, descriptor):
            if problem := _not_ours(os.fstat(descriptor), stat.S_IFDIR) or _not_a_draft(descriptor, replaceable):
                raise drafts.in_the_way(drafts.prefix, problem)
            empty(descriptor, replaceable)
            syscalls.remove_directory(drafts.prefix, drafts.dir_fd)
    finally:
        syscalls.release(descriptor)
    return True


def empty(descriptor: int, replaceable: Replaceable) -> None:
    """Remove from a directory all names that a draft or an artifact has, and no others. OSError."""
    if replaceable.below is not None:
        remove_below(descriptor, replaceable.below(descriptor))
    syscalls.empty_directory(descriptor, replaceable.files | {HOLDER}, PROBES)


def _not_ours(status: os.stat_result, wanted: int) -> str:
    """Say why this cannot be a draft of ours, "" if it can. wanted: the type of file that a draft is."""
    found = stat.S_IFMT(status.st_mode)
    if found != wanted:
        return f"is {_TYPES.get(found, 'a device')}"
    return "" if status.st_uid == os.geteuid() else "belongs to another user"


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
    descriptor = syscalls.open_directory(name, dir_fd)
    try:
        return not syscalls.names_in(descriptor)
    finally:
        syscalls.release(descriptor)
