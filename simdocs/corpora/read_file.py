"""Read whole files, each as it was at one moment: one of them, or raise why it cannot be read; small ones at once."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from simdocs.corpora import stamp as stamps_of_files
from simdocs.corpora.containers.recognise import LOOKED_AT as LOOKED_AT_FOR_ROWS
from simdocs.corpora.decode import LOOKED_AT, NOT_PLAIN, refuse_binary
from simdocs.corpora.stamp import (
    RECENT_NS,
    OpenFile,
    Stamp,
    close_file,
    go_to,
    is_recent,
    read_at,
    read_next,
    settled,
    status_now,
    wait_between_readings,
)
from simdocs.corpora.walked_files import ANY, IN_DIRECTORY, Directories, Met, open_file, open_walked
from simdocs.kernels.native import kernels_in_use
from simdocs.model.byte_strings import ByteStrings, joined, separate
from simdocs.model.documents import FILE, STAMP_FIELDS
from simdocs.model.ragged import Index, Mask, Ragged, offsets_of
from simdocs.model.skipped import DocumentSkipped
from simdocs.names import is_uri
from simdocs.options.file_formats import COMPRESSED_SUFFIXES, compression_of

_PIECE = 1 << 20

_UNSIZED = 1 << 16
"""Bytes of the first read of a file that claims to be empty. Some files in /proc answer only the first read."""

MOST = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 4
"""Bytes of the largest document that memory could hold: at its peak a document takes 4 times its size, or more."""


PADDING = 64 << 20
"""The most compressed bytes without content, such as zeros after a gzip member. More are not padding: reading through a
hole of terabytes would take hours."""


def read(
    name: bytes, limit: int, padding: int = 0, met: Met = ANY, directories: Directories | None = None
) -> tuple[bytes, Stamp]:
    """The bytes of the regular file with this name, and its stamp. A compressed file is decompressed.

    padding: bytes by which a compressed file itself may exceed the limit.
    met: how the file was found.
    directories: keeps directories open for other files.

    The file was the same before and after. One that changes meanwhile is read again. One that was changed recently is
    read twice in any case, and both readings agree.

    Raises DocumentSkipped: vanished; unreadable (also: more than memory can hold); special; oversized (more than limit
    bytes, compressed or decompressed); changed (or not the file that was found); malformed (as a compressed
    file); uninstalled (what decompresses it); binary (a large file, which is then not read to its end).
    """
    compression = compression_of(name)
    if directories is not None and met.walked > 0 and not compression and not is_uri(name):
        return _read_walked(name, limit, met, directories)
    file, status = open_file(name, met, directories)
    try:
        most = limit + padding if compression else limit
        data, stamp = read_open(file, name, status, most, compressed=bool(compression))
    except OSError as error:
        raise DocumentSkipped.of(error) from None
    finally:
        close_file(file)
    if compression:
        from simdocs.corpora.compression import decompress

        data = decompress(compression, data, min(limit, MOST))
    return data, stamp


def _read_walked(name: bytes, limit: int, met: Met, directories: Directories) -> tuple[bytes, Stamp]:
    """The bytes and the stamp of a file below a directory that was walked: see `read`.

    Most files are small and lie still. They take no call more than that takes.
    """
    try:
        file, status = open_walked(name, met, directories)
        try:
            stamp = Stamp.of(status)
            if 0 < stamp.size <= min(limit, _PIECE) and not is_recent(stamp):
                data = os.read(file, stamp.size + 1)
                if len(data) == stamp.size and stamp.is_of(os.fstat(file)):
                    return data, stamp
                go_to(file, 0)
                status = os.fstat(file)
            return read_open(file, name, settled(file, status), limit, compressed=False)
        finally:
            os.close(file)
    except OSError as error:
        raise DocumentSkipped.of(error) from None


_SMALL = 1 << 16
"""Bytes of the largest small file. With larger ones, a call for each takes little of the time."""

_READ_AT_ONCE, _BYTES_AT_ONCE = 1 << 6, 1 << 20
"""The most small files that are read at once, and their bytes. A signal waits until they are read: from a disk that
turns and has not seen them for long, about a second."""

STAMPS = np.dtype([(name, FILE[name]) for name in STAMP_FIELDS])
"""Stamps as an array: each is a Stamp."""

_ID = np.dtype([("device", "<u8"), ("inode", "<u8")])

_MARKS = joined(NOT_PLAIN)


def read_small(
    names: Sequence[bytes], limit: int, met: NDArray[np.void], directories: Directories
) -> tuple[list[bytes | None], NDArray[np.void], Mask]:
    """Read at once the small files among these that lie still, if kernels in C are in use.

    Returns the bytes of each, or None if it must be read with `read`, which has more patience and says what is wrong;
    the stamps, (n,) STAMPS; and which are plain texts: no bytes tell that one is binary, encoded in another way than
    UTF-8, or a table.

    limit, met (n,), directories: as in `read`.
    """
    texts: list[bytes | None] = [None] * len(names)
    stamps, plain = np.zeros(len(names), STAMPS), np.zeros(len(names), bool)
    if not names or kernels_in_use() == "numpy":
        return texts, stamps, plain
    from simdocs.kernels.native import compiled

    ids = met[["device", "inode"]].astype(_ID)
    data = np.empty(_BYTES_AT_ONCE, np.uint8)
    before, most = stamps_of_files.now() - RECENT_NS, min(limit, _SMALL)
    for root, begin, end in _below_roots(names, met["walked"]):
        try:
            descriptor = directories.enter(root, len(root))
        except (OSError, DocumentSkipped):
            continue
        at = begin
        while at < end:
            cut = slice(at, min(end, at + _READ_AT_ONCE))
            some, facts = joined([name[len(root) :] + b"\0" for name in names[cut]]), stamps[cut]
            tried = compiled.read_still(
                descriptor, some.values, some.offsets, ids[cut], IN_DIRECTORY, before, most, data, facts
            )
            sizes = facts["file_size"][:tried]
            places = np.flatnonzero(sizes >= 0)
            ends = offsets_of(sizes[places])
            are_plain = np.empty(len(places), bool)
            compiled.plain(data, ends, _MARKS.values, _MARKS.offsets, LOOKED_AT, LOOKED_AT_FOR_ROWS, are_plain)
            plain[at + places] = are_plain
            for place, text in zip(places.tolist(), separate(Ragged(data[: ends[-1]], ends)), strict=True):
                texts[at + place] = text
            at += tried
    return texts, stamps, plain


def _below_roots(names: Sequence[bytes], walked: Index) -> Iterator[tuple[bytes, int, int]]:
    """Yield each directory that was walked with the places of consecutive files below it that are not compressed."""
    walked = np.maximum(walked, 0)
    walked[ByteStrings(joined(names)).that_end_with(COMPRESSED_SUFFIXES)] = 0
    begin, root = 0, b""
    for place, (name, its_walked) in enumerate(zip(names, walked.tolist(), strict=True)):
        if its_walked != len(root) or not name.startswith(root):
            if root:
                yield root, begin, place
            begin, root = place, name[:its_walked]
            root = b"" if is_uri(root) else root
    if root:
        yield root, begin, len(names)


def read_open(
    file: OpenFile, name: bytes, before: os.stat_result, limit: int, *, compressed: bool
) -> tuple[bytes, Stamp]:
    """The bytes of an open file as they lie on the disk, and its stamp. before: its status.

    Raises DocumentSkipped, as `read` does; OSError.
    """
    for _ in range(2):
        if _PIECE < before.st_size <= limit and not compressed:
            refuse_binary(read_at(file, LOOKED_AT, 0), name)
        if skip := too_large(before.st_size, limit):
            raise skip
        stamp = Stamp.of(before)
        data = _read_all(file, stamp.size, limit)
        # The times of files that state no size, as in /proc, mean nothing.
        same = not (stamp.size and is_recent(stamp)) or _still_holds(file, data, stamp)
        after = status_now(file)
        if same and stamp.is_of(after):
            return data, stamp
        go_to(file, 0)
        before = settled(file, after)
    raise DocumentSkipped("changed")


def _still_holds(file: OpenFile, data: bytes, stamp: Stamp) -> bool:
    """Whether a file still has these bytes when it is read again a moment later, so that it had all of them at once."""
    wait_between_readings(stamp)
    at = 0
    while piece := read_at(file, _PIECE, at):
        if data[at : at + len(piece)] != piece:
            return False
        at += len(piece)
    return at == len(data)


def _read_all(file: OpenFile, size: int, limit: int) -> bytes:
    """All bytes to the end, up to the limit. The size is only a hint, because it is 0 in /proc."""
    data = read_next(file, size + 1 if size else _UNSIZED)
    if len(data) == size and size:
        return data
    pieces, total = [data], len(data)
    while data:
        if skip := too_large(total, limit, known=False):
            raise skip
        data = read_next(file, _PIECE)
        pieces.append(data)
        total += len(data)
    return b"".join(pieces)


def too_large(size: int, limit: int, *, known: bool = True) -> DocumentSkipped | None:
    """The skip of a document of this size; None if limit and memory allow it. known: the document is not larger."""
    if size <= limit and size <= MOST:
        return None
    most = min(limit, MOST)
    said = f"{size} bytes" if known else f"more than {most} bytes"
    return (
        DocumentSkipped("oversized", said)
        if size > limit
        else DocumentSkipped("unreadable", f"{said}: more than memory can hold")
    )


def read_stream(descriptor: int, limit: int) -> bytes:
    """All bytes of a pipe, terminal or FIFO. Raises DocumentSkipped: oversized; OSError."""
    return _read_all(descriptor, 0, limit)


_Answer = TypeVar("_Answer")


def each_ahead(names: Sequence[bytes], ask: Callable[[int], _Answer]) -> Iterator[Callable[[], _Answer]]:
    """Yield, for each name in order, a function that returns ask(its place), or raises what that raises.

    For objects of a store, `ask` runs in threads, some of them ahead. For files it runs when its result is wanted.
    """
    if sum(map(is_uri, names)) > 1:
        from simdocs.corpora.stores.ahead import each_in_threads

        yield from each_in_threads(names, ask)
        return
    for place in range(len(names)):
        yield partial(ask, place)
