"""The rows of Parquet and Arrow files with all columns: written with the same schema, metadata and compression.

At most the rows of one row group or record batch are held, which are written as one row group or record batch unless
they are many bytes.
"""

from __future__ import annotations

import contextlib
import json
from bisect import bisect_right
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from simdocs.corpora.compression import library
from simdocs.corpora.containers import arrow, parquet
from simdocs.corpora.containers.columns import ArrowObject, longest_shared
from simdocs.corpora.containers.container import ContainerFile, Part
from simdocs.corpora.containers.rows import (
    FLAGS,
    EveryRecord,
    Flags,
    Held,
    RawRows,
    Record,
    RowBlock,
    Sink,
    converted,
    not_unicode,
    taken_name,
)
from simdocs.corpora.containers.tables import damage_named, source_of
from simdocs.corpora.stamp import NO_FILE, OpenFile, Stamp, close_file
from simdocs.corpora.steady_file import SteadyFile
from simdocs.corpora.walked_files import open_file
from simdocs.errors import InputError
from simdocs.extras import SinkFile
from simdocs.model.ragged import Index
from simdocs.model.skipped import DocumentSkipped
from simdocs.names import display_name
from simdocs.options.texts import Sequences

_BLOCK_ROWS = _GROUP_ROWS = 1 << 16
"""Rows of a block; and of a row group or record batch, if they come from another format."""

_BLOCK_BYTES = 1 << 25
"""Bytes of a block in which every value of a dictionary is the longest one."""

_GROUP_BYTES = 1 << 28
"""Bytes of rows that are held from which on they are written as a row group or record batch."""


class TableBlock:
    """Some rows of one row group or record batch.

    unit: its number. batch: the rows as a record batch. name: of the file.
    """

    def __init__(self, first: int, unit: int, batch: ArrowObject, name: bytes) -> None:
        self.first, self.unit, self.batch, self._name = first, unit, batch, name
        self.count: int = batch.num_rows

    def __len__(self) -> int:
        return self.count

    def places(self, numbers: Index) -> Index:
        """The places of the rows with these numbers, less that of the first."""
        return numbers

    def is_row(self, _place: int) -> bool:
        """Whether there is a row: yes."""
        return True

    def raw(self, _place: int) -> bytes:
        """Rows of tables have no bytes of their own: InputError."""
        raise InputError("a row of a table is no line")

    def records(self, places: Index) -> list[Record | None]:
        """The values of these rows. InputError: two columns have the same name, or a time has no value in Python."""
        names = self.batch.schema.names
        if len(set(names)) < len(names):
            name = next(name for name in names if names.count(name) > 1)
            why = f"has two columns with the name {name!r}, so they have no place in another format"
            raise InputError(f"{display_name(self._name)}: {why}")
        if exact := [field.name for field in self.batch.schema if "time64[ns]" in str(field.type)]:
            raise self._without_text(exact[0], "times of day with nanoseconds")  # Python's times would lose them
        try:
            return [record for batch in self.taken(places) for record in batch.to_pylist()]
        except (ValueError, OverflowError):
            raise self._without_text(self._unreadable_column(), "a time that Python does not have") from None

    def _without_text(self, column: str, what: str) -> InputError:
        where = f"{self.where(0)} and after it: the column {column!r}"
        return InputError(f"{where} has {what}, which has no place in another format: write .parquet or .arrow")

    def _unreadable_column(self) -> str:
        """The name of the first column with a value that Python does not have."""
        for name, column in zip(self.batch.schema.names, self.batch.columns, strict=True):
            try:
                column.to_pylist()
            except (ValueError, OverflowError):
                return str(name)
        return ""

    def taken(self, places: Index) -> list[ArrowObject]:
        """These rows as record batches."""
        if len(places) == len(self):
            return [self.batch]
        try:
            return [self.batch.take(library("pyarrow", "reading tables").array(places))]
        except NotImplementedError:  # a column has a type of which pyarrow can only take rows that follow each other
            runs = np.split(places, np.flatnonzero(np.diff(places) != 1) + 1)
            return [self.batch.slice(int(run[0]), len(run)) for run in runs if len(run)]

    def where(self, place: int) -> str:
        """The name of the file and the number of a row, for a message."""
        return f"{display_name(self._name)}, row {self.first + place}"


class TableRows:
    """An open file with a table, with all its columns: see RawRows. source: a ParquetSource or ArrowSource.

    damage: why the rows of a row group or record batch cannot be read; None: all can that were met.
    """

    def __init__(self, file: ContainerFile, source: Callable[[ArrowObject], Any], what: str) -> None:
        self._opened: OpenFile | None = None
        self.stamp, self.name, self._what = NO_FILE, file.name, what
        self._steady: SteadyFile | None = None
        if file.held is None:
            self._opened, status = open_file(file.name, file.met)
            self.stamp = Stamp.of(status)
        try:
            if self._opened is not None:
                self._steady = SteadyFile(self._opened, self.stamp)
            with damage_named(self._steady, what):
                self.source = source(source_of(self._steady, file.held))
        except BaseException:
            self.close()
            raise
        self.total: int | None = self.source.total
        self.damage: DocumentSkipped | None = None
        self._batches: Iterator[ArrowObject] = iter(())
        self._unit, self._rest, self._row, self._most = -1, None, 0, 1
        """The rest of the last record batch, the row with which it begins, and the most rows of a block of it."""

    def blocks(self, part: Part) -> Iterator[TableBlock]:
        """Yield the rows of a part, which follow those of the parts before, and can be read. Raises DocumentSkipped."""
        return self._to(part.start + part.extent)

    def rest(self, start: int, first: int) -> Iterator[TableBlock]:  # noqa: ARG002
        """Yield the rows after the last part that can be read."""
        return self._to(self.source.firsts[-1])

    def _to(self, end: int) -> Iterator[TableBlock]:
        while self._row < end:
            rest: Any = self._rest
            if rest is None or not rest.num_rows:
                self._go_on()
                continue
            batch = rest.slice(0, min(end - self._row, self._most))
            self._rest = rest.slice(batch.num_rows)
            first, self._row = self._row + 1, self._row + batch.num_rows
            yield TableBlock(first, self._unit, batch, self.name)

    def _go_on(self) -> None:
        """Read the next record batch. If it is damaged, pass over all rows up to the next row group or record batch."""
        firsts = self.source.firsts
        unit = bisect_right(firsts, self._row) - 1
        try:
            with damage_named(self._steady, self._what):
                if unit != self._unit:
                    self._batches, self._unit = self.source.batches(unit), unit
                if (batch := next(self._batches, None)) is None:
                    raise ValueError("too few rows")
                longest = sum(map(longest_shared, batch.columns))
        except DocumentSkipped as skip:
            if skip.reason != "malformed":
                raise
            self.damage = self.damage or skip
            self._unit, self._rest, self._row = -1, None, firsts[unit + 1]
            return
        self._rest, self._most = batch, max(1, min(_BLOCK_ROWS, _BLOCK_BYTES // max(1, longest)))

    def close(self) -> None:
        """Close the file."""
        if self._opened is not None:
            close_file(self._opened)
            self._opened = None


_REFUSALS = (ValueError, TypeError, OverflowError, NotImplementedError)
"""What pyarrow raises if values or columns have no place in a table."""


@contextlib.contextmanager
def _placing(where: str) -> Iterator[None]:
    """Raise an InputError if pyarrow refuses some values or columns. where: the file, or rows of it."""
    try:
        yield
    except UnicodeEncodeError as error:
        raise InputError(f"{where}: {not_unicode(error)}") from None
    except _REFUSALS as error:
        said = str(error).strip().splitlines()[0]
        raise InputError(f"{where}: this has no place in a table: {said}") from None


def _schema_of(every: Iterator[list[Record]], source: RawRows) -> ArrowObject:
    """The schema of the records of a file of another format. InputError: the values of a field are no column."""
    pyarrow = library("pyarrow", "writing tables")
    schema = pyarrow.schema([])
    for records in every:
        some = list[tuple[str, ArrowObject]]()
        for name in dict.fromkeys(name for record in records for name in record):
            with _placing(f"{display_name(source.name)}, field {name!r}"):
                some.append((name, pyarrow.array([record.get(name) for record in records]).type))
        with _placing(display_name(source.name)):
            schema = pyarrow.unify_schemas([schema, pyarrow.schema(some)], promote_options="permissive")
    return schema


class TableWriter:
    """Writes rows of tables.

    schema: that of the rows without flags. source: the file with the rows, which may have another format.
    open_writer: opens a writer of pyarrow, given the file, the schema and the source if it is a table.
    """

    def __init__(
        self,
        schema: ArrowObject,
        source: RawRows,
        sink: Sink,
        open_writer: Callable[[Any, ArrowObject, Any], Any],
        *,
        flagged: bool,
    ) -> None:
        pyarrow = self._pyarrow = library("pyarrow", "writing tables")
        if flagged:
            if taken := [name for name in FLAGS if name in schema.names]:
                raise taken_name(display_name(source.name), taken[0])
            kinds = (pyarrow.string(), pyarrow.float64(), pyarrow.int64())
            for name, kind in zip(FLAGS, kinds, strict=True):
                schema = schema.append(pyarrow.field(name, kind))
        else:
            schema = _without_range(schema)
        self._schema, self._unit, self._rows, self._held = schema, 0, 0, list[Any]()
        self._size = 0
        self._name = display_name(source.name)
        with _placing(self._name):
            self._writer = open_writer(SinkFile(sink), schema, getattr(source, "source", None))

    def write(self, block: RowBlock, places: Index, flags: list[Flags] | None) -> None:
        """Hold these rows, and write those of the row group before."""
        if not isinstance(block, TableBlock):
            self._hold(converted(block, places, flags), block)
            return
        if block.unit != self._unit or self._size >= _GROUP_BYTES:
            self._flush()
            self._unit = block.unit
        at = 0
        for batch in block.taken(places):
            columns = [batch.column(place) for place in range(batch.num_columns)]
            if flags is not None:
                for place, column in enumerate(_columns_of(flags[at : at + batch.num_rows])):
                    kind = self._schema.field(len(self._schema) - len(FLAGS) + place).type
                    columns.append(self._pyarrow.array(column, kind))
            at += batch.num_rows
            if batch.num_rows:
                self._held.append(self._pyarrow.record_batch(columns, schema=self._schema))
                self._size += sum(each.nbytes for each in columns if not hasattr(each, "dictionary"))

    def _hold(self, records: list[tuple[int, Record]], block: RowBlock) -> None:
        """Hold rows of another format, and write them if they are enough for a row group. InputError."""
        rows = [record for _, record in records]
        if rows:
            with _placing(f"{block.where(records[0][0])} and after it"):
                self._held += self._pyarrow.Table.from_pylist(rows, self._schema).to_batches()
        self._rows += len(rows)
        if self._rows >= _GROUP_ROWS:
            self._flush()
            self._rows = 0

    def _flush(self) -> None:
        held, self._held, self._size = self._held, [], 0
        if held:
            with _placing(self._name):
                table = self._pyarrow.Table.from_batches(held, self._schema)
                self._writer.write_table(table.combine_chunks(), table.num_rows)

    def end(self) -> None:
        """Write the last rows, and the end of the file."""
        self._flush()
        self._writer.close()


def _without_range(schema: ArrowObject) -> ArrowObject:
    """A schema without the range that pandas records instead of an index. It is wrong for some of the rows."""
    metadata = dict(schema.metadata or {})
    try:
        known = json.loads(metadata.get(b"pandas", b""))
        columns = known["index_columns"]
        kept = [column for column in columns if not isinstance(column, dict)]
    except (ValueError, KeyError, TypeError, RecursionError):
        return schema
    if kept == columns:
        return schema
    return schema.with_metadata({**metadata, b"pandas": json.dumps({**known, "index_columns": kept}).encode()})


def _columns_of(flags: list[Flags]) -> list[list[Any]]:
    """The flags as columns. A byte of a name that is not UTF-8 is an escape."""
    columns = [list(column) for column in zip(*flags, strict=True)] or [[], [], []]
    columns[0] = [name and _as_utf8(name) for name in columns[0]]
    return columns


def _as_utf8(name: str) -> str:
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


class _TableFormat:
    """A format of tables as a format of rows: see RowFormat."""

    def __init__(
        self,
        source: Callable[[ArrowObject], Any],
        open_writer: Callable[[Any, ArrowObject, Any], Any],
        what: str,
    ) -> None:
        self._source, self._open_writer, self._what = source, open_writer, what

    def open(self, file: ContainerFile, _fields: Sequences) -> TableRows:
        """Open a file."""
        return TableRows(file, self._source, self._what)

    def held(self, file: ContainerFile) -> Held | None:
        """The largest record batch. Row groups are read and written in pieces."""
        if self._source is parquet.ParquetSource:
            return None
        with contextlib.closing(TableRows(file, self._source, self._what)) as rows, damage_named(None, self._what):
            number, size = rows.source.largest()
        return Held("record batch", number, size)

    def writer(self, source: RawRows, sink: Sink, *, flagged: bool, every: EveryRecord) -> TableWriter:
        """A writer of rows of this file."""
        if isinstance(source, TableRows):
            return TableWriter(source.source.schema, source, sink, self._open_writer, flagged=flagged)
        return TableWriter(_schema_of(every(), source), source, sink, self._open_writer, flagged=flagged)


PARQUET_ROWS = _TableFormat(parquet.ParquetSource, parquet.open_writer, "a Parquet file")
ARROW_ROWS = _TableFormat(arrow.ArrowSource, arrow.open_writer, "an Arrow file")
