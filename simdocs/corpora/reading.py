"""Reading one document: all of it, in one piece of its history, or a reason why not."""

from __future__ import annotations

import os
import stat
from typing import NamedTuple

from simdocs.corpora.opening import open_name

_PIECE = 1 << 20


class Unread(Exception):  # noqa: N818  (a verdict on a document, not an error of the run)
    """A document that is skipped: reason (of model/skipped.py) and detail."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(reason, detail)
        self.reason, self.detail = reason, detail


class Stamp(NamedTuple):
    """By what a file is known again: equal stamps, equal bytes, unless a clock was set back."""

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int

    @classmethod
    def of(cls, status: os.stat_result) -> Stamp:
        """The stamp of a file, from its status."""
        return cls(status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)


def read(name: bytes, limit: int) -> tuple[bytes, Stamp]:
    """The bytes of the regular file of this name, and its stamp.

    The file was the same before and after; one that changes meanwhile is read a second time. Raises Unread:
    vanished, unreadable, special, oversized (more than limit bytes), changed.
    """
    try:
        descriptor = open_name(name)
    except (FileNotFoundError, NotADirectoryError):
        raise Unread("vanished") from None
    except OSError as error:
        raise Unread("unreadable", error.strerror or str(error)) from None
    try:
        return _read_open(descriptor, limit)
    except OSError as error:
        raise Unread("unreadable", error.strerror or str(error)) from None
    finally:
        os.close(descriptor)


def _read_open(descriptor: int, limit: int) -> tuple[bytes, Stamp]:
    before = os.fstat(descriptor)
    if not stat.S_ISREG(before.st_mode):
        raise Unread("special")
    for _ in range(2):
        data = _read_all(descriptor, before.st_size, limit)
        after = os.fstat(descriptor)
        if Stamp.of(before) == Stamp.of(after):
            return data, Stamp.of(after)
        os.lseek(descriptor, 0, os.SEEK_SET)
        before = after
    raise Unread("changed")


def _read_all(descriptor: int, size: int, limit: int) -> bytes:
    """All bytes up to the end. Sizes lie: those of /proc are 0, so size is only a hint, and the limit holds."""
    if size > limit:
        raise Unread("oversized", f"{size} bytes")
    data = os.read(descriptor, size + 1)
    if len(data) == size and size:
        return data
    pieces, total = [data], len(data)
    while data:
        if total > limit:
            raise Unread("oversized", f"more than {limit} bytes")
        data = os.read(descriptor, _PIECE)
        pieces.append(data)
        total += len(data)
    return b"".join(pieces)


def read_stream(descriptor: int, limit: int) -> bytes:
    """All bytes of a pipe, terminal or FIFO. Raises Unread: oversized; OSError."""
    return _read_all(descriptor, 0, limit)
