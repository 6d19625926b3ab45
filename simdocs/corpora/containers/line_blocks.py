"""Blocks of files of lines that are not compressed: the tasks of workers, and what updates compare of such a file."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, NamedTuple

from simdocs.corpora.containers.container import ContainerFile, Part
from simdocs.corpora.containers.jsonl import refuse_other_text
from simdocs.corpora.decode import binary_format
from simdocs.corpora.files import MOST, OpenFile, close_file, open_file, read_interval, stamp_now
from simdocs.corpora.identity import Stamp, content_digest
from simdocs.model.ragged import BATCH_BYTES
from simdocs.model.skipped import DocumentSkipped
from simdocs.options.file_formats import is_of_lines
from simdocs.options.texts import Sequences

BLOCK = BATCH_BYTES
"""Bytes of a block: as many as texts that are shingled together. A worker holds the facts of all lines of a block. The
shortest lines with a text have 12 bytes, so there are at most 44,000 of them; with their signatures they take 60 MB."""

_PIECE = 1 << 16
"""Bytes that are read at once to find the end of the last line of a block."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LineBlock:
    """A block of a file of lines, which a worker reads: the lines that begin after its first line end and in it.

    A line that begins where the next block does is one of them.

    container: the name of the container in the family.
    file: the file.
    row: its row in the list of files.
    stamp: its stamp when it was found. What it grows afterwards is not read.
    start, stop: the interval of the file, in bytes.
    begin: where its first line begins, if that is known; -1: after its first line end.
    """

    container: str
    file: ContainerFile
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
        """See Part."""
        return self.stop


def has_blocks(container: str, name: bytes, mtime_ns: int) -> bool:
    """Whether a file is read in blocks of lines: it is one of lines, not compressed, and has a time.

    One without may change between two blocks without notice.
    """
    return is_of_lines(container, name) and mtime_ns != 0


def blocks_of(container: str, file: ContainerFile, row: int, stamp: Stamp, begin: int = 0) -> Iterator[LineBlock]:
    """Yield the blocks of a file from the line on that begins at this position, at least one. See LineBlock."""
    first = begin // BLOCK * BLOCK
    for start in range(first, max(stamp.size, 1), BLOCK):
        yield LineBlock(
            container=container,
            file=file,
            row=row,
            stamp=stamp,
            start=start,
            stop=min(start + BLOCK, stamp.size),
            begin=begin if start == first else -1,
        )


class BlockLines(NamedTuple):
    """The lines of a block.

    part: those that are held, numbered from 1; its count includes the last one, even if it is too long.
    too_long: the length of the last line, if it is too long to be held; else 0.
    data: the bytes of the block.
    """

    part: Part
    too_long: int
    data: bytes


def read_block(block: LineBlock, fields: Sequences) -> BlockLines:
    """Read the lines of a block. Of the last one, no more is held than a document may have.

    A file of one block that changes meanwhile is read once more. Raises DocumentSkipped: vanished, unreadable, special,
    changed; the file begins as no JSON Lines do.
    """
    try:
        return _read(block, fields)
    except DocumentSkipped as skip:
        if skip.reason != "changed" or block.start or not block.is_last:
            raise
        now = Stamp.at(block.file.name)
        if now is None or now.size > BLOCK:
            raise
    return _read(replace(block, stamp=now, stop=now.size), fields)


def _read(block: LineBlock, fields: Sequences) -> BlockLines:
    source, now = open_file(block.file.name, follow=block.file.follow)
    try:
        _begins(block.stamp, now)
        data = _between(source, block.start, block.stop)
        begin = _first_line(block, data)
        lines, too_long, has_end = (b"", 0, True) if begin < 0 else _to_line_end(source, block, data[begin:])
        _begins(block.stamp, now := stamp_now(source))
    except OSError as error:
        raise DocumentSkipped.of(error) from None
    finally:
        close_file(source)
    if now.size > block.stamp.size and not has_end:  # the next run reads this line
        lines, too_long, has_end = lines[: lines.rfind(b"\n") + 1], 0, True
    if not block.begin and fields.text_field:
        refuse_other_text(lines)
    part = Part(
        container=block.container,
        name=block.file.name,
        data=lines,
        start=block.start + max(begin, 0),
        extent=len(lines),
        first=1,
        count=lines.count(b"\n") + (too_long > 0 or not has_end),
        stamp=block.stamp,
        limit=block.file.limit,
        read_to=block.stop,
    )
    return BlockLines(part, too_long, data)


def _begins(found: Stamp, now: Stamp) -> None:
    """Raise DocumentSkipped (changed) unless a file is as it was found, or has only grown."""
    if not found.begins(now):
        raise DocumentSkipped("changed")


def _between(source: OpenFile, start: int, stop: int) -> bytes:
    """These bytes of a file. DocumentSkipped: changed, because there are fewer."""
    data = read_interval(source, start, stop)
    if len(data) < stop - start:
        raise DocumentSkipped("changed")
    return data


def _first_line(block: LineBlock, data: bytes) -> int:
    """Where the first line of a block begins in it; -1: none does. DocumentSkipped: the file is no text in UTF-8."""
    if block.begin < 0:
        return data.find(b"\n") + 1 or -1
    if not block.begin:
        if what := binary_format(data):
            raise DocumentSkipped("malformed", what)
        return len(codecs.BOM_UTF8) if data.startswith(codecs.BOM_UTF8) else 0
    return block.begin - block.start


def _to_line_end(source: OpenFile, block: LineBlock, lines: bytes) -> tuple[bytes, int, bool]:
    """The lines of a block with the rest of the last one; its length if it is too long to be held, or 0; and whether it
    has an end, or there is none.

    lines: those in the block.
    """
    whole = lines.rfind(b"\n") + 1
    at, size, limit, rest, end = block.stop, len(lines) - whole, min(block.file.limit, MOST), list[bytes](), 0
    while at < block.stamp.size and not end:
        piece = _between(source, at, min(at + _PIECE, block.stamp.size))
        end = piece.find(b"\n") + 1
        at, size = at + len(piece), size + (end - 1 if end else len(piece))
        if size <= limit:
            rest.append(piece[:end] if end else piece)
        else:
            rest.clear()
    has_end = end > 0 or not size
    return (lines[:whole], size, has_end) if size > limit else (b"".join((lines, *rest)), 0, has_end)


def digests_of(name: bytes, size: int, *, follow: bool = True) -> Iterator[tuple[bytes, bytes]]:
    """Yield each block of the first `size` bytes of a file, and its digest. DocumentSkipped: see `read_block`."""
    source, _ = open_file(name, follow=follow)
    try:
        for start in range(0, size, BLOCK):
            data = _between(source, start, min(start + BLOCK, size))
            yield data, content_digest(data)
    except OSError as error:
        raise DocumentSkipped.of(error) from None
    finally:
        close_file(source)
