"""A line of a sequence read again, by its place; files stay open between one line and the next."""

from __future__ import annotations

import os

from simdocs.corpora.document_skipped import DocumentSkipped
from simdocs.corpora.gzip_stream import Unfolder, is_compressed
from simdocs.corpora.long_paths import status_of
from simdocs.corpora.read_file import Stamp, open_file

MOST_OPEN = 4
"""Files kept open by line_again."""


class _Kept:
    """A file that lines are read from again: its descriptor, its stamp, and what unfolds it, if it is gzip."""

    def __init__(self, path: bytes) -> None:
        self.descriptor, status = open_file(path)
        self.stamp = Stamp.of(status)
        self.unfolder = Unfolder(self.descriptor) if is_compressed(path) else None

    def read(self, start: int, extent: int) -> bytes:
        """The bytes in that place, fewer if there are no more, or if what was gzip is damaged now."""
        if self.unfolder is None:
            data = b""
            while len(data) < extent and (more := os.pread(self.descriptor, extent - len(data), start + len(data))):
                data += more  # once, but for lines of gigabytes
            return data
        try:
            return self.unfolder.read(start, extent)
        except DocumentSkipped:
            return b""


_KEPT: dict[bytes, _Kept] = {}
"""By path, the last used last."""

# A worker closes all descriptors that it has from its parent: it must not read by their numbers.
os.register_at_fork(after_in_child=_KEPT.clear)


def line_again(path: bytes, start: int, extent: int) -> tuple[bytes, Stamp]:
    """The bytes of a line of a file again, by Parsed's start and extent, and the stamp of the file they are from.

    The stamp is as that of Lines, and was the file's before and after. Lines in ascending order are read in one go
    through the file, which stays open. Raises DocumentSkipped: vanished, unreadable, special,
    changed (there are fewer bytes, or it is changing now).
    """
    try:
        for _ in range(2):
            kept = _kept(path)
            data = kept.read(start, extent)
            if Stamp.of(status_of(path)) == kept.stamp:
                if len(data) < extent:
                    raise DocumentSkipped("changed")
                return data, kept.stamp
            _drop(path)
        raise DocumentSkipped("changed")
    except OSError as error:
        _drop(path)
        raise DocumentSkipped.of(error) from None


def _kept(path: bytes) -> _Kept:
    kept = _KEPT.pop(path, None) or _Kept(path)
    _KEPT[path] = kept
    if len(_KEPT) > MOST_OPEN:
        _drop(next(iter(_KEPT)))
    return kept


def let_go() -> None:
    """Close all files that are kept open."""
    for path in list(_KEPT):
        _drop(path)


def _drop(path: bytes) -> None:
    if path in _KEPT:
        os.close(_KEPT.pop(path).descriptor)
