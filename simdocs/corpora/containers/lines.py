"""Cut files into parts of whole records, such as lines, and read records again by their positions."""

from __future__ import annotations

import codecs
import io
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from simdocs.corpora.compression import SeekableStream
from simdocs.corpora.containers.container import ContainerFile, Locator, Part
from simdocs.corpora.decode import binary_format
from simdocs.corpora.files import (
    MOST,
    Chunk,
    OpenFile,
    chunks,
    close_file,
    open_file,
    position,
    read_at,
    stamp_now,
)
from simdocs.corpora.stamp import NO_FILE, Stamp
from simdocs.model.ragged import Index, Mask
from simdocs.model.skipped import DocumentSkipped
from simdocs.model.texts import BATCH_BYTES
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
    try:
        for turn, given in enumerate(content):
            if isinstance(given, int) and cutter.skips(given):
                continue
            piece = bytes(given)
            if not turn and (what := binary_format(piece)):
                raise DocumentSkipped("malformed", what)
            if not turn and piece.startswith(codecs.BOM_UTF8):
                cutter.start, piece = len(codecs.BOM_UTF8), piece[len(codecs.BOM_UTF8) :]
            yield from cutter.take(piece)
    except DocumentSkipped:
        yield from cutter.cut(to_end=True)
        raise
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
        self._whole = b""
        """Whole records that are not yielded yet, because their chunk may go on."""
        self._ends = np.empty(0, np.int64)
        """Where they end."""
        self._held: list[bytes] = []
        """The beginning of a record whose end was not read yet."""
        self._size = 0
        """Its length."""
        self._dropped = 0
        """Its length if it is too long, and so not held."""

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
        """Add the next bytes, and yield the parts that are complete."""
        ends = self.ends_in(piece)
        if self._dropped:
            yield from self.cut(to_end=True)
            if not len(ends):
                self._dropped += len(piece)
                return
            past = int(ends[0])
            yield b"", self.start, self._dropped + past - 1, self.first, 1
            self.start, self.first, self._dropped = self.start + self._dropped + past, self.first + 1, 0
            piece, ends = piece[past:], ends[1:] - past
        cut = int(ends[-1]) if len(ends) else 0
        if len(ends):
            self._ends = np.concatenate((self._ends, ends + (len(self._whole) + self._size)))
            self._whole = b"".join((self._whole, *self._held, piece[:cut]))
            self._held, self._size = [], 0
            yield from self.cut(to_end=False)
        self._held.append(piece[cut:])
        self._size += len(piece) - cut
        if self._size > self._limit:
            self._dropped, self._held, self._size = self._size, [], 0

    def leave_unfinished(self) -> None:
        """Leave out a last record without its end: the file grows, so it may be written just now."""
        self._held, self._size, self._dropped = [], 0, 0

    def rest(self) -> Iterator[CutBlock]:
        """Yield the last parts, so that there is at least one in all. DocumentSkipped: the last record has no end."""
        nothing = self.first == 1 and not (self._whole or any(self._held))
        if not self._dropped:
            self._whole = b"".join((self._whole, *self._held))
        yield from self.cut(to_end=True)
        if self._dropped or nothing:
            yield b"", self.start, self._dropped, self.first, int(self._dropped > 0)

    def cut(self, *, to_end: bool) -> Iterator[CutBlock]:
        """Yield the chunks in the whole records that were read. to_end: the last one is complete, too."""
        at = done = 0
        ends = ends_to(self._ends, self._whole) if to_end else self._ends
        for stop, count in cut_records(ends, good_ends(self._whole, ends), to_end=to_end):
            block = self.block(self._whole[at:stop], ends[done : done + count] - at)
            yield block
            self.start, self.first, at, done = self.start + stop - at, self.first + block[-1], stop, done + count
        self._whole, self._ends = self._whole[at:], self._ends[done:] - at


MOST_BYTES = BATCH_BYTES
"""Bytes of a chunk, unless it is a single longer line."""

USUAL_BYTES = MOST_BYTES >> 2
"""Bytes of a chunk on average, beyond the least."""

LEAST_BYTES = MOST_BYTES >> 4
"""A chunk is not cut before it has this many bytes. Each chunk costs an entry and a task."""

MOST_LINES = 1 << 14
"""The most records in a chunk, since the facts of each take memory. Only chunks of very short lines have this many."""

_LINE_FEED = 10

_FACTORS = tuple(np.uint64(factor) for factor in (0x9FB21C651E98DF25, 0xD6E8FEB86659FD93, 0xC2B2AE3D27D4EB4F))
"""Odd numbers with about as many bits set as not."""


def ends_of_lines(data: bytes) -> Index:
    """Where lines end, each after its line feed."""
    return np.flatnonzero(np.frombuffer(data, np.uint8) == _LINE_FEED) + 1


def ends_to(ends: Index, data: bytes) -> Index:
    """The ends of records in data that is complete, so that the last record may lack its end."""
    return np.append(ends, len(data)) if data and (not len(ends) or ends[-1] < len(data)) else ends


def cut_lines(data: bytes, *, to_end: bool) -> list[tuple[int, int]]:
    """The end of each chunk of whole lines, ascending, and its number of lines. The rest belongs to a later chunk.

    data: begins a chunk.
    to_end: the file ends here, so the last chunk is complete, and its last line may lack the line feed.
    A chunk has at most MOST_BYTES, unless it is a single line, and MOST_LINES.
    """
    ends = ends_of_lines(data)
    ends = ends_to(ends, data) if to_end else ends
    return cut_records(ends, good_ends(data, ends), to_end=to_end)


def cut_records(ends: Index, good_ends: Mask, *, to_end: bool) -> list[tuple[int, int]]:
    """The end of each chunk of records, ascending, and its number of records: see `cut_lines`.

    ends: where each record ends, (n,), ascending. good_ends: which of them are good to cut after.
    """
    good = np.flatnonzero(good_ends)
    found, line, at = list[tuple[int, int]](), 0, 0
    while line < len(ends):
        after = int(np.searchsorted(ends, at + MOST_BYTES, side="right"))  # the first record that is too much
        most = max(line + 1, min(after, line + MOST_LINES))
        enough = int(np.searchsorted(ends, at + LEAST_BYTES))
        next_good = int(np.searchsorted(good, max(line, enough)))
        stop = int(good[next_good]) + 1 if next_good < len(good) else most + 1
        if stop > most == len(ends) and most - line < MOST_LINES:
            break  # nothing says yet where this chunk ends
        stop = min(stop, most)
        at = int(ends[stop - 1])
        found.append((at, stop - line))
        line = stop
    if to_end and len(ends) > line:
        found.append((int(ends[-1]), len(ends) - line))
    return found


def good_ends(data: bytes, ends: Index) -> Mask:
    """Which records are good to cut after: (n,) bool. The probability is proportional to the length of the record."""
    if not len(data):
        return np.zeros(len(ends), bool)
    values = np.frombuffer(data, np.uint8)
    starts = np.append(0, ends[:-1])
    lengths = ends - starts
    mixed = lengths.astype(np.uint64) * _FACTORS[0]
    # Records often end alike, so some bytes are taken from the middle.
    for factor, first in zip(_FACTORS[1:], (ends - 9, starts + lengths // 2), strict=True):
        sample = np.zeros(len(ends), np.uint64)
        for place in range(8):
            sample <<= np.uint64(8)
            sample |= values[np.clip(first + place, starts, ends - 1)]
        mixed ^= sample * factor
        mixed ^= mixed >> np.uint64(29)
        mixed *= factor
    good: Mask = (mixed >> np.uint64(32)) * np.uint64(USUAL_BYTES) < lengths.astype(np.uint64) << np.uint64(32)
    return good


_AT_ONCE = 1 << 22
"""Bytes that are read at once. Their memory is allocated beforehand, and a forged artifact may state any length."""


class OpenIntervals:
    """An open file from which documents are read again that are intervals of bytes of its decompressed content."""

    def __init__(self, path: bytes, *, follow: bool) -> None:
        self.file, self.stamp = open_file(path, follow=follow)
        self._compressed: SeekableStream | None = None
        if known := compression_of(path):
            try:
                self._compressed = SeekableStream(known, self.file)
            except DocumentSkipped:
                self.close()
                raise

    def read(self, wanted: Sequence[Locator]) -> Iterator[bytes | None]:
        """Yield the bytes of these intervals; None if the file is too short, or damaged there."""
        for start, extent, _ in wanted:
            line = self.bytes_at(start, extent) if extent <= MOST else b""  # no line as long was ever read
            yield line if len(line) == extent else None

    def bytes_at(self, start: int, extent: int) -> bytes:
        """These bytes of the content; fewer if it is too short, or if damaged there."""
        if self._compressed is None:
            first = read_at(self.file, min(extent, _AT_ONCE), start)
            if not first or len(first) == extent:
                return first
            content = io.BytesIO()
            content.write(first)
            while (left := extent - content.tell()) > 0:
                if not (piece := read_at(self.file, min(left, _AT_ONCE), start + content.tell())):
                    break
                content.write(piece)
            return content.getvalue()
        try:
            return self._compressed.read(start, extent)
        except DocumentSkipped:
            return b""

    def close(self) -> None:
        """Close the file."""
        close_file(self.file)
