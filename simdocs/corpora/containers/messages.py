"""Messages of Arrow files and streams: where they are, how many rows they hold, and how much memory they take.

Their metadata are flatbuffers, as https://arrow.apache.org/docs/format/Columnar.html defines them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

CONTINUED = b"\xff\xff\xff\xff"
"""How a message begins. In files of Arrow 0.14 and earlier, it begins with the length of its metadata."""

SCHEMA, DICTIONARY, ROWS = 1, 2, 3
"""The kinds of messages."""

_KIND, _HEADER, _BODY = 1, 2, 3
"""Fields of a message."""

_COUNT, _BUFFERS, _COMPRESSION, _VARIADIC = 0, 2, 3, 4
"""Fields of the header of a record batch."""

_DICTIONARIES, _RECORD_BATCHES = 2, 3
"""The fields of the footer of a file that list its dictionaries and its record batches."""

_ID, _IS_DELTA = 0, 2
"""Fields of the header of a dictionary."""

_MOST_OF_METADATA = 1 << 28


class CutShort(Exception):  # noqa: N818  (the messages before are read)
    """The data ends in the middle of a message."""


class Message(NamedTuple):
    """A message in a file.

    start, body, end: where it begins, where its body begins, and where it ends.
    kind: SCHEMA, DICTIONARY, ROWS, or that of another message.
    rows: the number of rows of a record batch.
    buffers: the place in the body and the length of each of its buffers.
    is_compressed: whether its buffers are compressed, and begin with their size.
    variadic: the number of additional buffers of each column of views.
    dictionary: the id of the dictionary that begins here; -1 if this is none, or adds values to one.
    """

    start: int
    body: int
    end: int
    kind: int
    rows: int
    buffers: list[tuple[int, int]]
    is_compressed: bool
    variadic: list[int]
    dictionary: int = -1


def messages(source: Any, start: int, size: int) -> Iterator[Message]:
    """Yield the messages of a stream that begins at a position of a file of `size` bytes. Their bodies are not read.

    CutShort: after the last complete message. ValueError: there is something else than messages.
    """
    at = start
    while at < size:
        message = message_at(source, at, size)
        if message is None:
            rest = size - at - (8 if read_at(source, at, 4) == CONTINUED else 4)
            if rest:
                raise ValueError(f"{rest:,} bytes after the end of the stream, perhaps another stream")
            return
        yield message
        at = message.end


def message_at(source: Any, at: int, size: int) -> Message | None:
    """The message at a position of a file of `size` bytes; None if the stream ends there. CutShort, ValueError."""
    head = read_at(source, at, 8)
    before = 8 if head[:4] == CONTINUED else 4
    length = _integer(head, before - 4, 4)
    if len(head) < before or length > size - at - before:
        raise CutShort
    if length == 0:
        return None
    if not 8 <= length <= _MOST_OF_METADATA:
        raise ValueError("no messages of Arrow")
    data = read_at(source, at + before, length)
    table = _Table.root(data)
    body, extent = at + before + length, table.integer(_BODY, 8)
    if not 0 <= extent <= size - body:
        raise CutShort if extent > 0 else ValueError("a message states a negative length")
    kind, header = table.integer(_KIND, 1), table.table(_HEADER)
    return Message(
        start=at,
        body=body,
        end=body + extent,
        kind=kind,
        rows=header.integer(_COUNT, 8) if kind == ROWS else 0,
        buffers=list(header.pairs(_BUFFERS, 16, (0, 8), 8)) if kind == ROWS else [],
        is_compressed=kind == ROWS and header.has(_COMPRESSION),
        variadic=[first for first, _ in header.pairs(_VARIADIC, 8, (0, 0), 8)] if kind == ROWS else [],
        dictionary=header.integer(_ID, 8) if kind == DICTIONARY and not header.integer(_IS_DELTA, 1) else -1,
    )


def messages_of_footer(source: Any, size: int) -> Iterator[Message]:
    """Yield the dictionaries and then the record batches of a file, as its footer lists them.

    CutShort, ValueError: the footer is damaged, or a dictionary is there twice.
    """
    end = read_at(source, size - 10, 10)
    length = _integer(end, 0, 4)
    if end[4:] != b"ARROW1" or not 8 <= length <= size - 10:
        raise ValueError("its end is missing")
    footer = _Table.root(read_at(source, size - 10 - length, length))
    met = set[int]()
    for field, kind in (_DICTIONARIES, DICTIONARY), (_RECORD_BATCHES, ROWS):
        for start, _ in footer.pairs(field, 24, (0, 16), 8):
            message = message_at(source, start, size) if 0 <= start < size else None
            if message is None or message.kind != kind:
                raise ValueError("its footer leads elsewhere")
            if message.dictionary in met:
                raise ValueError("it has a dictionary twice")
            met |= {message.dictionary} - {-1}
            yield message


def unfolded(source: Any, message: Message, buffers: Sequence[tuple[int, int]]) -> int:
    """The bytes that some buffers of a message take in memory, decompressed."""
    total = 0
    for start, length in buffers:
        size = _integer(read_at(source, message.body + start, 8), 0, 8) if message.is_compressed and length else -1
        total += max(length, size)
    return total


def read_at(source: Any, at: int, size: int) -> bytes:
    """Bytes at a position of a file; fewer only at its end."""
    source.seek(at)
    return bytes(source.read(size))


def _integer(data: bytes, at: int, size: int) -> int:
    """A signed integer of `size` bytes; what lies outside of the data counts as 0."""
    return int.from_bytes(data[at : at + size], "little", signed=True) if at >= 0 else 0


class _Table:
    """A table of a flatbuffer: fields by number, which may be absent."""

    def __init__(self, data: bytes, at: int) -> None:
        self._data, self._at = data, at
        self._fields = at - _integer(data, at, 4)

    @classmethod
    def root(cls, data: bytes) -> _Table:
        """The outermost table."""
        return cls(data, _integer(data, 0, 4))

    def has(self, number: int) -> bool:
        """Whether a field is there."""
        return bool(self._place(number))

    def integer(self, number: int, size: int) -> int:
        """An integer; 0 if it is absent."""
        place = self._place(number)
        return _integer(self._data, place, size) if place else 0

    def table(self, number: int) -> _Table:
        """A table; one without fields if it is absent."""
        place = self._place(number)
        return _Table(self._data, place + _integer(self._data, place, 4)) if place else _Table(b"", 0)

    def pairs(self, number: int, stride: int, places: tuple[int, int], size: int) -> Iterator[tuple[int, int]]:
        """Yield two integers of each entry of a vector. stride: bytes of an entry."""
        if place := self._place(number):
            start = place + _integer(self._data, place, 4)
            count = min(_integer(self._data, start, 4), len(self._data) // stride)
            for at in range(start + 4, start + 4 + stride * count, stride):
                yield _integer(self._data, at + places[0], size), _integer(self._data, at + places[1], size)

    def _place(self, number: int) -> int:
        """Where a field is; 0 if it is absent."""
        at = 4 + 2 * number
        if at + 2 > int.from_bytes(self._data[self._fields : self._fields + 2], "little"):
            return 0
        offset = int.from_bytes(self._data[self._fields + at : self._fields + at + 2], "little")
        return self._at + offset if offset else 0
