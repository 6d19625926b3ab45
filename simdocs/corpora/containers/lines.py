"""Cut files into parts of whole records, such as lines."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator

import numpy as np

from simdocs.corpora.containers.container import ContainerFile, Part
from simdocs.corpora.decode import binary_format
from simdocs.corpora.files import MOST, Chunk, OpenFile, chunks, close_file, open_file, position, stamp_now
from simdocs.corpora.identity import NO_FILE, Stamp
from simdocs.model.ragged import BATCH_BYTES, Index
from simdocs.model.skipped import DocumentSkipped
from simdocs.options.file_formats import compression_of


def parts_of_lines(container: str, file: ContainerFile) -> Iterator[Part]:
    """Cut a file into parts of whole lines: see `parts_of`."""
    return parts_of(container, file, "line", lambda: Cutter(min(file.limit, MOST)))


def parts_of(container: str, file: ContainerFile, noun: str, new_cutter: Callable[[], Cutter]) -> Iterator[Part]:
    """Cut a file into parts of whole records, at least one. Every record is in exactly one part.

    noun: what messages call a record.
    new_cutter: makes what cuts the content of a file.
    A byte order mark of UTF-8 at the beginning is left out. The last record may lack its end. A record that is too long
    is a part without data. At most a few parts and a record of limit bytes are held in memory, however large the file
    is. While a part was read, the file did not change or only grew. A file that changes before the first part is read a
    second time. Raises DocumentSkipped: vanished, unreadable, special, changed (it is not the file that was found); and
    after all whole records that could be read: changed, unreadable, malformed (as a compressed file, or as the cutter
    says); uninstalled (what decompresses it).
    """
    if file.held is not None:
        content = (file.held[at : at + BATCH_BYTES] for at in range(0, len(file.held), BATCH_BYTES))
        yield from _located(container, file, noun, _blocks(content, new_cutter()))
        return
    source, stamp = open_file(file.name, follow=file.follow)
    try:
        for turn in range(2):
            read, some = chunks(source, stamp, BATCH_BYTES, compression_of(file.name)), False
            try:
                for part in _located(container, file, noun, _blocks(read, new_cutter(), source, stamp), stamp, source):
                    some = True
                    yield part
                return
            except DocumentSkipped as skip:
                if some or turn or skip.reason != "changed":
                    raise
            stamp = stamp_now(source)
    except OSError as error:
        raise DocumentSkipped.of(error) from None
    finally:
        close_file(source)


CutBlock = tuple[bytes, int, int, int, int]
"""Data, start, extent, first and count of a part. A record that is too long to be held has no data."""


def _located(
    container: str,
    file: ContainerFile,
    noun: str,
    blocks: Iterator[CutBlock],
    stamp: Stamp = NO_FILE,
    source: OpenFile | None = None,
) -> Iterator[Part]:
    """Yield blocks as parts. If there are no more because of a skip, its detail says from which record on."""
    part: Part | None = None
    try:
        for data, start, extent, first, count in blocks:
            part = Part(
                container=container,
                name=file.name,
                data=data,
                start=start,
                extent=extent,
                first=first,
                count=count,
                stamp=stamp,
                limit=file.limit,
                read_to=start + extent if source is None else position(source),
            )
            yield part
    except DocumentSkipped as skip:
        if part is None:
            raise
        where = f"from {noun} {part.first + part.count} on"
        raise DocumentSkipped(skip.reason, f"{skip.detail}, {where}" if skip.detail else where) from None


def _blocks(
    content: Iterator[Chunk], cutter: Cutter, source: OpenFile | None = None, stamp: Stamp = NO_FILE
) -> Iterator[CutBlock]:
    """Yield the parts of some content. source: its file, which had this stamp; None: it is held."""
    for turn, given in enumerate(content):
        if isinstance(given, int) and cutter.skips(given):
            continue
        piece = bytes(given)
        if not turn and (what := binary_format(piece)):
            raise DocumentSkipped("malformed", what)
        if not turn and piece.startswith(codecs.BOM_UTF8):
            cutter.start, piece = len(codecs.BOM_UTF8), piece[len(codecs.BOM_UTF8) :]
        yield from cutter.take(piece)
    if source is not None and stamp_now(source).size > stamp.size:
        cutter.leave_unfinished()
    yield from cutter.rest()


class Cutter:
    """Cuts content into parts of whole records, piece by piece. Here each line is a record.

    start, first: where the next part begins, and the number of its first record.
    limit: a record of more bytes is a part without data.
    """

    def __init__(self, limit: int) -> None:
        self.start, self.first = 0, 1
        self._limit = limit
        self._held: list[bytes] = []
        """The beginning of a record whose end was not read yet."""
        self._size = 0
        """Its length."""
        self._dropped = 0
        """Its length if it is too long, and so not held."""
        self._is_cut = False
        """Whether there is a part."""

    def ends_in(self, piece: bytes) -> Index:
        """Where records end in the next bytes, ascending."""
        return ends_of_lines(piece)

    def block(self, data: bytes, ends: Index) -> CutBlock:
        """The part of these whole records, which are next. ends: where each of them ends."""
        return data, self.start, len(data), self.first, len(ends)

    def skips(self, hole: int) -> bool:
        """Whether a hole of this length makes a record too long. Then it is counted, and need not be read."""
        if not self._dropped and self._size + hole <= self._limit:
            return False
        self._dropped, self._held, self._size = (self._dropped or self._size) + hole, [], 0
        return True

    def take(self, piece: bytes) -> Iterator[CutBlock]:
        """Add the next bytes, and yield the records that are complete."""
        ends = self.ends_in(piece)
        if self._dropped:
            if not len(ends):
                self._dropped += len(piece)
                return
            past = int(ends[0])
            self._is_cut = True
            yield b"", self.start, self._dropped + past - 1, self.first, 1
            self.start, self.first, self._dropped = self.start + self._dropped + past, self.first + 1, 0
            piece, ends = piece[past:], ends[1:] - past
        if len(ends):
            cut, size, held = int(ends[-1]), self._size, self._held
            self._held, self._size = [], 0
            yield from self._whole(b"".join((*held, piece[:cut])), ends + size)
            piece = piece[cut:]
        self._held.append(piece)
        self._size += len(piece)
        if self._size > self._limit:
            self._dropped, self._held, self._size = self._size, [], 0

    def leave_unfinished(self) -> None:
        """Leave out a last record without its end: the file grows, so it may be written just now."""
        self._held, self._size, self._dropped = [], 0, 0

    def rest(self) -> Iterator[CutBlock]:
        """Yield the last record, if it lacks its end, so that there is at least one part in all.

        Raises DocumentSkipped: see RecordCutter.
        """
        data = b"".join(self._held)
        if data:
            yield from self._whole(data, np.array([len(data)]))
        elif self._dropped or not self._is_cut:
            yield b"", self.start, self._dropped, self.first, int(self._dropped > 0)

    def _whole(self, data: bytes, ends: Index) -> Iterator[CutBlock]:
        """Yield the parts of these whole records."""
        at = 0
        for done in range(0, len(ends), MOST_RECORDS):
            some = ends[done : done + MOST_RECORDS]
            block, self._is_cut = self.block(data[at : some[-1]], some - at), True
            yield block
            self.start, self.first, at = self.start + int(some[-1]) - at, self.first + block[-1], int(some[-1])


MOST_RECORDS = 1 << 14
"""The most records of a part, since the facts of each take memory. Only parts of very short lines have this many."""

_LINE_FEED = 10


def ends_of_lines(data: bytes) -> Index:
    """Where lines end, each after its line feed."""
    return np.flatnonzero(np.frombuffer(data, np.uint8) == _LINE_FEED) + 1


def ends_to(ends: Index, data: bytes) -> Index:
    """The ends of records in data that is complete, so that the last record may lack its end."""
    return np.append(ends, len(data)) if data and (not len(ends) or ends[-1] < len(data)) else ends
