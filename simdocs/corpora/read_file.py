"""Read one whole file as it was at one moment, or raise the reason why it cannot be read."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TypeVar

from simdocs.corpora.decode import LOOKED_AT, refuse_binary
from simdocs.corpora.stamp import (
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
from simdocs.corpora.walked_files import ANY, Directories, Met, open_file, open_walked
from simdocs.model.skipped import DocumentSkipped
from simdocs.parameters.file_formats import compression_of
from simdocs.parameters.values import is_uri

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
