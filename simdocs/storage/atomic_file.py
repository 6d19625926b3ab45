"""Publish a file in one step: at every instant its name means the whole old one or the whole new one.

The new file is built as a draft beside its target and renamed over it. The draft is locked while its writer lives. A
draft that can be locked was left behind by a run that was killed, and the next writer of the same target removes it.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import re
import stat
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from simdocs.errors import OutputError
from simdocs.names import DRAFT_PREFIX, MANIFEST, display_name, is_manifest, is_uri
from simdocs.storage import syscalls
from simdocs.storage.syscalls import as_output_error, signals_deferred

if TYPE_CHECKING:
    from simdocs.reading.compression import CompressedSink


_BUFFER_BYTES = 1 << 20


class OutputStream:
    """Writes bytes to one descriptor: all of them, or it raises an OutputError."""

    def __init__(self, descriptor: int, name: str) -> None:
        self.descriptor, self.name = descriptor, name
        self._pieces: list[bytes] = []
        self._size = 0

    def write(self, data: bytes) -> None:
        """Buffer bytes. They are written when the buffer holds a mebibyte, or by flush."""
        self._pieces.append(data)
        self._size += len(data)
        if self._size >= _BUFFER_BYTES:
            self.flush()

    def flush(self) -> None:
        """Write everything in the buffer. BrokenPipeError: the reader is gone."""
        data = b"".join(self._pieces)
        self._pieces, self._size = [], 0
        with as_output_error(self.name):
            syscalls.write(self.descriptor, data)

    def prepare(self) -> None:
        """Write everything, so that nothing but publishing it can fail any more."""
        self.flush()


class EncodedStream(OutputStream):
    """Writes to another stream what an encoder makes of the bytes. encoder: passes bytes on to the other stream."""

    def __init__(self, stream: OutputStream, encoder: CompressedSink) -> None:
        super().__init__(stream.descriptor, stream.name)
        self._stream, self._encoder, self._ended = stream, encoder, False

    def write(self, data: bytes) -> None:
        """Give bytes to the encoder, which may hold some of them."""
        self._encoder.write(data)

    def flush(self) -> None:
        """Write everything that the encoder has passed on."""
        self._stream.flush()

    def prepare(self) -> None:
        """Write everything, so that nothing but publishing it can fail any more."""
        if not self._ended:
            self._encoder.end()
            self._ended = True
        self._stream.prepare()


@contextlib.contextmanager
def stdout() -> Iterator[OutputStream]:
    """Open the standard output, and flush it at the end unless an exception was raised."""
    stream = OutputStream(1, "standard output")
    yield stream
    stream.flush()


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
        if not re.fullmatch(rf"{re.escape(drafts.prefix)}\.\d+\.\d+", draft):
            continue
        met = syscalls.status(draft, drafts.dir_fd)
        if met is None:  # its writer has just finished
            continue
        if problem := not_ours(met, stat.S_IFREG):
            raise drafts.in_the_way(draft, problem)
        with contextlib.suppress(OSError), syscalls.held(syscalls.open_found(draft, drafts.dir_fd)) as descriptor:
            if not not_ours(os.fstat(descriptor), stat.S_IFREG) and syscalls.try_lock(descriptor):
                syscalls.try_unlink(draft, drafts.dir_fd)


def not_ours(status: os.stat_result, wanted: int) -> str:
    """Say why this cannot be a draft of ours, "" if it can. wanted: the type of file that a draft is."""
    found = stat.S_IFMT(status.st_mode)
    if found != wanted:
        return f"is {_TYPES.get(found, 'a device')}"
    return "" if status.st_uid == os.geteuid() else "belongs to another user"


_DESCRIPTORS = ("/dev/stdout", "/dev/stderr", "/dev/fd/", "/proc/")
"""Names of files that are open already. They are written to and never replaced."""


class _Draft(OutputStream):
    """The stream of a file that is published at the end. mode: that of the file it replaces, or None."""

    def __init__(self, descriptor: int, name: str, mode: int | None) -> None:
        super().__init__(descriptor, name)
        self._mode, self._prepared = mode, False

    def prepare(self) -> None:
        """Write everything, and sync it. Nothing can be written after that."""
        if self._prepared:
            return
        self.flush()
        with as_output_error(self.name):
            syscalls.set_mode(self.descriptor, self._mode, 0o666)
            syscalls.sync(self.descriptor)
            # Some file systems report errors only when a file is closed. The draft itself must stay open: it is locked.
            syscalls.close(os.dup(self.descriptor))
        self._prepared = True


@contextlib.contextmanager
def atomic_file(path: str, before: str = "") -> Iterator[OutputStream]:
    """Open a stream that becomes the file `path` at the end. After an exception, the old file is still there.

    A link is followed: its target is replaced. A FIFO or device is written to directly. The mode is that of the
    replaced file, or 0666 less the umask. before: what has been published before this file, for the error if it cannot
    be published too. OutputError: its directory does not exist or is an artifact, the path is a directory or another
    user's link, or the disk is full. An object of a store is published likewise: see `stored_file`.
    """
    if is_uri(os.fsencode(path)):
        from simdocs.storage.stored_output import stored_file  # needs more modules than files do

        with stored_file(path, before) as upload:
            yield upload
        return
    name = display_name(os.fsencode(path))
    real = real_path(path, name)
    status = None
    with as_output_error(name), contextlib.suppress(FileNotFoundError):
        status = os.stat(path)
    if path.endswith("/") or (status is not None and stat.S_ISDIR(status.st_mode)):
        raise OutputError(f"{name}: this is a directory: name a file")
    if path.startswith(_DESCRIPTORS) or (status is not None and not stat.S_ISREG(status.st_mode)):
        yield from _direct(path, name)
    else:
        mode = stat.S_IMODE(status.st_mode) if status else None
        yield from _drafted(real, name, mode, before)


def _direct(path: str, name: str) -> Iterator[OutputStream]:
    with as_output_error(name):
        # Opening it again would overwrite from the beginning what was written there before.
        open_already = {"/dev/stdout": 1, "/dev/stderr": 2}.get(path)
        descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC) if open_already is None else os.dup(open_already)
    with syscalls.written(descriptor, as_output_error(name)):
        stream = OutputStream(descriptor, name)
        yield stream
        stream.flush()


def _drafted(path: str, name: str, mode: int | None, before: str) -> Iterator[OutputStream]:
    directory, base = os.path.split(path)
    dir_fd = open_parent(directory, name)
    drafts = Drafts(draft_name(base), dir_fd, directory, name)
    own, descriptor = "", -1
    try:
        with as_output_error(name):
            sweep_files(drafts)
            with signals_deferred():
                own, descriptor = _create(dir_fd, drafts.prefix)
        stream = _Draft(descriptor, name, mode)
        yield stream
        stream.prepare()
        with unpublished(name, before), signals_deferred():
            syscalls.rename(own, base, dir_fd)
            own = ""
        sync_parent(dir_fd, name)
        closing, descriptor = descriptor, -1
        with published_but(name, "closing it failed"):
            syscalls.close(closing)
    finally:
        if own:
            syscalls.try_unlink(own, dir_fd)
        syscalls.release(descriptor)
        syscalls.release(dir_fd)


@contextlib.contextmanager
def unpublished(name: str, before: str) -> Iterator[None]:
    """Turn an OSError into an OutputError that mentions what was published before."""
    try:
        with as_output_error(name):
            yield
    except OutputError as error:
        if not before:
            raise
        raise OutputError(f"{error}; {before}") from error


def _create(dir_fd: int, prefix: str) -> tuple[str, int]:
    """Create a draft and lock it; return its name and descriptor."""
    for number in range(1000):
        own = f"{prefix}.{os.getpid()}.{number}"
        descriptor = -1
        try:
            descriptor = syscalls.create(own, dir_fd)
            # A second writer that sweeps may hold the lock for a moment, or may have removed the file already.
            if not syscalls.try_lock(descriptor):
                syscalls.try_unlink(own, dir_fd)
            elif os.fstat(descriptor).st_nlink:
                return own, descriptor
        except FileExistsError:
            continue
        except BaseException as error:
            if descriptor >= 0 or not isinstance(error, OSError):
                syscalls.try_unlink(own, dir_fd)
            syscalls.release(descriptor)
            raise
        syscalls.release(descriptor)
    raise OSError(errno.EEXIST, "too many drafts", prefix)
