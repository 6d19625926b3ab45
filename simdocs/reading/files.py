"""Files: open them, and read them whole, in pieces or at any position; and tell whether they are unchanged.

The status of a file must be the same before and after reading. An open file is a descriptor of this system or an object
of a store. This is where the two kinds of places meet: code that reads files calls the functions here, and does not ask
where a file is.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from simdocs.kernels.native import kernels_in_use
from simdocs.model.documents import FILE, STAMP_FIELDS
from simdocs.model.ragged import BATCH_BYTES, ByteStrings, Mask, joined
from simdocs.model.skipped import REPLACED, DocumentSkipped
from simdocs.names import is_uri
from simdocs.options.families import COMPRESSED_SUFFIXES, compression_of
from simdocs.reading.decode import DECIDING, binary_format, refuse_binary, utf8_pieces

if TYPE_CHECKING:
    from simdocs.reading.stores import ObjectFile

FileId = tuple[int, int]
"""Device and inode: the same for all names of a file."""


def status_of(name: bytes) -> os.stat_result:
    """The status of the file with this name; links are followed. Raises OSError as os.stat does.

    The status of an object of a store is like that of a file, and that of a prefix like that of a directory.
    """
    if is_uri(name):
        from simdocs.reading.stores import status_of_object

        return status_of_object(name)
    return os.stat(name)


def is_directory(name: bytes) -> bool:
    """Whether there is a directory with this name, or a prefix of objects."""
    try:
        return stat.S_ISDIR(status_of(name).st_mode)
    except (OSError, ValueError):
        return False


def file_id(status: os.stat_result) -> FileId:
    """The id of a file, from its status."""
    return status.st_dev, status.st_ino


def times_of(status: os.stat_result) -> tuple[int, int]:
    """When a file was modified and changed, in nanoseconds; the nearest that 64 bits hold, as for the year 2300."""
    return max(-sys.maxsize, min(status.st_mtime_ns, sys.maxsize)), min(status.st_ctime_ns, sys.maxsize)


class Stamp(NamedTuple):
    """The state of a file on disk. Equal stamps mean equal bytes, unless a clock was set back."""

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int

    @classmethod
    def of(cls, status: os.stat_result) -> Stamp:
        """The stamp of a file, from its status."""
        return cls(status.st_size, *times_of(status), status.st_ino)

    @classmethod
    def at(cls, path: bytes) -> Stamp | None:
        """The stamp of the file at this path; None if its status cannot be read."""
        try:
            return cls.of(status_of(path))
        except (OSError, ValueError):
            return None

    def same_bytes(self, later: Stamp) -> bool:
        """Whether an open file holds the same bytes later.

        Its ctime does not count: it changes when the file is linked, renamed or removed.
        """
        return (self.size, self.mtime_ns) == (later.size, later.mtime_ns)


NO_FILE = Stamp(0, 0, 0, 0)
"""The stamp of a document that comes from no file."""

RECENT_NS = 2_000_000_000
"""A stamp that is younger than this may be too early: a write may end after it, and some file systems count in steps of
2 seconds."""

now = time.time_ns
"""The time by which files are judged."""


def content_digest(*pieces: bytes) -> bytes:
    """The first 16 bytes of the SHA-256 of the content of a file, or of a part of it, which is given in pieces."""
    digest = hashlib.sha256()
    for piece in pieces:
        digest.update(piece)
    return digest.digest()[:16]


OpenFile: TypeAlias = "int | ObjectFile"
"""An open file: its descriptor, or an object of a store."""

READ = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
"""Flags for reading: do not wait for the writer of a FIFO, do not inherit, do not become a controlling terminal."""

MOST = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 4
"""Bytes of the largest document that memory could hold: at its peak a document takes 4 times its size, or more."""

_PIECE = 1 << 20

_UNSIZED = 1 << 16
"""Bytes of the first read of a file that claims to be empty. Some files in /proc answer only the first read."""


def open_file(name: bytes, *, follow: bool = True) -> tuple[OpenFile, Stamp]:
    """The regular file with this name, open, and its stamp.

    follow: whether the name may be that of a link; not if a walk found it. Raises DocumentSkipped: vanished,
    unreadable, special, changed (a link or a special file has taken its place).
    """
    try:
        if is_uri(name):
            from simdocs.reading.stores import ObjectFile

            stored = ObjectFile(name)
            return stored, Stamp.of(stored.status())
        file = os.open(name, READ if follow else READ | os.O_NOFOLLOW)
        status = os.fstat(file)
    except OSError as error:
        if error.errno == errno.ELOOP and not follow:
            raise DocumentSkipped("changed", REPLACED) from None
        raise DocumentSkipped.of(error) from None
    if not stat.S_ISREG(status.st_mode):
        os.close(file)
        raise DocumentSkipped("special") if follow else DocumentSkipped("changed", REPLACED)
    return file, Stamp.of(status)


def read(name: bytes, limit: int, padding: int = 0, *, follow: bool = True) -> tuple[bytes, Stamp]:
    """The bytes of the regular file with this name, and its stamp. A compressed file is decompressed.

    padding: bytes by which a compressed file itself may exceed the limit. follow: see `open_file`.

    The file was the same before and after. One that changes meanwhile is read again. Raises DocumentSkipped: vanished;
    unreadable (also: more than memory can hold); special; oversized (more than limit bytes, compressed or
    decompressed); changed; malformed (as a compressed file); uninstalled (what decompresses it); binary (a large file,
    which is then not read to its end).
    """
    compression = compression_of(name)
    file, stamp = open_file(name, follow=follow)
    try:
        with _skipping():
            data, stamp = read_open(file, name, stamp, limit + padding if compression else limit)
    finally:
        close_file(file)
    if compression:
        from simdocs.reading.compression import decompress

        data = decompress(compression, data, min(limit, MOST))
    return data, stamp


STAMPS = np.dtype([(name, FILE[name]) for name in STAMP_FIELDS])
"""Stamps as an array: each is a Stamp."""

_SMALL = 1 << 16
"""Bytes of the largest small file. With larger ones, a call for each takes little of the time."""

_FEW = 1 << 5
"""So few files take no time, and are read one by one."""


def read_small(names: Sequence[bytes], limit: int, follow: Mask) -> tuple[list[bytes | None], NDArray[np.void]]:
    """Read the small files among these with one call, if they are many and kernels in C are in use.

    Returns what `read` would of each, the bytes and the stamps, (n,) STAMPS; or None instead of bytes if it must be
    read with `read`, which has more patience and says what is wrong. An empty name is that of no file.

    limit, follow (n,): as in `read`.
    """
    stamps = np.zeros(len(names), STAMPS)
    if len(names) < _FEW or kernels_in_use() == "numpy":
        return [None] * len(names), stamps
    from simdocs.kernels.native import compiled

    plain = [b"" if is_uri(name) else name for name in names]
    for place in ByteStrings(joined(names)).that_end_with(COMPRESSED_SUFFIXES).tolist():
        plain[place] = b""
    flags = np.where(follow, READ, READ | os.O_NOFOLLOW).astype(np.int32)
    return compiled.read_files(tuple(plain), flags, min(limit, _SMALL), stamps), stamps


def read_open(file: OpenFile, name: bytes, stamp: Stamp, limit: int) -> tuple[bytes, Stamp]:
    """The bytes of an open file as they lie on the disk, and its stamp. stamp: its stamp now.

    Raises DocumentSkipped, as `read` does; OSError.
    """
    for _ in range(2):
        if _PIECE < stamp.size <= limit and not compression_of(name):
            refuse_binary(read_at(file, DECIDING, 0), name)
        if skip := too_large(stamp.size, limit):
            raise skip
        data = _read_all(partial(read_at, file), stamp.size, limit)
        before, stamp = stamp, stamp_now(file)
        if stamp == before:
            return data, stamp
    raise DocumentSkipped("changed")


def _read_all(read_some: Callable[[int, int], bytes], size: int, limit: int) -> bytes:
    """All bytes to the end, up to the limit. The size is only a hint, because it is 0 in /proc.

    read_some: returns at most so many bytes from a position on; none at the end.
    """
    data = read_some(size + 1 if size else _UNSIZED, 0)
    if len(data) == size and size:
        return data
    pieces, total = [data], len(data)
    while data:
        if skip := too_large(total, limit, known=False):
            raise skip
        data = read_some(_PIECE, total)
        pieces.append(data)
        total += len(data)
    return b"".join(pieces)


def too_large(size: int, limit: int, *, known: bool = True) -> DocumentSkipped | None:
    """The skip of a document of this size; None if limit and memory allow it. known: the document is not larger."""
    if size <= limit and size <= MOST:
        return None
    most = min(limit, MOST)
    said = f"{size} bytes" if known else f"more than {most} bytes"
    if size > limit:
        return DocumentSkipped("oversized", said)
    return DocumentSkipped("unreadable", f"{said}: more than memory can hold")


def read_stream(descriptor: int, limit: int) -> bytes:
    """All bytes of a pipe, terminal or FIFO. Raises DocumentSkipped: oversized; OSError."""
    return _read_all(lambda size, _at: os.read(descriptor, size), 0, limit)


LOOKED_AT = 1 << 17
"""Bytes at the beginning of a file that decide whether it is a table."""

_COMPRESSED_AT_ONCE = 1 << 16
"""Bytes of a compressed file that are read at once."""


@contextmanager
def _skipping() -> Iterator[None]:
    """Turn an OSError into DocumentSkipped."""
    try:
        yield
    except OSError as error:
        raise DocumentSkipped.of(error) from None


class Source:
    """A regular file that is open to be read, or bytes that are held. It closes itself at the end of a `with`.

    name: its path. limit: the largest size of a document in bytes. most: the same, or less if memory is small.
    stamp: that of the file when it was opened. at: how many of its bytes were read, for progress.
    Raises DocumentSkipped: see `open_file`.
    """

    def __init__(self, name: bytes, limit: int, *, follow: bool = True, held: bytes | None = None) -> None:
        self.name, self.limit, self.most, self.at = name, limit, min(limit, MOST), 0
        self._held, self.stamp = held, NO_FILE
        self._file: OpenFile = -1
        if held is None:
            self._file, self.stamp = open_file(name, follow=follow)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._held is None:
            close_file(self._file)

    def now(self) -> Stamp:
        """The stamp of the file now. DocumentSkipped: unreadable."""
        with _skipping():
            return self.stamp if self._held is not None else stamp_now(self._file)

    def has_changed(self) -> bool:
        """Whether the file is not what it was when it was opened."""
        return not self.stamp.same_bytes(self.now())

    def interval(self, start: int, stop: int) -> bytes:
        """The bytes of an interval, as they are on the disk; fewer if the file ends before.

        DocumentSkipped: unreadable.
        """
        if self._held is not None:
            return self._held[start:stop]
        pieces, at = list[bytes](), start
        with _skipping():
            while at < stop and (piece := read_at(self._file, min(stop - at, _AT_ONCE), at)):
                pieces.append(piece)
                at += len(piece)
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def _next(self, size: int) -> bytes:
        data = self.interval(self.at, self.at + size)
        self.at += len(data)
        return data

    def pieces(self, size: int = BATCH_BYTES) -> Iterator[bytes]:
        """Yield its content as UTF-8, without a byte order mark, about `size` bytes at a time.

        DocumentSkipped: malformed (it is binary; as a compressed file, after all that could be read), uninstalled.
        """
        self.at, content = 0, iter(partial(self._next, size), b"")
        if self._held is None and (known := compression_of(self.name)):
            from simdocs.reading.compression import pieces, regrouped

            content = regrouped(pieces(known, lambda _: self._next(_COMPRESSED_AT_ONCE)), size)
        head = next(content, b"")
        if what := binary_format(head):
            raise DocumentSkipped("malformed", what)
        yield from utf8_pieces(chain([head], content))

    def whole(self) -> bytes:
        """All its content, as `pieces` yields it. DocumentSkipped: oversized, binary; see also there."""
        if self._held is None and not compression_of(self.name) and (skip := too_large(self.stamp.size, self.limit)):
            raise skip
        found, size = list[bytes](), 0
        for piece in self.pieces():
            found.append(piece)
            size += len(piece)
            if skip := too_large(size, self.limit, known=False):
                raise skip
        data = b"".join(found)
        refuse_binary(data, self.name)
        return data

    def for_pyarrow(self) -> Any:
        """The same file, open in pyarrow. Raises DocumentSkipped: uninstalled."""
        from simdocs.reading.compression import library

        pyarrow = library("pyarrow", "reading tables")
        if self._held is not None:
            return pyarrow.BufferReader(self._held)
        return pyarrow.OSFile(f"/dev/fd/{self._file}") if isinstance(self._file, int) else self._file.handle


_Answer = TypeVar("_Answer")


def each_ahead(names: Sequence[bytes], ask: Callable[[int], _Answer]) -> Iterator[Callable[[], _Answer]]:
    """Yield, for each name in order, a function that returns ask(its place), or raises what that raises.

    For objects of a store, `ask` runs in threads, some of them ahead. For files it runs when its result is wanted.
    """
    if sum(map(is_uri, names)) > 1:
        from simdocs.reading.stores import each_in_threads

        yield from each_in_threads(names, ask)
        return
    for place in range(len(names)):
        yield partial(ask, place)


def stamp_now(file: OpenFile) -> Stamp:
    """The stamp of an open file now. Raises OSError."""
    return Stamp.of(os.fstat(file) if isinstance(file, int) else file.status())


def read_at(file: OpenFile, size: int, at: int) -> bytes:
    """At most these many bytes from a position on; none at the end. Raises OSError."""
    return os.pread(file, size, at) if isinstance(file, int) else file.pread(size, at)


_AT_ONCE = 1 << 22
"""Bytes of an interval that are read at once. Memory for them is allocated before, and a forged artifact may state any
length."""


def close_file(file: OpenFile) -> None:
    """Close it."""
    if isinstance(file, int):
        os.close(file)
    else:
        file.close()
