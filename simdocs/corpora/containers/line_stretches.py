"""Cut a stretch of a file of lines into the parts into which the whole file is cut, without what comes before it.

Where a part begins depends on where the one before it began, back to the beginning of the file. But parts that begin at
different lines soon end at the same line. A *seam* is a line with which a part begins, wherever the parts before it
began. It depends on the bytes after a position alone, so the workers that read the two sides of it agree about it.
"""

from __future__ import annotations

import codecs
from collections import deque
from collections.abc import Iterator
from itertools import chain
from typing import NoReturn

import numpy as np

from simdocs.corpora.containers import lines
from simdocs.corpora.containers.container import Part
from simdocs.corpora.containers.jsonl import refuse_other_text
from simdocs.corpora.containers.stretches import MOST_DOCUMENTS, Cut, Stretch
from simdocs.corpora.decode import binary_format
from simdocs.corpora.files import MOST, OpenFile, close_file, open_file, read_at, stamp_now
from simdocs.corpora.stamp import Stamp
from simdocs.model.ragged import Index
from simdocs.model.skipped import DocumentSkipped
from simdocs.model.texts import BATCH_BYTES
from simdocs.options.texts import Sequences

_SEARCHED = (2, 4, 8)
"""How far after a position its seam is searched for, in the largest parts. If it is farther, another reader is needed.

In random lines of 20 kB and less, two were enough for 436 of 460 seams, and four for all. Lines that are alike in the
middle and at the end may have no seam.
"""

_MOST_LINES = 1 << 16
"""Lines after a position in which its seam is searched for."""


def cut_lines(stretch: Stretch, fields: Sequences) -> Cut:
    """Cut a stretch of a file of JSON Lines: see `Stretch`.

    Raises DocumentSkipped: changed, vanished, unreadable; a seam is not found soon; or there are so many lines that not
    all documents of a stretch can be held, which would leave the work on the next stretches unused.
    """
    source, _ = open_file(stretch.name, follow=stretch.follow)
    stamp = stretch.stamp
    try:
        if not stamp.begins(stamp_now(source)):
            raise DocumentSkipped("changed")
        content, limit = _Content(source, stamp, stretch.start), min(stretch.limit, MOST)
        if content.between(stretch.start, stretch.stop).count(b"\n") > MOST_DOCUMENTS:
            _give_up()
        begin = _seam(content, stretch.start, limit) if stretch.start else 0
        end = _seam(content, stretch.stop, limit) if stretch.stop < stamp.size else stamp.size
    except BaseException as error:
        close_file(source)
        raise DocumentSkipped.of(error) if isinstance(error, OSError) else error from None
    return Cut(begin, end, _parts(stretch, content, begin, end, fields))


def _parts(stretch: Stretch, content: _Content, begin: int, end: int, fields: Sequences) -> Iterator[Part]:
    """Yield the parts from one seam to another. The file is closed at the end."""
    try:
        if not begin and (what := binary_format(content.between(0, BATCH_BYTES))):
            raise DocumentSkipped("malformed", what)
        cutter = lines.Cutter(min(stretch.limit, MOST))
        for data, start, extent, first, count in _blocks(content, begin, end, cutter) if begin < end else ():
            if not begin and first == 1 and fields.text_field:
                refuse_other_text(data)
            yield Part(
                container=stretch.container,
                name=stretch.name,
                data=data,
                start=start,
                extent=extent,
                first=first,
                count=count,
                stamp=content.stamp,
                limit=stretch.limit,
                read_to=start + extent,
            )
    except OSError as error:
        raise DocumentSkipped.of(error) from None
    finally:
        content.close()


def _give_up() -> NoReturn:
    raise DocumentSkipped("changed", "its parts depend on more than a stretch of it")


class _Content:
    """The content of an open file from a position on, as far as it was read, in the pieces in which a file is read."""

    def __init__(self, source: OpenFile, stamp: Stamp, start: int) -> None:
        self._source, self.stamp, self.start = source, stamp, start
        self._data = bytearray()

    @property
    def end(self) -> int:
        """How far it was read."""
        return self.start + len(self._data)

    @property
    def is_whole(self) -> bool:
        """Whether it was read to the end of the file."""
        return self.end >= self.stamp.size

    def read_to(self, end: int) -> None:
        """Read at least so far, if the file does not end before. Raises DocumentSkipped: changed; OSError."""
        while self.end < min(end, self.stamp.size):
            piece = read_at(self._source, min(BATCH_BYTES, self.stamp.size - self.end), self.end)
            if not self.stamp.begins(stamp_now(self._source)):
                raise DocumentSkipped("changed")
            if not piece.strip(b"\0"):  # perhaps a hole, which is read in other pieces
                _give_up()
            self._data += piece

    def between(self, start: int, end: int) -> bytes:
        """These bytes of the file; fewer only at its end."""
        self.read_to(end)
        return bytes(memoryview(self._data)[start - self.start : end - self.start])

    def close(self) -> None:
        """Close the file."""
        close_file(self._source)

    def has_grown(self) -> bool:
        """Whether the file has grown since it was found."""
        return stamp_now(self._source).size > self.stamp.size


def _blocks(content: _Content, begin: int, end: int, cutter: lines.Cutter) -> Iterator[lines.CutBlock]:
    """Yield the parts from one seam to another, or to the end of the file.

    The cutter is given the pieces in which the whole file is read, because a line that is too long is counted in them.
    """
    cutter.start = at = begin
    while True:
        stop = (at // BATCH_BYTES + 1) * BATCH_BYTES
        piece = content.between(at, stop)
        if not at and piece.startswith(codecs.BOM_UTF8):
            cutter.start, piece = len(codecs.BOM_UTF8), piece[len(codecs.BOM_UTF8) :]
        at = stop
        is_last = content.is_whole and at >= content.end
        for block in chain(cutter.take(piece), _rest(content, cutter) if is_last else ()):
            data, start, extent, _, _ = block
            past = start + extent - end
            if past > 0:
                _give_up()
            yield block
            if not past or (past == -1 and extent and not data):  # a line that is too long is without its end
                return
        if is_last:
            return


def _rest(content: _Content, cutter: lines.Cutter) -> Iterator[lines.CutBlock]:
    if content.has_grown():
        cutter.leave_unfinished()
    yield from cutter.rest()


def _seam(content: _Content, position: int, limit: int) -> int:
    """The first seam that is found after a position; the size of the file if there is none up to its end."""
    for most in _SEARCHED:
        stop = position + most * lines.MOST_BYTES
        found = _seam_in(content.between(position, stop), position, limit)
        if found is not None:
            return found
        if stop >= content.stamp.size:
            return content.stamp.size
    _give_up()


def _seam_in(data: bytes, position: int, limit: int) -> int | None:
    """The seam in the bytes after a position; None if more of them are needed to find it.

    A part has at most MOST_BYTES or one line. So in any lines that are together longer than that, a part begins: it is
    not known at which. The first of the lines that are possible is replaced by the one at which the part would end that
    began there, until a single one is possible. A part that begins later ends no earlier, so those that are possible
    stay in order.
    """
    begins = lines.ends_of_lines(data)[:_MOST_LINES]
    if not len(begins) or begins[-1] - begins[0] <= lines.MOST_BYTES:
        return None
    stops = _stops(data[begins[0] : begins[-1]], begins[1:] - begins[0], position + int(begins[0]), limit).tolist()
    possible = deque(range(int(np.searchsorted(begins, begins[0] + lines.MOST_BYTES, side="right"))))
    while len(possible) > 1:
        first = possible.popleft()
        if first == len(stops) or stops[first] < 0:
            return None
        if stops[first] > possible[-1]:
            possible.append(stops[first])
    return position + int(begins[possible.pop()])


def _stops(data: bytes, ends: Index, start: int, limit: int) -> Index:
    """For each line the one at which a part ends that begins with it, (n,): see `lines.cut_records`.

    -1: lines after these decide. start: where the lines begin in the file. limit: see `Cutter`.
    """
    count = len(ends)
    at, numbers = np.append(0, ends[:-1]), np.arange(count)
    after = np.searchsorted(ends, at + lines.MOST_BYTES, side="right")
    most = np.maximum(numbers + 1, np.minimum(after, numbers + lines.MOST_LINES))
    good = np.append(np.flatnonzero(lines.good_ends(data, ends)), count + lines.MOST_LINES)
    enough = np.searchsorted(ends, at + lines.LEAST_BYTES)
    stops = good[np.searchsorted(good, np.maximum(numbers, enough))] + 1
    open_ended = (stops > most) & (most == count) & (most - numbers < lines.MOST_LINES)
    stops = np.where(open_ended, count + 1, np.minimum(stops, most))
    # A part ends before and after a line whose bytes are not held because it is too long.
    dropped = np.flatnonzero((ends + start - 1) // BATCH_BYTES * BATCH_BYTES - (at + start) > limit)
    following = np.append(dropped, count + 1)[np.searchsorted(dropped, numbers)]
    stops = np.minimum(stops, np.where(following == numbers, numbers + 1, following))
    return np.where(stops > count, -1, stops)
