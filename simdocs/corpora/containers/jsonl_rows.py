"""The rows of JSON Lines: each line is written as it was read, byte for byte, with its line end."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from simdocs.corpora.containers.container import ContainerFile, Part
from simdocs.corpora.containers.lines import OpenLines
from simdocs.corpora.containers.rows import FLAGS, Flags, RawRows, RowBlock, Sink, taken_name
from simdocs.corpora.read_file import MOST
from simdocs.corpora.stamp import NO_FILE
from simdocs.errors import InputError, mention
from simdocs.model.names import display_name
from simdocs.model.ragged import Index
from simdocs.model.skipped import DocumentSkipped
from simdocs.parameters.texts import Sequences

_AT_ONCE = 1 << 20
"""Bytes of a line that is too long to be held that are read at once."""


class LineBlock:
    """The lines of a part. limit: the most bytes of a line that is read."""

    def __init__(self, part: Part) -> None:
        self.first, self.limit, self._name, self._data = part.first, part.limit, part.name, part.data
        ends = np.flatnonzero(np.frombuffer(part.data, np.uint8) == ord("\n")) + 1
        if len(part.data) and (not len(ends) or ends[-1] < len(part.data)):
            ends = np.append(ends, len(part.data))
        self._bounds = np.concatenate(([0], ends))
        self.count = len(ends)

    def __len__(self) -> int:
        return self.count

    def places(self, numbers: Index) -> Index:
        """The places of the lines with these numbers, less that of the first."""
        return numbers

    def line(self, place: int) -> bytes:
        """A line with its end, which the last line may lack."""
        return self._data[self._bounds[place] : self._bounds[place + 1]]

    def is_row(self, place: int) -> bool:
        """Whether a line is not blank."""
        return bool(self.line(place).strip())

    def raw(self, place: int) -> bytes:
        """A line without its line feed."""
        return self.line(place).removesuffix(b"\n")

    def pieces(self, places: Index) -> Iterator[bytes]:
        """Yield these lines with their ends: lines that follow each other together."""
        breaks = np.flatnonzero(np.diff(places) != 1) + 1
        for run in np.split(places, breaks) if len(places) else ():
            yield self._data[self._bounds[run[0]] : self._bounds[run[-1] + 1]]

    def records(self, places: Index) -> Iterator[dict[str, Any]]:
        """Yield the objects on these lines. InputError: a line has none."""
        for place in places.tolist():
            line = self.line(place)
            if line.strip():
                value = _object(line)
                if value is None:
                    raise InputError(f"{self.where(place)}: is no JSON object, and has no place in another format")
                yield value

    def where(self, place: int) -> str:
        """The name of the file and the number of a line, for a message."""
        return f"{display_name(self._name)}, line {self.first + place}"


class LongLine:
    """A line that is too long to be held. lines: the file, open."""

    def __init__(self, part: Part, lines: OpenLines) -> None:
        self.first, self.count, self._name = part.first, 1, part.name
        self._start, self._end, self._lines = part.start, part.start + part.extent, lines

    def __len__(self) -> int:
        return 1

    def places(self, numbers: Index) -> Index:
        """The places of the lines with these numbers, less that of the first."""
        return numbers

    def is_row(self, _place: int) -> bool:
        """Whether it is a row: yes."""
        return True

    def raw(self, _place: int) -> bytes:
        """The line. InputError: it is too long to be held."""
        if self._end - self._start > MOST:
            raise InputError(f"{self.where}: is too long to be listed: use {mention('kept_rows')}")
        return b"".join(self.pieces(np.arange(1))).removesuffix(b"\n")

    @property
    def where(self) -> str:
        """The name of the file and the number of the line, for a message."""
        return f"{display_name(self._name)}, line {self.first}"

    def pieces(self, places: Index) -> Iterator[bytes]:
        """Yield the line in pieces, if it is wanted, with its line feed, if it has one."""
        for at in range(self._start, self._end, _AT_ONCE) if len(places) else ():
            size = min(_AT_ONCE, self._end - at)
            piece = self._lines.bytes_at(at, size)
            if len(piece) < size:
                raise DocumentSkipped("changed")
            yield piece
        if len(places):
            yield self._lines.bytes_at(self._end, 1)

    def records(self, places: Index) -> Iterator[dict[str, Any]]:
        """There are none: InputError."""
        if len(places):
            raise InputError(f"{self.where}: is too long to be read, and has no place in another format")
        yield from ()


class _Held:
    """Lines in memory."""

    def __init__(self, content: bytes) -> None:
        self._content, self.stamp = content, NO_FILE

    def bytes_at(self, start: int, size: int) -> bytes:
        return self._content[start : start + size]

    def close(self) -> None:
        """Nothing is open."""


class LinesOfFile:
    """A file of lines, open. mark: the byte order mark at its beginning, if there is one."""

    def __init__(self, file: ContainerFile) -> None:
        self._lines: Any = OpenLines(file.name, file.met) if file.held is None else _Held(file.held)
        self.stamp = self._lines.stamp
        head = self._lines.bytes_at(0, len(codecs.BOM_UTF8))
        self.mark = head if head == codecs.BOM_UTF8 else b""

    def blocks(self, part: Part) -> Iterator[RowBlock]:
        """Yield the lines of a part."""
        is_long = part.extent and not part.data
        yield LongLine(part, self._lines) if is_long else LineBlock(part)

    def close(self) -> None:
        """Close the file."""
        self._lines.close()


class JsonLinesWriter:
    """Writes JSON Lines."""

    def __init__(self, source: RawRows, sink: Sink) -> None:
        self._sink = sink
        if isinstance(source, LinesOfFile):
            sink(source.mark)

    def write(self, block: RowBlock, places: Index, flags: list[Flags] | None) -> None:
        """Write these rows: lines as they are, others as objects."""
        if isinstance(block, LongLine) or (flags is None and isinstance(block, LineBlock)):
            for piece in block.pieces(places):
                self._sink(piece)
        elif isinstance(block, LineBlock):
            assert flags is not None
            lines = zip(places.tolist(), flags, strict=True)
            self._sink(b"".join(_flagged(block, place, flag) for place, flag in lines))
        else:
            for at, record in enumerate(block.records(places)):
                value = record | flags[at].in_text() if flags is not None else record
                self._sink(json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogateescape") + b"\n")

    def end(self) -> None:
        """There is nothing after the last line."""


_MARKS = (*(json.dumps(name).encode() for name in FLAGS), b"\\u")
"""One of these is in every line that has a flag as a field. A name may be spelled with escapes."""


def _flagged(block: LineBlock, place: int, flags: Flags) -> bytes:
    """A line with flags. InputError: it has a field with the name of one.

    A line that is no object stays as it is, and so does one that is too long, which need not be held in memory.
    """
    line = block.line(place)
    if flags.group is None and len(line.removesuffix(b"\n")) > block.limit:
        return line
    value: dict[str, Any] | None = {"": None}
    if flags.group is None or any(mark in line for mark in _MARKS):
        value = _object(line)
        if value is None:
            return line
        if taken := [name for name in FLAGS if name in value]:
            raise taken_name(block.where(place), taken[0])
    end = line.rindex(b"}")
    comma = b", " if value else b""
    said = json.dumps(flags.in_text()).encode()
    return line[:end] + comma + said[1:-1] + line[end:]


def _object(line: bytes) -> dict[str, Any] | None:
    """The object on a line; None if there is none."""
    try:
        value = json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


class JsonLinesRows:
    """JSON Lines as a format of rows: see RowFormat."""

    def open(self, file: ContainerFile, _fields: Sequences) -> LinesOfFile:
        """Open a file."""
        return LinesOfFile(file)

    def writer(self, source: RawRows, sink: Sink, *, flagged: bool) -> JsonLinesWriter:  # noqa: ARG002
        """A writer of lines."""
        return JsonLinesWriter(source, sink)


JSON_LINES_ROWS = JsonLinesRows()
