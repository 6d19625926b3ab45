"""Every call of ours that changes what is on disk, and the way of each to fail.

All that publishes goes through here, so that a test can let each call fail, or the program end at it, and look at what
is left.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import signal
import sys
from collections.abc import Iterator

from simdocs.errors import OutputError

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

_NOREPLACE, _EXCHANGE = (1, 2) if sys.platform == "linux" else (4, 2)
"""Flags of renameat2 on Linux, of renameatx_np on macOS."""

_UNSUPPORTED = (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP)

DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


@contextlib.contextmanager
def failing(name: str) -> Iterator[None]:
    """Turn an OSError into an OutputError about this name; but let a broken pipe pass."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputError(f"{name}: write error: {error.strerror or error}") from error


@contextlib.contextmanager
def undisturbed() -> Iterator[None]:
    """Signals wait until the few calls of a commit are done."""
    old = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    try:
        # One that came just before is heard in here, and raises.
        signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, old)


def directory(name: str, place: int | None = None) -> int:
    """A descriptor of this directory; relative to the directory `place`, where one is given, and then not a link."""
    return os.open(name, DIRECTORY if place is None else DIRECTORY | os.O_NOFOLLOW, dir_fd=place)


def create(name: str, place: int) -> int:
    """A new file in the directory `place`, to be written, for its owner alone. FileExistsError."""
    return os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600, dir_fd=place)


def create_directory(name: str, place: int) -> None:
    """A new directory in `place`, for its owner alone; one that is there is fine."""
    with contextlib.suppress(FileExistsError):
        os.mkdir(name, 0o700, dir_fd=place)


def close(descriptor: int) -> None:
    """Let go of what was opened, if it was (-1: it was not). Some file systems tell only now that the disk is full."""
    if descriptor >= 0:
        os.close(descriptor)


def locked(descriptor: int) -> bool:
    """Whether the file or directory is now locked by us; not, if it is by somebody else."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def write(descriptor: int, data: bytes | memoryview) -> None:
    """Write all of data."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def write_at(descriptor: int, data: bytes, offset: int) -> None:
    """Write all of data at this offset."""
    while data:
        done = os.pwrite(descriptor, data, offset)
        data, offset = data[done:], offset + done


def open_to_all(descriptor: int, mode: int | None, most: int) -> None:
    """Give a file or directory this mode, or as much of `most` as the umask leaves."""
    if mode is None:
        mask = os.umask(0)
        os.umask(mask)
        mode = most & ~mask
    os.fchmod(descriptor, mode)


def sync(descriptor: int) -> None:
    """Have what was written on the disk. After a failure the file must be given up: a second sync would succeed."""
    os.fsync(descriptor)


def entries(descriptor: int) -> list[str]:
    """The names in a directory."""
    return os.listdir(descriptor)


def rename(old: str, new: str, place: int) -> None:
    """Give a file the name of another, which is gone then."""
    os.rename(old, new, src_dir_fd=place, dst_dir_fd=place)


def rename_new(old: str, new: str, place: int) -> None:
    """Give a directory a name that nothing has. FileExistsError."""
    try:
        _rename(old, new, place, _NOREPLACE)
    except OSError as error:
        if error.errno not in _UNSUPPORTED:
            raise
        # A plain rename fails, too, unless an empty directory has that name.
        os.rename(old, new, src_dir_fd=place, dst_dir_fd=place)


def exchange(one: str, other: str, place: int) -> None:
    """Let two names change places, in one step. OSError (ENOTSUP) where the file system cannot."""
    try:
        _rename(one, other, place, _EXCHANGE)
    except OSError as error:
        if error.errno in _UNSUPPORTED:
            raise OSError(errno.ENOTSUP, "this file system cannot exchange two directories in one step") from None
        raise


def _rename(old: str, new: str, place: int, flag: int) -> None:
    import ctypes  # which costs what a start of the program need not pay

    library = ctypes.CDLL(None, use_errno=True)
    call = getattr(library, "renameat2", None) or getattr(library, "renameatx_np", None)
    if call is None:
        raise OSError(errno.ENOSYS, "no such call")
    # The system's flag is an unsigned int; the names are bytes ended by NUL.
    if call(place, os.fsencode(old), place, os.fsencode(new), ctypes.c_uint(flag)) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def remove(name: str, place: int) -> None:
    """Remove a file, if that can be done."""
    with contextlib.suppress(OSError):
        unlink(name, place)


def unlink(name: str, place: int) -> None:
    """Remove a file. OSError."""
    os.unlink(name, dir_fd=place)


def remove_directory(name: str, place: int) -> None:
    """Remove an empty directory. OSError."""
    os.rmdir(name, dir_fd=place)


def empty(descriptor: int) -> None:
    """Remove all that is in a directory of ours: files and empty directories. OSError."""
    with contextlib.suppress(OSError):  # or it cannot be emptied, where it was published for reading alone
        os.fchmod(descriptor, 0o700)
    for name in os.listdir(descriptor):
        try:
            os.unlink(name, dir_fd=descriptor)
        except (IsADirectoryError, PermissionError):
            os.rmdir(name, dir_fd=descriptor)
