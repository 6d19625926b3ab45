"""Calls on open files, which are descriptors of this system or objects of a store: what `os` has for descriptors.

This is where the two kinds of places meet. All code that reads files calls these functions, and none asks where a file
is.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from simdocs.corpora.stores.object_file import ObjectFile

OpenFile: TypeAlias = "int | ObjectFile"
"""An open file: its descriptor, or an object of a store."""


def fstat(file: OpenFile) -> os.stat_result:
    """The status of an open file now. Raises OSError."""
    return os.fstat(file) if isinstance(file, int) else file.status()


def read(file: OpenFile, size: int) -> bytes:
    """At most these many bytes from its position on, which moves; none at the end. Raises OSError."""
    return os.read(file, size) if isinstance(file, int) else file.read(size)


def pread(file: OpenFile, size: int, at: int) -> bytes:
    """At most these many bytes from a position on; none at the end. Raises OSError."""
    return os.pread(file, size, at) if isinstance(file, int) else file.pread(size, at)


def expect(file: OpenFile, intervals: Iterable[tuple[int, int]]) -> None:
    """Say that these intervals of bytes will be read, in this order. A store is then asked for several at once."""
    if not isinstance(file, int):
        file.expect(intervals)


def go_to(file: OpenFile, at: int) -> None:
    """Move its position."""
    if isinstance(file, int):
        os.lseek(file, at, os.SEEK_SET)
    else:
        file.at = at


def position(file: OpenFile) -> int:
    """Its position."""
    return os.lseek(file, 0, os.SEEK_CUR) if isinstance(file, int) else file.at


def status_at(file: OpenFile | None, name: bytes) -> os.stat_result:
    """The status of the file with this name now. Raises OSError.

    file: the file that had this name when it was opened, if it is still open. That another object has the name now can
    be seen from the object, which asks its store only if bytes were fetched since it was last asked.
    """
    from simdocs.corpora.stamp import status_of

    return status_of(name) if file is None or isinstance(file, int) else file.status()


def close(file: OpenFile) -> None:
    """Close it."""
    if isinstance(file, int):
        os.close(file)
    else:
        file.close()
