"""Publishing a file: every call of ours that writes to disk.

A file is built in a draft beside its target and renamed over it, so that at every instant the target is the whole old
file or the whole new one. The draft is locked while its writer lives; one that can be locked is left over and is swept
by the next writer of the same target.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import os
import signal
import stat
from collections.abc import Iterator

from simdocs.errors import OutputError
from simdocs.model.names import DRAFT_PREFIX, shown

_DESCRIPTORS = ("/dev/stdout", "/dev/stderr", "/dev/fd/", "/proc/")
"""Names of what is open already: written to, never replaced, whatever it is."""

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Sink:
    """Something that takes bytes, through one descriptor, all of them or an OutputError."""

    def __init__(self, descriptor: int, name: str) -> None:
        self.descriptor, self.name = descriptor, name
        self._pieces: list[bytes] = []
        self._size = 0

    def write(self, data: bytes) -> None:
        """Take bytes; they are written when a mebibyte has come together, or at flush."""
        self._pieces.append(data)
        self._size += len(data)
        if self._size >= 1 << 20:
            self.flush()

    def flush(self) -> None:
        """Write all that was taken. BrokenPipeError: nobody reads any more."""
        rest = memoryview(b"".join(self._pieces))
        self._pieces, self._size = [], 0
        with failing(self.name):
            while rest:
                rest = rest[os.write(self.descriptor, rest) :]


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
def stdout() -> Iterator[Sink]:
    """The standard output, flushed when all went well."""
    sink = Sink(1, "standard output")
    yield sink
    sink.flush()


@contextlib.contextmanager
def published(path: str) -> Iterator[Sink]:
    """A file that appears, whole, when all went well; after an exception, what was there before is there still.

    A link's target is replaced, not the link; a FIFO or device is written to as it is. The mode is 0666 less the
    umask, or that of the file replaced. OutputError: no such directory, not a file, no space.
    """
    name = shown(os.fsencode(path))
    with failing(name):
        status = _status(path)
    if path.endswith("/") or (status is not None and stat.S_ISDIR(status.st_mode)):
        raise OutputError(f"{name}: is a directory; name a file")
    if path.startswith(_DESCRIPTORS) or (status is not None and not stat.S_ISREG(status.st_mode)):
        yield from _streamed(path, name)
    else:
        yield from _drafted(os.path.realpath(path), name, status)


def _status(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)
    except FileNotFoundError:
        return None


def _streamed(path: str, name: str) -> Iterator[Sink]:
    with failing(name):
        # Not opened anew: that would write over what went there before, from the beginning.
        open_already = {"/dev/stdout": 1, "/dev/stderr": 2}.get(path)
        descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC) if open_already is None else os.dup(open_already)
    try:
        sink = Sink(descriptor, name)
        yield sink
        sink.flush()
    finally:
        os.close(descriptor)


def _drafted(path: str, name: str, old: os.stat_result | None) -> Iterator[Sink]:
    directory, base = os.path.split(path)
    with failing(name):
        place = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    draft = f"{DRAFT_PREFIX}{hashlib.sha256(os.fsencode(base)).hexdigest()[:16]}"
    own, descriptor = "", -1
    try:
        with failing(name), _undisturbed():
            _sweep(place, draft)
            own, descriptor = _create(place, draft)
        sink = Sink(descriptor, name)
        yield sink
        sink.flush()
        with failing(name), _undisturbed():
            os.fchmod(descriptor, stat.S_IMODE(old.st_mode) if old else 0o666 & ~_umask())
            os.fsync(descriptor)
            os.rename(own, base, src_dir_fd=place, dst_dir_fd=place)
            own = ""
        _confirm(place, name)
    finally:
        if own:
            _remove(place, own)
        if descriptor >= 0:
            os.close(descriptor)
        os.close(place)


def _create(place: int, draft: str) -> tuple[str, int]:
    """A new draft, locked: its name and descriptor."""
    for number in range(1000):
        own = f"{draft}.{os.getpid()}.{number}"
        descriptor = -1
        try:
            descriptor = os.open(own, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600, dir_fd=place)
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # Before it was locked another writer may have taken it for left over.
            if os.fstat(descriptor).st_nlink:
                return own, descriptor
        except FileExistsError:
            continue
        except BlockingIOError:  # another writer, sweeping, has locked it to see whether it is left over
            _remove(place, own)
        except BaseException as error:
            if descriptor >= 0 or not isinstance(error, OSError):
                _remove(place, own)
            if descriptor >= 0:
                os.close(descriptor)
            raise
        os.close(descriptor)
    raise OSError(errno.EEXIST, "too many drafts", draft)


def _remove(place: int, own: str) -> None:
    with contextlib.suppress(OSError):
        os.unlink(own, dir_fd=place)


def _sweep(place: int, draft: str) -> None:
    """Remove drafts of this target whose writers are gone: those that can be locked."""
    for left in os.listdir(place):
        if not left.startswith(f"{draft}."):
            continue
        with contextlib.suppress(OSError):
            descriptor = os.open(left, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=place)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                os.unlink(left, dir_fd=place)
            finally:
                os.close(descriptor)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


@contextlib.contextmanager
def _undisturbed() -> Iterator[None]:
    """Signals wait until the few calls of a commit are done."""
    old = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, old)


def _confirm(place: int, name: str) -> None:
    try:
        os.fsync(place)
    except OSError as error:
        raise OutputError(f"{name}: published, but durability not confirmed: {error.strerror}") from error
