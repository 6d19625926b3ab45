"""Files of lines: JSON Lines, with an object on each line, and plain text of which each line is a document.

A file that is not compressed is cut into blocks, which workers read, and which updates compare.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, ClassVar, Literal

import numpy as np

from simdocs.model.ragged import BATCH_BYTES, Index
from simdocs.model.skipped import DocumentSkipped
from simdocs.names import is_uri
from simdocs.options.families import is_of_lines
from simdocs.options.recipes import Sequences
from simdocs.reading.batches import MOST_ROWS, Batch, refuse_large
from simdocs.reading.decode import binary_format, transcoded
from simdocs.reading.files import Source, Stamp, content_digest, too_large

BLOCK = BATCH_BYTES
"""Bytes of a block: as many as texts that are shingled together. A worker holds the facts of all lines of a block. The
shortest lines with a text have 12 bytes, so there are at most 44,000 of them; with their signatures they take 60 MB."""

_PIECE = 1 << 16
"""Bytes that are read at once to find the end of the last line of a block."""


@dataclass(frozen=True, slots=True)
class LineBlock:
    """A block of a file of lines, which a worker reads: the lines that begin after its first line end and in it.

    A line that begins where the next block does is one of them.

    form: the format of the file. name, limit, follow: see Source. row: its row in the list of files.
    stamp: its stamp when it was found. What it grows afterwards is not read.
    start, stop: the interval of the file, in bytes.
    begin: where its first line begins, if that is known; -1: after its first line end.
    """

    form: str
    name: bytes
    limit: int
    follow: bool
    row: int
    stamp: Stamp
    start: int
    stop: int
    begin: int

    kind: ClassVar[Literal["block"]] = "block"

    @property
    def is_last(self) -> bool:
        """Whether the file ends with it."""
        return self.stop == self.stamp.size

    @property
    def read_to(self) -> int:
        """How many bytes of the file are read when it is."""
        return self.stop


def blocks_of(
    form: str, name: bytes, limit: int, row: int, stamp: Stamp, begin: int, *, follow: bool
) -> Iterator[LineBlock]:
    """Yield the blocks of a file from the line on that begins at this position, at least one. See LineBlock."""
    first = begin // BLOCK * BLOCK
    for start in range(first, max(stamp.size, 1), BLOCK):
        stop = min(start + BLOCK, stamp.size)
        yield LineBlock(form, name, limit, follow, row, stamp, start, stop, begin if start == first else -1)


def read_block(block: LineBlock, fields: Sequences) -> tuple[Batch, bytes]:
    """The documents of a block, numbered from its first line, and the bytes of the block.

    A file of one block that changes meanwhile is read once more. Raises DocumentSkipped: vanished, unreadable, special,
    changed; malformed (the file is no text).
    """
    try:
        return _read(block, fields)
    except DocumentSkipped as skip:
        now = Stamp.at(block.name)
        if skip.reason != "changed" or block.start or not block.is_last or now is None or now.size > BLOCK:
            raise
    return _read(replace(block, stamp=now, stop=now.size), fields)


def _read(block: LineBlock, fields: Sequences) -> tuple[Batch, bytes]:
    with Source(block.name, block.limit, follow=block.follow) as source:
        _refuse_changed(block, source.stamp)
        data = _between(source, block.start, block.stop)
        begin = block.begin - block.start if block.begin >= 0 else data.find(b"\n") + 1 or len(data)
        if not block.begin and (what := binary_format(data)):
            raise DocumentSkipped("malformed", what)
        if not block.begin and data.startswith(codecs.BOM_UTF8):
            begin = len(codecs.BOM_UTF8)
        lines, too_long, has_end = data[begin:], 0, True
        if block.begin >= 0 or b"\n" in data:
            lines, too_long, has_end = _to_line_end(source, block, lines)
        now = source.now()
        _refuse_changed(block, now)
    if now.size > block.stamp.size and not has_end:  # the next run reads this line
        lines, too_long = lines[: lines.rfind(b"\n") + 1], 0
    start = block.start + begin
    return FileLines(block.name, block.form, block.limit, lines, 1, too_long, start).batch(fields), data


def _refuse_changed(block: LineBlock, now: Stamp) -> None:
    """Raise DocumentSkipped (changed) unless the file is the one that was found, and as it was, or has only grown."""
    if now.inode != block.stamp.inode or not (now.size > block.stamp.size or block.stamp.same_bytes(now)):
        raise DocumentSkipped("changed")


def _between(source: Source, start: int, stop: int) -> bytes:
    """These bytes of a file. DocumentSkipped: changed, because there are fewer."""
    data = source.interval(start, stop)
    if len(data) < stop - start:
        raise DocumentSkipped("changed")
    return data


def _to_line_end(source: Source, block: LineBlock, lines: bytes) -> tuple[bytes, int, bool]:
    """The lines of a block with the rest of the last one; its length if it is too long to be held, or 0; and whether it
    has an end, or there is none. lines: those in the block."""
    whole = lines.rfind(b"\n") + 1
    at, size, rest, end = block.stop, len(lines) - whole, list[bytes](), 0
    while at < block.stamp.size and not end:
        piece = _between(source, at, min(at + _PIECE, block.stamp.size))
        end = piece.find(b"\n") + 1
        at, size = at + len(piece), size + (end - 1 if end else len(piece))
        if size <= source.most:
            rest.append(piece[:end] if end else piece)
        else:
            rest.clear()
    has_end = end > 0 or not size
    return (lines[:whole], size, has_end) if size > source.most else (b"".join((lines, *rest)), 0, has_end)


def blocks_digests(name: bytes, size: int, *, follow: bool = True) -> Iterator[tuple[bytes, bytes]]:
    """Yield each block of the first `size` bytes of a file, and its digest. DocumentSkipped: see `read_block`."""
    with Source(name, 0, follow=follow) as source:
        for start in range(0, size, BLOCK):
            data = _between(source, start, min(start + BLOCK, size))
            yield data, content_digest(data)


def digests_of(name: bytes, form: str, stamp: Stamp, *, follow: bool = True) -> Iterator[bytes]:
    """Yield the digests of the blocks of a file in this format; of an object of a store that is not read in blocks only
    that of its size and time, because it would be fetched once more. DocumentSkipped: see `read_block`."""
    if is_uri(name) and not is_of_lines(form, name):
        yield content_digest(b"%d %d" % (stamp.size, stamp.mtime_ns))
    else:
        yield from (digest for _, digest in blocks_digests(name, stamp.size, follow=follow))


@dataclass(frozen=True, slots=True)
class FileLines:
    """Some whole lines of a file, of which a worker takes the documents.

    name, limit: see Source. form: the format of the file. data: the lines. number: that of the first one.
    too_long: the length of a line after them that is too long to be held; 0: there is none.
    start: where they are in the file; -1: they have no places.
    wanted: the numbers of those that are taken; None: all.
    """

    name: bytes
    form: str
    limit: int
    data: bytes
    number: int = 1
    too_long: int = 0
    start: int = -1
    wanted: Index | None = None

    @property
    def count(self) -> int:
        """How many lines there are."""
        return self.data.count(b"\n") + (self.data[-1:] not in (b"", b"\n")) + (self.too_long > 0)

    def batch(self, fields: Sequences) -> Batch:
        """The documents. Blank lines are neither documents nor skipped, unless they are too long."""
        wanted, each, first, start = self.wanted, self.data.split(b"\n"), self.number, self.start
        if not each[-1]:
            del each[-1]
        batch = Batch(self.name, self.form, self.limit, self.count)
        numbers: Iterable[int] = range(first, first + len(each))
        if wanted is not None:
            begin, end = np.searchsorted(wanted, (first, first + len(each)))
            numbers = wanted[begin:end].tolist()
            each = [each[number - first] for number in numbers]
        for number, line in zip(numbers, each, strict=True):
            if line.strip() or len(line) > self.limit:
                place = (start, len(line)) if start >= 0 else (0, 0)
                try:
                    refuse_large(len(line), self.limit)
                    if self.form == "lines":
                        batch.add(number, transcoded(line, fields.encoding), None, place)
                    else:
                        batch.add_row(number, _object_on(transcoded(line, fields.encoding)), fields, place)
                except DocumentSkipped as skip:
                    batch.skip(number, skip)
            start += len(line) + 1 if start >= 0 else 0
        last = first + self.count - 1
        if self.too_long and (wanted is None or last in wanted) and (reason := too_large(self.too_long, self.limit)):
            batch.skip(last, reason)
        return batch


def read_lines(source: Source, form: str, _fields: Sequences, wanted: Index | None = None) -> Iterator[FileLines]:
    """Yield the lines of a file, so many at once as a batch may have. wanted: the numbers of those that are documents,
    which ascend; None: all may be. DocumentSkipped: see Source.pieces."""
    number = 1
    for whole, too_long in whole_lines(source.pieces(), source.most):
        for data in _cut(whole):
            lines = FileLines(source.name, form, source.limit, data, number, too_long, wanted=wanted)
            number += lines.count
            yield lines


def _cut(lines: bytes) -> Iterator[bytes]:
    """Yield some whole lines in order, at most so many at once as a batch may have."""
    if lines.count(b"\n") <= MOST_ROWS:
        yield lines
        return
    ends = np.flatnonzero(np.frombuffer(lines, np.uint8) == ord("\n")) + 1
    yield from (lines[a:b] for a, b in pairwise([0, *ends[MOST_ROWS - 1 : -1 : MOST_ROWS].tolist(), len(lines)]))


def whole_lines(pieces: Iterable[bytes], most: int) -> Iterator[tuple[bytes, int]]:
    """Yield whole lines, and for a line of more than `most` bytes no bytes and its length."""
    held, size, dropped = list[bytes](), 0, 0
    for piece in pieces:
        begin, end = 0, piece.rfind(b"\n") + 1
        if dropped:
            begin = piece.find(b"\n") + 1
            dropped += begin - 1 if begin else len(piece)
            if not begin:
                continue
            yield b"", dropped
            dropped = 0
        if end > begin:
            yield b"".join((*held, piece[begin:end])), 0
            held, size = [], 0
        held.append(piece[end:])
        size += len(piece) - end
        if size > most:
            held, size, dropped = [], 0, size
    if dropped or size:
        yield b"".join(held), dropped


_ARRAY = "an array: JSON Lines have one object on each line, and --input-format json reads an array"


def _object_on(data: bytes) -> dict[str, Any]:
    """The object on a line. Raises DocumentSkipped: malformed; it says what reads an array."""
    try:
        value = json_value(data)
    except DocumentSkipped as skip:
        if skip.detail.startswith("not JSON") and data.lstrip().startswith(b"["):
            raise DocumentSkipped("malformed", f"the beginning of {_ARRAY}") from None
        raise
    if isinstance(value, list):
        raise DocumentSkipped("malformed", _ARRAY)
    return as_object(value)


def as_object(value: Any) -> dict[str, Any]:
    """A value of JSON that is an object. Raises DocumentSkipped: malformed."""
    if not isinstance(value, dict):
        raise DocumentSkipped("malformed", "not a JSON object")
    return value


_raw_decode = json.JSONDecoder().raw_decode
"""Reads a value without looking for whitespace around it, of which most lines have none."""


def json_value(data: bytes) -> Any:
    """The value that some JSON in UTF-8 describes. Raises DocumentSkipped: malformed."""
    try:
        text = data.decode("utf-8")
        try:
            value, end = _raw_decode(text)
        except json.JSONDecodeError:
            end = -1
        return value if end == len(text) else json.loads(text)
    except UnicodeDecodeError:
        raise DocumentSkipped("malformed", "not UTF-8") from None
    except json.JSONDecodeError as error:
        raise DocumentSkipped("malformed", f"not JSON: {what_is_wrong(error)}, column {error.colno}") from None
    except RecursionError:
        raise DocumentSkipped("malformed", "nested too deeply") from None
    except ValueError:
        raise DocumentSkipped("malformed", "a number of too many digits") from None


def what_is_wrong(error: json.JSONDecodeError) -> str:
    """What the json module says, without the end that leads to a position."""
    return error.msg.rstrip(": ").removesuffix(" starting at")
