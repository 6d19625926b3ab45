"""Arrow files and streams: a row is a document. Record batches are read one at a time, as far as they are needed.

To write rows to other files, they are read with all columns.
"""

from __future__ import annotations

import io
import mmap
from collections.abc import Iterator
from itertools import accumulate
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
    message_at,
    messages,
    messages_of_footer,
    read_at,
    unfolded,
)
from simdocs.corpora.containers.tables import OpenTable, RowsTooLarge, TableFiles
from simdocs.errors import shown_memory
from simdocs.model.skipped import DocumentSkipped
from simdocs.options.texts import Sequences

_MAGIC, _FILE_BEGINS = b"ARROW1", 8
"""How a file begins, and where its first message does."""

_ZSTD = b"\x28\xb5\x2f\xfd"
"""How what Zstandard has compressed begins."""

_CUT = "an Arrow file cut short"


_SMALL = 1 << 20
"""Bytes of a record batch of which all columns are read, because that is cheaper than to leave some out."""

_MOST_ROWS = 1 << 20
"""Rows of a batch. A record batch may have 500 bytes and say that it has any number of rows."""

_AT_ONCE = 1 << 20
"""Bytes of a column that are read at once."""


def open_table(source: ArrowObject, fields: Sequences, limit: int) -> OpenTable:
    """Open the table in a file or stream. Raises DocumentSkipped: malformed; the exceptions of pyarrow."""
    library("pyarrow.ipc", "reading Arrow")
    return ArrowTable(source, fields, limit)


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


def _messages_in(source: ArrowObject, size: int, *, is_stream: bool) -> tuple[list[Message], DocumentSkipped | None]:
    """The messages of a file or stream in the order in which they are read: first the schema, and then batches, each
    after its dictionaries. And why there are no more, if a stream goes on or ends too early.

    DocumentSkipped: malformed (there is no schema, or a file is cut short or damaged).
    """
    found, trouble = list[Message](), None
    try:
        if not is_stream:
            found += filter(None, [message_at(source, _FILE_BEGINS, size)])
            found += messages_of_footer(source, size)
        else:
            for message in messages(source, 0, size):
                found.append(message)
    except (CutShort, ValueError) as error:
        if not is_stream:
            raise DocumentSkipped("malformed", f"{_CUT}, or damaged: {error or 'its end is missing'}") from None
        trouble = DocumentSkipped("malformed", _CUT if isinstance(error, CutShort) else f"an Arrow file with {error}")
    if not found or found[0].kind != SCHEMA:
        raise trouble or DocumentSkipped("malformed", "an Arrow file without a schema")
    return found, trouble


class _Batches:
    """The record batches of a file or stream, some columns of which are read.

    A file is read as the stream that its messages make: `pyarrow.ipc.open_file` reads the end of a file in a thread,
    which releases the bytes later, and aborts the process if Python is ending by then
    (https://github.com/apache/arrow/issues/34314).

    is_stream: whether it is a stream. messages, trouble: see `_messages_in`.
    batches: the messages with rows. firsts: the row with which each begins, and the number of all rows.
    schema: of all columns.
    """

    def __init__(self, source: ArrowObject) -> None:
        size = source.seek(0, 2)
        self._source, self.is_stream = source, _is_stream(source, size)
        self.messages, self.trouble = _messages_in(source, size, is_stream=self.is_stream)
        self._places = [place for place, message in enumerate(self.messages) if message.kind == ROWS]
        self.batches = [self.messages[place] for place in self._places]
        self.firsts = list(accumulate((max(0, message.rows) for message in self.batches), initial=0))
        self._columns = list[int]()
        self._begin()
        self.schema = self._reader.schema

    def choose(self, columns: list[int]) -> None:
        """Read only these columns from now on."""
        self._columns = columns
        self._begin()

    def _begin(self) -> None:
        ipc = library("pyarrow.ipc", "reading Arrow")
        self._spliced, self._done = _Spliced(self._source), 1
        self._spliced.add(self.messages[0])
        options = ipc.IpcReadOptions(included_fields=self._columns, use_threads=False)
        self._reader = ipc.open_stream(self._spliced, options=options)

    def dictionaries(self, unit: int) -> list[Message]:
        """The dictionaries that must be read before a batch, because they were not read yet."""
        place = self._places[unit]
        done = self._done if place >= self._done else 1
        return [message for message in self.messages[done:place] if message.kind == DICTIONARY]

    def read(self, unit: int, wanted: list[tuple[int, int]] | None = None) -> ArrowObject:
        """A record batch. wanted: the buffers of its columns in its body; None: all."""
        place, before = self._places[unit], self.dictionaries(unit)
        if place < self._done:
            self._begin()
        self._done = len(self.messages)  # so that all begins anew after an exception
        for message in before:
            self._spliced.add(message)
        self._spliced.add(self.messages[place], wanted)
        batch = self._reader.read_next_batch()
        self._done = place + 1
        return batch


class _Spliced(io.RawIOBase):
    """A stream of some messages of a file or stream, one after the other. More can be added while it is read."""

    def __init__(self, source: ArrowObject) -> None:
        super().__init__()
        self._source, self._at = source, 0
        self._left = list[tuple[Message, list[tuple[int, int]] | None]]()
        """The messages whose end was not read yet, and the buffers that are wanted of each."""

    def add(self, message: Message, wanted: list[tuple[int, int]] | None = None) -> None:
        """Add a message at the end. wanted: the buffers that are wanted of it; the others may be zeros. None: all."""
        if not self._left:
            self._at = message.start
        self._left.append((message, wanted))

    def readable(self) -> bool:
        """Whether it can be read: yes."""
        return True

    def read(self, size: int | None = -1, /) -> Any:
        """The next bytes; fewer only at the end of a message."""
        if not self._left:
            return b""
        (message, wanted), start = self._left[0], self._at
        stop = message.end if size is None or size < 0 else min(start + size, message.end)
        self._at = stop
        if stop == message.end:
            del self._left[0]
            self._at = self._left[0][0].start if self._left else 0
        if wanted is not None and (start, stop) == (message.body, message.end) and stop - start > _SMALL:
            return self._some(message, wanted)
        return read_at(self._source, start, stop - start)

    def _some(self, message: Message, wanted: list[tuple[int, int]]) -> Any:
        """The body of a message with these buffers alone. The others are pages that are not touched: they take none."""
        size = message.end - message.body
        content = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        for start, length in wanted:
            for at in range(start, start + length if 0 <= start <= start + length <= size else start, _AT_ONCE):
                piece = read_at(self._source, message.body + at, min(_AT_ONCE, start + length - at))
                content[at : at + len(piece)] = piece
        return content


class ArrowTable:
    """The table in an Arrow file or stream: see OpenTable. Its units are record batches."""

    def __init__(self, source: ArrowObject, fields: Sequences, limit: int) -> None:
        self._source, self._limit, self._batches = source, limit, _Batches(source)
        schema = self._batches.schema
        self.wanted, self.trouble = WantedColumns(schema, fields), self._batches.trouble
        self.firsts = self._batches.firsts
        self._columns = sorted({schema.names.index(path[0]) for path in self.wanted.paths.values()})
        self._kinds = list(schema.types)
        self._batches.choose(self._columns)

    def batches(self, unit: int) -> Iterator[ArrowObject]:
        """Yield the rows of a record batch."""
        message = self._batches.batches[unit]
        wanted = self._buffers(message)
        self._refuse(_held(self._source, message, wanted))
        for each in self._batches.dictionaries(unit) if self._batches.is_stream else ():
            self._refuse(each.end - each.body)
        batch = self._batches.read(unit, wanted)
        return (batch.slice(start, _MOST_ROWS) for start in range(0, batch.num_rows, _MOST_ROWS))

    def _buffers(self, message: Message) -> list[tuple[int, int]]:
        """The buffers of the wanted columns of a record batch; all if it is not as its schema says."""
        variadic, first, found = iter(message.variadic), 0, list[tuple[int, int]]()
        for place, kind in enumerate(self._kinds):
            end = first + _buffers(kind, variadic)
            found += message.buffers[first:end] if place in self._columns else []
            first = end
        return found if first == len(message.buffers) else message.buffers

    def _refuse(self, held: int) -> None:
        if held > self._limit:
            raise RowsTooLarge(f"this record batch takes {shown_memory(held)}")


def _held(source: ArrowObject, message: Message, buffers: list[tuple[int, int]]) -> int:
    """The bytes that these buffers of a record batch take in memory, with their compressed bytes if they have any."""
    folded = sum(length for _, length in buffers) if message.is_compressed else 0
    return folded + unfolded(source, message, buffers)


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
    firsts: the row with which each record batch begins, and the number of all rows. trouble: see OpenTable.
    """

    def __init__(self, source: ArrowObject) -> None:
        library("pyarrow.ipc", "reading Arrow")
        self._batches = _Batches(source)
        self.schema, self.is_stream = self._batches.schema, self._batches.is_stream
        self.firsts, self.trouble = self._batches.firsts, self._batches.trouble
        self.codec = _codec_of(source, self._batches.batches)

    def batches(self, unit: int) -> Iterator[ArrowObject]:
        """Yield the rows of a record batch."""
        return iter((self._batches.read(unit),))


def _codec_of(source: ArrowObject, batches: list[Message]) -> str | None:
    """The compression of the first record batch with compressed data."""
    for message in batches:
        for start, length in message.buffers if message.is_compressed else ():
            if length > 8 + len(_ZSTD):
                begin = read_at(source, message.body + start + 8, len(_ZSTD))
                return "zstd" if begin == _ZSTD else "lz4"
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
