"""What an output may replace, where it may be published, and what its drafts are called."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import stat
from collections.abc import Callable, Iterator
from typing import NamedTuple

from simdocs.errors import OutputError, UsageError
from simdocs.names import DRAFT_PREFIX, display_name
from simdocs.storage import syscalls
from simdocs.storage.lock import HOLDER
from simdocs.storage.syscalls import as_output_error

IsArtifact = Callable[[str], bool]
"""Tells whether the directory of this path is an artifact. Nothing is published inside an artifact."""


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


def open_parent(directory: str, name: str, is_artifact: IsArtifact) -> int:
    """Open the directory in which the target `name` will be published, and return its descriptor.

    OutputError: it does not exist, or it is an artifact, which the new file would damage.
    """
    if is_artifact(directory):
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
