"""The rows of JSON Lines and JSON arrays: the bytes of each object are those that were read.

A line has its line end; an element of an array is on lines of its own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from math import isinf
from typing import Any

import numpy as np

from simdocs.corpora.containers.byte_rows import ByteBlock, ByteFile, LongRow, is_long
from simdocs.corpora.containers.container import ContainerFile, Part
from simdocs.corpora.containers.json_array import Elements
from simdocs.corpora.containers.rows import (
    FLAGS,
    EveryRecord,
    Flags,
    RawRows,
    Record,
    RowBlock,
    Sink,
    as_text,
    converted,
    not_unicode,
    taken_name,
)
from simdocs.errors import InputError
from simdocs.model.ragged import Index
from simdocs.options.texts import Sequences


class _ObjectBlock(ByteBlock):
    """Rows that are objects."""

    def records(self, places: Index) -> list[Record | None]:
        """The objects at these places; None for a row that has none. InputError: see `record_of`."""
        return [record_of(self.row(place), self.where(place)) for place in places.tolist()]


class LineBlock(_ObjectBlock):
    """The lines of a part."""

    noun = "line"

    def __init__(self, part: Part) -> None:
        ends = np.flatnonzero(np.frombuffer(part.data, np.uint8) == ord("\n")) + 1
        if len(part.data) and (not len(ends) or ends[-1] < len(part.data)):
            ends = np.append(ends, len(part.data))
        super().__init__(part, part.data, ends)


class ElementBlock(_ObjectBlock):
    """The elements of a part of an array, without what is between them."""

    noun = "object"

    def __init__(self, part: Part) -> None:
        elements = [part.data[start:stop] for start, stop in Elements(part.data, 0)]
        super().__init__(part, b"".join(elements), np.cumsum(list(map(len, elements)), dtype=np.int64))


class LinesOfFile(ByteFile):
    """A file of JSON Lines, open."""

    def blocks(self, part: Part) -> Iterator[RowBlock]:
        """Yield the lines of a part."""
        yield LongRow.of(part, self, "line") if is_long(part) else LineBlock(part)


class ArrayFile(ByteFile):
    """A file with a JSON array, open."""

    def blocks(self, part: Part) -> Iterator[RowBlock]:
        """Yield the elements of a part."""
        yield ElementBlock(part)


class JsonLinesWriter:
    """Writes JSON Lines."""

    def __init__(self, source: RawRows, sink: Sink) -> None:
        self._sink, self._as_is = sink, isinstance(source, LinesOfFile)
        if isinstance(source, LinesOfFile):
            sink(source.mark)

    def write(self, block: RowBlock, places: Index, flags: list[Flags] | None) -> None:
        """Write these rows: lines as they are, others as objects."""
        if self._as_is and (isinstance(block, LongRow) or (flags is None and isinstance(block, LineBlock))):
            for piece in block.pieces(places):
                self._sink(piece)
        elif isinstance(block, LineBlock):
            assert flags is not None
            lines = zip(places.tolist(), flags, strict=True)
            self._sink(b"".join(with_flags(block, place, flag) for place, flag in lines))
        else:
            for place, record in converted(block, places, flags):
                self._sink(json_of(record, block.where(place)) + b"\n")

    def end(self) -> None:
        """There is nothing after the last line."""


class JsonArrayWriter:
    """Writes a JSON array."""

    def __init__(self, sink: Sink) -> None:
        self._sink, self._before = sink, b"[\n"

    def write(self, block: RowBlock, places: Index, flags: list[Flags] | None) -> None:
        """Write these rows: elements of an array as they are, others as objects."""
        if not isinstance(block, ElementBlock):
            for place, record in converted(block, places, flags):
                self._add(json_of(record, block.where(place)))
            return
        for at, place in enumerate(places.tolist()):
            self._add(block.row(place) if flags is None else with_flags(block, place, flags[at]))

    def _add(self, element: bytes) -> None:
        self._sink(self._before + element)
        self._before = b",\n"

    def end(self) -> None:
        """Write the end of the array."""
        self._sink(b"[]\n" if self._before == b"[\n" else b"\n]\n")


def json_of(record: Record, where: str) -> bytes:
    """A record as an object on one line. InputError: JSON has no such value. where: the row, for this."""
    try:
        return _encoded(record)
    except (TypeError, ValueError):
        for name, value in record.items():
            try:
                _encoded({name: value})
            except UnicodeEncodeError as error:
                raise InputError(f"{where}: the field {name!r} {not_unicode(error)}") from None
            except (TypeError, ValueError) as error:
                kind = str(error) if isinstance(error, TypeError) else "a number that is not finite"
                why = f"has a value ({kind}) that JSON does not have: write .parquet or .arrow"
                raise InputError(f"{where}: the field {name!r} {why}") from None
        raise


def _encoded(record: Record) -> bytes:
    return json.dumps(record, ensure_ascii=False, allow_nan=False, default=_text_of).encode()


def _text_of(value: object) -> str:
    """A value that JSON does not have as text. TypeError, with the name of its type: it has no text."""
    text = as_text(value)
    if text is None:
        raise TypeError(type(value).__name__)
    return text


_MARKS = (*(json.dumps(name).encode() for name in FLAGS), b"\\u")
"""One of these is in every line that has a flag as a field. A name may be spelled with escapes."""


def with_flags(block: ByteBlock, place: int, flags: Flags) -> bytes:
    """The bytes of a row of JSON with flags. InputError: it has a field with the name of one.

    A row that is no object stays as it is, and so does one that is too long, which need not be held in memory.
    """
    line = block.row(place)
    if flags.group is None and len(line.removesuffix(b"\n")) > block.limit:
        return line
    value: Record | None = {"": None}
    if flags.group is None or any(mark in line for mark in _MARKS):
        value = object_of(line)
        if value is None:
            return line
        if taken := [name for name in FLAGS if name in value]:
            raise taken_name(block.where(place), taken[0])
    end = line.rindex(b"}")
    comma = b", " if value else b""
    said = json.dumps(flags.in_text()).encode()
    return line[:end] + comma + said[1:-1] + line[end:]


def object_of(line: bytes) -> Record | None:
    """The object on a line; None if there is none."""
    try:
        value = json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


class _LossError(Exception):
    """Another format would lose something of an object."""


def record_of(line: bytes, where: str) -> Record | None:
    """The object on a line, for another format; None if there is none.

    InputError: it has a field twice, or a number that is too large. where: the row, for this.
    """
    try:
        value = json.loads(line.decode("utf-8"), object_pairs_hook=_each_once, parse_float=_finite)
    except (ValueError, RecursionError):
        return None
    except _LossError as lost:
        raise InputError(f"{where}: {lost}, so it has no place in another format") from None
    return value if isinstance(value, dict) else None


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object with these fields."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise _LossError(f"has the field {next(name for name in found if names.count(name) > 1)!r} twice")
    return found


def _finite(number: str) -> float:
    """The value of a number."""
    value = float(number)
    if isinf(value):
        raise _LossError(f"has the number {number[:20]}, which is too large")
    return value


class JsonLinesRows:
    """JSON Lines as a format of rows: see RowFormat."""

    def open(self, file: ContainerFile, _fields: Sequences) -> LinesOfFile:
        """Open a file."""
        return LinesOfFile(file)

    def held(self, _file: ContainerFile) -> None:
        """Some rows are held at once."""

    def writer(self, source: RawRows, sink: Sink, *, flagged: bool, every: EveryRecord) -> JsonLinesWriter:  # noqa: ARG002
        """A writer of lines."""
        return JsonLinesWriter(source, sink)


class JsonArrayRows:
    """JSON arrays as a format of rows: see RowFormat."""

    def open(self, file: ContainerFile, _fields: Sequences) -> ArrayFile:
        """Open a file."""
        return ArrayFile(file)

    def held(self, _file: ContainerFile) -> None:
        """Some rows are held at once."""

    def writer(self, source: RawRows, sink: Sink, *, flagged: bool, every: EveryRecord) -> JsonArrayWriter:  # noqa: ARG002
        """A writer of an array."""
        return JsonArrayWriter(sink)


JSON_LINES_ROWS = JsonLinesRows()
JSON_ARRAY_ROWS = JsonArrayRows()
