"""Lines of JSONL files, read again by their positions. Files stay open between one line and the next."""

from __future__ import annotations

import io
import os

from simdocs.corpora.gzip_stream import SeekableGzip, is_compressed
from simdocs.corpora.read_file import MOST
from simdocs.corpora.stamp import Stamp, status_of
from simdocs.corpora.walked_files import ANY, Met, open_file
from simdocs.model.skipped import DocumentSkipped

MOST_OPEN = 4
"""Files that a LineReader keeps open."""

_AT_ONCE = 1 << 22
"""Bytes that are read at once. Their memory is allocated beforehand, and a forged artifact may state any length."""


class _OpenFile:
    """An open file, with its descriptor and its stamp. gzip: a reader that decompresses it, if it is compressed."""

    def __init__(self, path: bytes, met: Met) -> None:
        self.descriptor, status = open_file(path, met)
        self.stamp = Stamp.of(status)
        self.gzip = SeekableGzip(self.descriptor) if is_compressed(path) else None

    def read(self, start: int, extent: int) -> bytes:
        """The bytes there; fewer at the end of the file, or if a gzip file is damaged."""
        if self.gzip is None:
            content = io.BytesIO()
            while (left := extent - content.tell()) > 0:
                if not (piece := os.pread(self.descriptor, min(left, _AT_ONCE), start + content.tell())):
                    break
                content.write(piece)
            return content.getvalue()
        try:
            return self.gzip.read(start, extent)
        except DocumentSkipped:
            return b""


class LineReader:
    """Reads lines of JSONL files a second time. It keeps the files that were used last open."""

    def __init__(self) -> None:
        self._open: dict[bytes, _OpenFile] = {}
        """Open files by path. The file that was used last is the last one."""

    def read(self, path: bytes, start: int, extent: int, met: Met = ANY) -> tuple[bytes, Stamp]:
        """The bytes of a line and the stamp of its file. start, extent: as in Parsed. met: how the file was met.

        The file has the stamp before and after the line is read. Lines in ascending order are read in one pass through
        the file. Raises DocumentSkipped: vanished, unreadable, special, changed (the file is shorter now, is
        changing, or is not the one that was met).
        """
        if extent > MOST:  # no line as long was ever read
            raise DocumentSkipped("changed")
        try:
            for _ in range(2):
                file = self._file(path, met)
                data = file.read(start, extent)
                if Stamp.of(status_of(path)) == file.stamp:
                    if len(data) < extent:
                        raise DocumentSkipped("changed")
                    return data, file.stamp
                self._drop(path)
            raise DocumentSkipped("changed")
        except OSError as error:
            self._drop(path)
            raise DocumentSkipped.of(error) from None

    def close(self) -> None:
        """Close all files."""
        for path in list(self._open):
            self._drop(path)

    def _file(self, path: bytes, met: Met) -> _OpenFile:
        file = self._open.pop(path, None) or _OpenFile(path, met)
        self._open[path] = file
        if len(self._open) > MOST_OPEN:
            self._drop(next(iter(self._open)))
        return file

    def _drop(self, path: bytes) -> None:
        if path in self._open:
            os.close(self._open.pop(path).descriptor)
