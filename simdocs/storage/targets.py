"""What an output may replace, what its drafts are called, and what is done with drafts that killed runs have left."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import re
import stat
from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import accumulate
from typing import NamedTuple

from simdocs.errors import OutputError, UsageError
from simdocs.names import DRAFT_PREFIX, MANIFEST, display_name, is_manifest
from simdocs.storage import syscalls
from simdocs.storage.lock import HOLDER, is_same, locked_by_another
from simdocs.storage.syscalls import as_output_error


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


HEAD_BYTES = 200
"""Bytes of a manifest that are read to find its format, which is named at the beginning."""


def manifest_head(path: str) -> bytes:
    """The beginning of the manifest of the artifact in this directory; empty if it is none, or cannot be read."""
    try:
        # O_NONBLOCK: opening a FIFO would wait for a writer.
        with syscalls.held(os.open(os.path.join(path, MANIFEST), os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)) as file:
            head = os.read(file, HEAD_BYTES) if stat.S_ISREG(os.fstat(file).st_mode) else b""
    except (OSError, ValueError):  # ValueError: the path holds a NUL
        return b""
    return head if is_manifest(head) else b""


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


def draft_name(base: str) -> str:
    """Return the beginning of the names of this target's drafts. It is short, however long the target's name is."""
    return f"{DRAFT_PREFIX}{hashlib.sha256(os.fsencode(base)).hexdigest()[:16]}"


def real_path(path: str, name: str) -> str:
    """Return the path that the output `name` replaces: that of the target, if there is a link.

    In a directory where everybody may create files, such as /tmp, another user's link could lead to any file of ours,
    and a FIFO would hand over the answer. OutputError: there is one. (Linux refuses such links too, unless
    fs.protected_symlinks is 0.)
    """
    parent, base = os.path.split(path.rstrip("/"))
    if base in ("", ".", ".."):
        return os.path.realpath(path)
    # A link that appears from here on is replaced itself.
    itself = os.path.join(os.path.realpath(parent), base)
    try:
        met, around = os.lstat(itself), os.lstat(os.path.dirname(itself))
    except OSError:  # nothing is there, or what is wrong is found out when the directory is opened
        return itself
    shared = around.st_mode & stat.S_ISVTX and around.st_mode & stat.S_IWOTH
    special = not stat.S_ISREG(met.st_mode) and not stat.S_ISDIR(met.st_mode)
    if shared and special and met.st_uid not in (os.geteuid(), around.st_uid):
        what = "a link" if stat.S_ISLNK(met.st_mode) else "a special file"
        raise OutputError(f"{name}: this is {what} of another user: choose another name")
    return os.path.realpath(itself) if stat.S_ISLNK(met.st_mode) else itself


def open_parent(directory: str, name: str) -> int:
    """Open the directory in which the target `name` will be published, and return its descriptor.

    OutputError: it does not exist, or it is an artifact, which the new file would damage.
    """
    if manifest_head(directory):
        raise OutputError(f"{name}: this is inside an artifact: choose another directory")
    with as_output_error(name):
        try:
            return syscalls.open_directory(directory)
        except FileNotFoundError:
            missing = display_name(os.fsencode(directory))
            raise OutputError(f"{name}: there is no directory {missing}: create it first") from None


@contextlib.contextmanager
def published_but(name: str, problem: str) -> Iterator[None]:
    """Turn an OSError into an OutputError which says that the target was published, and what went wrong then."""
    try:
        yield
    except OSError as error:
        raise OutputError(f"{name}: published, but {problem}: {error.strerror}") from error


def sync_parent(dir_fd: int, name: str) -> None:
    """Sync the directory in which the target was published. The OutputError says that it was published."""
    with published_but(name, "durability not confirmed"):
        syscalls.sync(dir_fd)


def refuse_files(base: str, dir_fd: int, replaceable: Replaceable, name: str) -> None:
    """Raise UsageError if the target exists and is no directory.

    This can be asked before the lock is taken, so that a device or a file never gets a draft beside it: nothing that
    another run does can make a target look like a file for a moment.
    """
    with contextlib.suppress(OSError):
        if not stat.S_ISDIR(os.stat(base, dir_fd=dir_fd, follow_symlinks=False).st_mode):
            raise _not_replaceable(name, replaceable)


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
    with contextlib.suppress(OSError), syscalls.held(syscalls.open_found(draft, drafts.dir_fd)) as descriptor:
        if not _not_ours(os.fstat(descriptor), stat.S_IFREG) and syscalls.try_lock(descriptor):
            syscalls.try_unlink(draft, drafts.dir_fd)


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
    with syscalls.held(syscalls.open_directory(name, dir_fd)) as descriptor:
        return not syscalls.names_in(descriptor)
