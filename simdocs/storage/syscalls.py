"""Every call that changes what is on disk, and how each of them fails.

All writing goes through this module, so that a test can make each call fail, or kill the program at it, and look at
what is left on the disk.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import signal
import stat
import sys
from collections.abc import Collection, Iterator
from typing import Any

from simdocs.errors import OutputError

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGALRM)
"""Signals whose handlers raise an exception. The command line sets that of SIGALRM, to repeat one that was lost."""

_NOREPLACE, _EXCHANGE = (1, 2) if sys.platform == "linux" else (4, 2)
"""Flags of renameat2 on Linux and of renameatx_np on macOS."""

_UNSUPPORTED = (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP)

_NO_EXCHANGE = "this file system cannot exchange two directories in one step: choose a new name or another file system"

_NO_NOREPLACE = "this file system cannot rename a file without replacing another"

_NO_LOCKS = "this file system cannot lock files: choose another file system"

WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH

DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


@contextlib.contextmanager
def as_output_error(name: str) -> Iterator[None]:
    """Turn an OSError into an OutputError about this name. A BrokenPipeError passes unchanged."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputError(f"{name}: write error: {error.strerror or error}") from error


@contextlib.contextmanager
def signals_deferred() -> Iterator[None]:
    """Hold signals back until a few calls are done, such as those of a commit."""
    old = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    try:
        # The handler of a signal that arrived just before runs here, and may raise.
        signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, old)


def open_directory(name: str, dir_fd: int | None = None) -> int:
    """Open a directory and return its descriptor. With dir_fd, the name is relative to it and must not be a link."""
    return os.open(name, DIRECTORY if dir_fd is None else DIRECTORY | os.O_NOFOLLOW, dir_fd=dir_fd)


def open_found(name: str, dir_fd: int) -> int:
    """Open a file that somebody else may have made, for reading, and return its descriptor.

    Never waits, as opening a FIFO would, and never follows a link. The caller must look at what was opened.
    """
    return os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=dir_fd)


def create(name: str, dir_fd: int) -> int:
    """Create a file for writing that only its owner can read, and return its descriptor. FileExistsError."""
    return os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600, dir_fd=dir_fd)


def create_directory(name: str, dir_fd: int) -> None:
    """Create a directory that only its owner can use. FileExistsError."""
    os.mkdir(name, 0o700, dir_fd=dir_fd)


def create_directories(path: str) -> None:
    """Create a directory, and those above it, unless they are there."""
    os.makedirs(path, exist_ok=True)


def close(descriptor: int) -> None:
    """Close a descriptor, unless it is -1. Some file systems report a full disk only here."""
    if descriptor >= 0:
        os.close(descriptor)


def release(descriptor: int) -> None:
    """Close a descriptor to which nothing was written that is still wanted, unless it is -1. Ignores a failure."""
    with contextlib.suppress(OSError):
        close(descriptor)


@contextlib.contextmanager
def held(descriptor: int) -> Iterator[int]:
    """Release a descriptor at the end of a block, in which nothing is written to it that is still wanted."""
    try:
        yield descriptor
    finally:
        release(descriptor)


@contextlib.contextmanager
def written(descriptor: int, at_close: contextlib.AbstractContextManager[Any] | None = None) -> Iterator[int]:
    """Close a descriptor at the end of a block in which something is written to it. OSError: that was not written.

    After an exception it is released. at_close: what is done with such an error.
    """
    try:
        yield descriptor
    except BaseException:
        release(descriptor)
        raise
    with at_close or contextlib.nullcontext():
        close(descriptor)


def try_lock(descriptor: int) -> bool:
    """Try to lock a file or directory without waiting, and return whether we hold the lock.

    OSError: among others, the file system has no locks.
    """
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno == errno.ENOLCK or error.errno in _UNSUPPORTED:
            raise OSError(error.errno, _NO_LOCKS) from None
        raise
    return True


def write(descriptor: int, data: bytes | memoryview) -> None:
    """Write all of data."""
    rest = memoryview(data)
    while rest:
        rest = rest[_progress(os.write(descriptor, rest)) :]


def write_at(descriptor: int, data: bytes, offset: int) -> None:
    """Write all of data, beginning at this offset."""
    while data:
        done = _progress(os.pwrite(descriptor, data, offset))
        data, offset = data[done:], offset + done


def _progress(done: int) -> int:
    """Return this number of bytes that a call has written. OSError if it is 0: to try again would never end."""
    if not done:
        raise OSError(errno.EIO, "the system wrote nothing")
    return done


def set_mode(descriptor: int, mode: int | None, default: int) -> None:
    """Set the mode of a file or directory; if it is None, to the default less the umask."""
    if mode is None:
        mask = os.umask(0)
        os.umask(mask)
        mode = default & ~mask
    os.fchmod(descriptor, mode)


def sync(descriptor: int) -> None:
    """Wait until what was written is on the disk. After a failure, discard the file: a second sync would succeed."""
    os.fsync(descriptor)


def names_in(descriptor: int) -> list[str]:
    """List the names in a directory."""
    return os.listdir(descriptor)


def rename(old: str, new: str, dir_fd: int) -> None:
    """Rename a file, replacing the file that has the new name."""
    os.rename(old, new, src_dir_fd=dir_fd, dst_dir_fd=dir_fd)


def rename_new(old: str, new: str, dir_fd: int) -> None:
    """Rename a directory to a name that does not exist yet. FileExistsError."""
    try:
        _rename(old, new, dir_fd, _NOREPLACE)
    except OSError as error:
        if error.errno not in _UNSUPPORTED:
            raise
        # A plain rename fails too, unless the name belongs to an empty directory.
        os.rename(old, new, src_dir_fd=dir_fd, dst_dir_fd=dir_fd)


def exchange(first: str, second: str, dir_fd: int) -> None:
    """Exchange two names in one step. OSError (ENOTSUP) if the file system cannot do that."""
    try:
        _rename(first, second, dir_fd, _EXCHANGE)
    except OSError as error:
        if error.errno in _UNSUPPORTED:
            raise OSError(errno.ENOTSUP, _NO_EXCHANGE) from None
        raise


def _rename(old: str, new: str, dir_fd: int, flag: int) -> None:
    _rename_between(old, dir_fd, new, dir_fd, flag)


def _rename_between(old: str, old_fd: int, new: str, new_fd: int, flag: int) -> None:
    import ctypes  # here, because importing it would slow down every start of the program

    library = ctypes.CDLL(None, use_errno=True)
    call = getattr(library, "renameat2", None) or getattr(library, "renameatx_np", None)
    if call is None:
        raise OSError(errno.ENOSYS, "no such call")
    # The flag is an unsigned int; the names are NUL-terminated bytes.
    if call(old_fd, os.fsencode(old), new_fd, os.fsencode(new), ctypes.c_uint(flag)) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def rename_between(old: str, old_fd: int, new: str, new_fd: int) -> None:
    """Rename a file, perhaps into another directory. FileExistsError: the new name exists, and nothing was changed.

    OSError (ENOTSUP): the file system cannot promise that. There is no other way then.
    """
    try:
        _rename_between(old, old_fd, new, new_fd, _NOREPLACE)
    except OSError as error:
        if error.errno in _UNSUPPORTED:
            raise OSError(errno.ENOTSUP, _NO_NOREPLACE) from None
        raise


def link(old: str, old_fd: int, new: str, new_fd: int) -> None:
    """Give a file another name. FileExistsError. A symbolic link is not followed."""
    os.link(old, new, src_dir_fd=old_fd, dst_dir_fd=new_fd, follow_symlinks=False)


def status(name: str, dir_fd: int) -> os.stat_result | None:
    """The status of what has this name in a directory, a link itself; None: nothing has it. OSError."""
    try:
        return os.stat(name, dir_fd=dir_fd, follow_symlinks=False)
    except FileNotFoundError:
        return None


def open_log(name: str, dir_fd: int, *, create: bool) -> int:
    """Open a file for reading and for writing at its end, and return its descriptor. FileNotFoundError, ELOOP.

    create: make it if it does not exist.
    """
    flags = os.O_RDWR | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    return os.open(name, flags | (os.O_CREAT if create else 0), 0o600, dir_fd=dir_fd)


def truncate(descriptor: int, size: int) -> None:
    """Cut a file to this size."""
    os.ftruncate(descriptor, size)


def set_facts(descriptor: int, source: int, mode: int, owner: tuple[int, int], times_ns: tuple[int, int]) -> None:
    """Give a file the extended attributes of another open file, and this mode, user and group, and these times.

    times_ns: of access, and of modification. OSError: one of them cannot be set.
    """
    for name, value in attributes_of(source):
        os.setxattr(descriptor, name, value)
    now = os.fstat(descriptor)
    if (now.st_uid, now.st_gid) != owner:
        os.fchown(descriptor, *owner)
    os.fchmod(descriptor, mode)
    os.utime(descriptor, ns=times_ns)


def attributes_of(descriptor: int) -> tuple[tuple[str, bytes], ...]:
    """The extended attributes of an open file; none if the file system or the system has none. OSError."""
    if not hasattr(os, "listxattr"):
        return ()
    try:
        names = os.listxattr(descriptor)
    except OSError as error:
        if error.errno in _UNSUPPORTED:
            return ()
        raise
    return tuple((name, os.getxattr(descriptor, name)) for name in sorted(names))


def try_unlink(name: str, dir_fd: int) -> None:
    """Remove a file, and ignore a failure."""
    with contextlib.suppress(OSError):
        unlink(name, dir_fd)


def unlink(name: str, dir_fd: int) -> None:
    """Remove a file. OSError."""
    os.unlink(name, dir_fd=dir_fd)


def remove_directory(name: str, dir_fd: int) -> None:
    """Remove an empty directory. OSError."""
    os.rmdir(name, dir_fd=dir_fd)


def empty_directory(descriptor: int, files: Collection[str], directories: Collection[str] = ()) -> None:
    """Remove these files and these empty directories from one of our directories, and nothing else. OSError."""
    mode = stat.S_IMODE(os.fstat(descriptor).st_mode)
    with contextlib.suppress(OSError):  # a published artifact may be read-only, and could not be emptied
        os.fchmod(descriptor, 0o700)
        if mode & WRITABLE_BY_OTHERS:
            # After a power cut, an incomplete directory must not be one that others can write to: see `leftovers`.
            sync(descriptor)
    # To list what is there takes memory, and there may be none.
    for remove, names in ((remove_directory, directories), (unlink, files)):
        for name in sorted(names):
            with contextlib.suppress(FileNotFoundError):
                remove(name, descriptor)
