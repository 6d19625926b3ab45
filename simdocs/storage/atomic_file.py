"""Publishing a file: the old one or the new one at every instant.

A file is built in a draft beside its target and renamed over it. The draft is locked while its writer lives; one that
can be locked is left over and is swept by the next writer of the same target.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import stat
from collections.abc import Iterator

from simdocs.artifacts.reader import kind_within
from simdocs.errors import OutputError
from simdocs.model.names import DRAFT_PREFIX, shown
from simdocs.storage import syscalls
from simdocs.storage.syscalls import failing, undisturbed

_DESCRIPTORS = ("/dev/stdout", "/dev/stderr", "/dev/fd/", "/proc/")
"""Names of what is open already: written to, never replaced, whatever it is."""


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
        data = b"".join(self._pieces)
        self._pieces, self._size = [], 0
        with failing(self.name):
            syscalls.write(self.descriptor, data)


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
    umask, or that of the file replaced. OutputError: no such directory, an artifact's directory, not a file, no space.
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
    place = place_for(directory, name)
    draft = draft_name(base)
    own, descriptor = "", -1
    try:
        with failing(name), undisturbed():
            _sweep(place, draft)
            own, descriptor = _create(place, draft)
        sink = Sink(descriptor, name)
        yield sink
        sink.flush()
        with failing(name), undisturbed():
            syscalls.open_to_all(descriptor, stat.S_IMODE(old.st_mode) if old else None, 0o666)
            syscalls.sync(descriptor)
            syscalls.rename(own, base, place)
            own = ""
        confirm(place, name)
    finally:
        if own:
            syscalls.remove(own, place)
        if descriptor >= 0:
            os.close(descriptor)
        os.close(place)


def place_for(directory: str, name: str) -> int:
    """A descriptor of the directory in which something is to be published. OutputError: it is none, or an artifact,
    which would be damaged."""
    if kind_within(directory):
        raise OutputError(f"{name}: lies in an artifact: name another directory")
    with failing(name):
        try:
            return syscalls.directory(directory)
        except FileNotFoundError:
            raise OutputError(f"{name}: there is no directory {shown(os.fsencode(directory))}: make it first") from None


def draft_name(base: str) -> str:
    """How the names of drafts of this target begin: short, whatever the target's name."""
    return f"{DRAFT_PREFIX}{hashlib.sha256(os.fsencode(base)).hexdigest()[:16]}"


def confirm(place: int, name: str) -> None:
    """Have the directory in which something was published on the disk. OutputError, which says that it is there."""
    try:
        syscalls.sync(place)
    except OSError as error:
        raise OutputError(f"{name}: published, but durability not confirmed: {error.strerror}") from error


def _create(place: int, draft: str) -> tuple[str, int]:
    """A new draft, locked: its name and descriptor."""
    for number in range(1000):
        own = f"{draft}.{os.getpid()}.{number}"
        descriptor = -1
        try:
            descriptor = syscalls.create(own, place)
            # Another writer, sweeping, may have locked it to see whether it is left over, or have taken it for that.
            if not syscalls.locked(descriptor):
                syscalls.remove(own, place)
            elif os.fstat(descriptor).st_nlink:
                return own, descriptor
        except FileExistsError:
            continue
        except BaseException as error:
            if descriptor >= 0 or not isinstance(error, OSError):
                syscalls.remove(own, place)
            if descriptor >= 0:
                os.close(descriptor)
            raise
        os.close(descriptor)
    raise OSError(errno.EEXIST, "too many drafts", draft)


def _sweep(place: int, draft: str) -> None:
    """Remove drafts of this target whose writers are gone: those that can be locked."""
    for left in syscalls.entries(place):
        if not left.startswith(f"{draft}."):
            continue
        with contextlib.suppress(OSError):
            descriptor = os.open(left, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=place)
            try:
                if syscalls.locked(descriptor):
                    syscalls.remove(left, place)
            finally:
                os.close(descriptor)
