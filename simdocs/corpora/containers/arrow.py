"""Arrow files and streams: a row is a document. Record batches are read one at a time, as far as they are needed.

To write rows to other files, they are read with all columns.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from simdocs.corpora.compression import library, misnamed
from simdocs.corpora.containers.columns import ArrowObject, WantedColumns
from simdocs.corpora.containers.messages import (
    CONTINUED,
    DICTIONARY,
    ROWS,
    SCHEMA,
    CutShort,
    Message,
    messages,
    messages_of_footer,
    read_at,
    unfolded,
)
from simdocs.corpora.containers.tables import OpenTable, RowsTooLarge, TableFiles
from simdocs.errors import shown_memory
from simdocs.model.skipped import DocumentSkipped
from simdocs.parameters.texts import Sequences

_MAGIC = b"ARROW1"

_ZSTD = b"\x28\xb5\x2f\xfd"
"""How what Zstandard has compressed begins."""

_CUT = "an Arrow file cut short"


def open_table(source: ArrowObject, fields: Sequences, limit: int) -> OpenTable:
    """Open the table in a file or stream. Raises DocumentSkipped: malformed; the exceptions of pyarrow."""
    library("pyarrow.ipc", "reading Arrow")
    size = source.seek(0, 2)
    return (_StreamTable if _is_stream(source, size) else _FileTable)(source, size, fields, limit)


def _is_stream(source: ArrowObject, size: int) -> bool:
    """Whether a stream begins here, and not a file. DocumentSkipped: malformed (neither does)."""
    head = read_at(source, 0, 8)
    if head[:6] == _MAGIC:
        return False
    # Streams of Arrow 0.14 and earlier begin with the length of the schema, which is far below 16 MB, unlike any text.
    if head[:4] == CONTINUED or (8 <= int.from_bytes(head[:4], "little") < min(size, 1 << 24)):
        return True
    if not head:
        raise DocumentSkipped("malformed", f"{_CUT}: it is empty")
    raise DocumentSkipped("malformed", misnamed(head, "an Arrow file", b".arrow"))


class ArrowTable:
    """The table in an Arrow file or stream: see OpenTable. Its units are record batches."""

    def __init__(
        self, source: ArrowObject, schema: ArrowObject, batches: list[Message], fields: Sequences, limit: int
    ) -> None:
        self._source, self._limit, self._batches = source, limit, batches
        self.wanted = WantedColumns(schema, fields)
        self.trouble: DocumentSkipped | None = None
        self.firsts = [0]
        for message in batches:
            self.firsts.append(self.firsts[-1] + max(0, message.rows))
        self._columns = sorted({schema.names.index(path[0]) for path in self.wanted.paths.values()})
        self._kinds = list(schema.types)

    @property
    def _options(self) -> Any:
        ipc = library("pyarrow.ipc", "reading Arrow")
        return ipc.IpcReadOptions(included_fields=self._columns, use_threads=False)

    def _needed(self, message: Message) -> int:
        """The bytes that the wanted columns of a record batch take in memory."""
        variadic, first, total = iter(message.variadic), 0, 0
        for place, kind in enumerate(self._kinds):
            end = first + _buffers(kind, variadic)
            if place in self._columns:
                total += unfolded(self._source, message, range(first, end))
            first = end
        return total

    def _refuse(self, held: int) -> None:
        if held > self._limit:
            raise RowsTooLarge(f"this record batch takes {shown_memory(held)}")


class _FileTable(ArrowTable):
    """The table in an Arrow file."""

    def __init__(self, source: ArrowObject, size: int, fields: Sequences, limit: int) -> None:
        try:
            batches = list(messages_of_footer(source, size))
        except (CutShort, ValueError) as error:
            raise DocumentSkipped("malformed", f"{_CUT}, or damaged: {error or 'its end is missing'}") from None
        ipc = library("pyarrow.ipc", "reading Arrow")
        super().__init__(source, ipc.open_file(source).schema, batches, fields, limit)
        self._reader = ipc.open_file(source, options=self._options)

    def batches(self, unit: int) -> Iterator[ArrowObject]:
        """Yield the rows of a record batch."""
        self._refuse(self._needed(self._batches[unit]))
        return iter((self._reader.get_batch(unit),))


class _StreamTable(ArrowTable):
    """The table in an Arrow stream. What is not needed of it is not read."""

    def __init__(self, source: ArrowObject, size: int, fields: Sequences, limit: int) -> None:
        self._messages, trouble = list[Message](), None
        try:
            for message in messages(source, 0, size):
                self._messages.append(message)
        except (CutShort, ValueError) as error:
            trouble = DocumentSkipped(
                "malformed", _CUT if isinstance(error, CutShort) else f"an Arrow file with {error}"
            )
        if not self._messages or self._messages[0].kind != SCHEMA:
            raise trouble or DocumentSkipped("malformed", "an Arrow file without a schema")
        self._spliced = _Spliced(source)
        ipc = library("pyarrow.ipc", "reading Arrow")
        self._spliced.add(self._messages[0])
        schema = ipc.open_stream(self._spliced).schema
        batches = [message for message in self._messages if message.kind == ROWS]
        super().__init__(source, schema, batches, fields, limit)
        self.trouble = trouble
        self._places = [place for place, message in enumerate(self._messages) if message.kind == ROWS]
        self._begin()

    def _begin(self) -> None:
        self._spliced, self._done = _Spliced(self._source), 1
        self._spliced.add(self._messages[0])
        self._reader = library("pyarrow.ipc", "reading Arrow").open_stream(self._spliced, options=self._options)

    def batches(self, unit: int) -> Iterator[ArrowObject]:
        """Yield the rows of a record batch."""
        message, place = self._batches[unit], self._places[unit]
        self._refuse(message.end - message.body + (self._needed(message) if message.is_compressed else 0))
        if place < self._done:
            self._begin()
        for each in self._messages[self._done : place]:
            if each.kind == DICTIONARY:
                self._refuse(each.end - each.body)
                self._spliced.add(each)
        self._spliced.add(message)
        self._done = place + 1
        return iter((self._reader.read_next_batch(),))


class _Spliced(io.RawIOBase):
    """A stream of some messages of another stream, one after the other. More can be added while it is read."""

    def __init__(self, source: ArrowObject) -> None:
        super().__init__()
        self._source, self._ranges = source, list[tuple[int, int]]()

    def add(self, message: Message) -> None:
        """Add a message at the end."""
        self._ranges.append((message.start, message.end))

    def readable(self) -> bool:
        """Whether it can be read: yes."""
        return True

    def read(self, size: int | None = -1, /) -> bytes:
        """The next bytes; fewer only at the end of a message."""
        if not self._ranges:
            return b""
        start, end = self._ranges.pop(0)
        stop = end if size is None or size < 0 else min(start + size, end)
        if stop < end:
            self._ranges.insert(0, (stop, end))
        return read_at(self._source, start, stop - start)


def _buffers(kind: Any, variadic: Iterator[int]) -> int:
    """The number of buffers of a column with its fields. variadic: see Message; those of the column are taken."""
    types = library("pyarrow", "reading Arrow").types
    if hasattr(kind, "storage_type"):
        return _buffers(kind.storage_type, variadic)
    if types.is_dictionary(kind):
        return 2  # the values are in other messages
    without_nulls = types.is_null(kind) or types.is_union(kind) or types.is_run_end_encoded(kind)
    own: int = kind.num_buffers - without_nulls + (next(variadic, 0) if kind.has_variadic_buffers else 0)
    return own + sum(_buffers(kind.field(place).type, variadic) for place in range(kind.num_fields))


class ArrowSource:
    """An Arrow file or stream with all its columns.

    schema: its schema. is_stream: whether it is a stream. codec: the compression of its record batches, if any.
    unit: what its units are called.
    total: None, because only its record batches say how many rows it has.
    """

    unit, total = "record batch", None

    def __init__(self, source: ArrowObject) -> None:
        ipc = library("pyarrow.ipc", "reading Arrow")
        size = source.seek(0, 2)
        self.is_stream = _is_stream(source, size)
        self.codec = _codec_of(source, size, is_stream=self.is_stream)
        self._source, self._size = source, size
        source.seek(0)
        options = ipc.IpcReadOptions(use_threads=False)
        self._reader = (ipc.open_stream if self.is_stream else ipc.open_file)(source, options=options)
        self.schema = self._reader.schema

    def largest(self) -> tuple[int, int]:
        """The number of the largest record batch that is not damaged, and the bytes that it takes; zeros if none is."""
        sizes = list[int]()
        with suppress(CutShort, ValueError):
            for message in _messages_of(self._source, self._size, is_stream=self.is_stream):
                if message.kind == ROWS:
                    folded = message.end - message.body if message.is_compressed else 0
                    sizes.append(folded + unfolded(self._source, message, range(len(message.buffers))))
        return max(((size, number) for number, size in enumerate(sizes)), default=(0, 0))[::-1]

    def batches(self) -> Iterator[tuple[int, ArrowObject]]:
        """Yield all record batches with their numbers."""
        if self.is_stream:
            yield from enumerate(self._reader)
            return
        for unit in range(self._reader.num_record_batches):
            yield unit, self._reader.get_batch(unit)


def _messages_of(source: ArrowObject, size: int, *, is_stream: bool) -> Iterator[Message]:
    """Yield the messages of a stream, or those with rows of a file. CutShort, ValueError: it is damaged."""
    return messages(source, 0, size) if is_stream else messages_of_footer(source, size)


def _codec_of(source: ArrowObject, size: int, *, is_stream: bool) -> str | None:
    """The compression of the first record batch with compressed data."""
    try:
        for message in _messages_of(source, size, is_stream=is_stream):
            for start, length in message.buffers if message.kind == ROWS and message.is_compressed else ():
                if length > 8 + len(_ZSTD):
                    begin = read_at(source, message.body + start + 8, len(_ZSTD))
                    return "zstd" if begin == _ZSTD else "lz4"
    except Exception:  # the rows before the damage are written all the same
        return None
    return None


def open_writer(target: Any, schema: ArrowObject, source: Any) -> Any:
    """A writer of pyarrow into a file. source: of the rows. It is a stream and compressed if an ArrowSource is."""
    ipc = library("pyarrow.ipc", "writing Arrow")
    # Only in a stream, later batches may have another dictionary.
    is_stream = any(hasattr(field.type, "index_type") for field in schema)
    is_stream, codec = (source.is_stream, source.codec) if isinstance(source, ArrowSource) else (is_stream, None)
    options = ipc.IpcWriteOptions(compression=codec, use_threads=False)
    return (ipc.new_stream if is_stream else ipc.new_file)(target, schema, options=options)


ARROW = TableFiles("arrow", open_table, "an Arrow file")
"""Arrow as a member of the family: see Container."""
