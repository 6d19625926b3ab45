"""Rows of Parquet and Arrow files: read with all columns, and written with the schema, metadata and compression."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from simdocs.errors import InputError
from simdocs.extras import SinkFile
from simdocs.model.ragged import Index
from simdocs.model.skipped import DocumentSkipped
from simdocs.names import display_name
from simdocs.reading.compression import CompressedSink, library
from simdocs.reading.files import Source
from simdocs.reading.formats.rows import (
    Flags,
    Record,
    Reopened,
    RowBatch,
    RowSource,
    place_of,
    records_of,
    refuse_taken,
    refuse_twice,
    why_not,
)
from simdocs.reading.formats.tables import damage_named, numbered_batches, open_table, schema_of

ArrowObject = Any
"""An object of pyarrow, which has no types."""

_GROUP_ROWS, _GROUP_BYTES = 1 << 16, 1 << 28
"""Rows of another format that become a row group or record batch, and the most bytes of one."""


class TableRows:
    """An open file with a table: see `TextRows`. schema: its schema. codec: its compression. is_stream: of Arrow."""

    delimiter = head = ""

    def __init__(self, source: Source, form: str) -> None:
        self.source, self.form = source, form
        self.damage: DocumentSkipped | None = None
        with damage_named(source, form):
            self._table, self._file = open_table(source, form)
        self.schema, self.is_stream = schema_of(self._table), False
        self.codec: str | None = "snappy"
        if form == "arrow":
            self.codec, self.is_stream = None, not hasattr(self._table, "num_record_batches")
        elif self._table.num_row_groups and self._table.metadata.num_columns:
            self.codec = self._table.metadata.row_group(0).column(0).compression.lower().replace("uncompressed", "none")
        self.names: list[str] = self.schema.names

    def batches(self) -> Iterator[RowBatch]:
        """Yield all rows that can be read, some at a time."""
        concat = library("pyarrow", "reading tables").Table.from_batches
        done = 0
        try:
            with damage_named(self.source, self.form):
                for unit, batch in numbered_batches(self._table, self._file):
                    some = concat([batch])
                    yield RowBatch(np.arange(done + 1, done + 1 + len(some)), some, None, unit)
                    done += len(some)
        except DocumentSkipped as skip:
            self.damage = skip

    def records(self, rows: RowBatch) -> list[Record]:
        """The fields of these rows. InputError: two columns have the same name, or a value is none that Python has."""
        refuse_twice(display_name(self.source.name), self.names)
        try:
            if "time64[ns]" in str(rows.data.schema):  # Python's times would lose them
                raise ValueError("times of day with nanoseconds")
            return rows.data.to_pylist()  # type: ignore[no-any-return]
        except (ValueError, OverflowError) as error:
            raise InputError(f"{_first(self, rows)} has no place in another format: {why_not(error)}") from None


def taken(table: ArrowObject, places: Index) -> ArrowObject:
    """The rows at these places of a table, which ascend. They are slices: pyarrow cannot take rows of every type."""
    runs = np.split(places, np.flatnonzero(np.diff(places) != 1) + 1)
    slices = [table.slice(int(run[0]), len(run)) for run in runs if len(run)]
    return library("pyarrow", "reading tables").concat_tables(slices or [table.slice(0, 0)])


@contextmanager
def _placing(where: str) -> Iterator[None]:
    """Raise an InputError if pyarrow refuses some values or columns. where: the file, or rows of it."""
    try:
        yield
    except (ValueError, TypeError, OverflowError, NotImplementedError) as error:
        why = why_not(error) if isinstance(error, UnicodeEncodeError) else str(error).strip().splitlines()[0]
        raise InputError(f"{where} has no place in a table: {why}") from None


def _as_table(records: list[Record], where: str, schema: ArrowObject = None) -> ArrowObject:
    """Records of another format, which are there, as a table. schema: all of their fields; None: those they have."""
    pyarrow = library("pyarrow", "writing tables")
    with _placing(where):
        kind = pyarrow.struct(list(schema)) if schema is not None else None if records else pyarrow.struct([])
        batch = pyarrow.RecordBatch.from_struct_array(pyarrow.array(records, kind))
        return pyarrow.Table.from_batches([batch])


def _schema_of(again: Reopened) -> ArrowObject:
    """The schema of all records of a file of another format. InputError: the values of a field are no column."""
    pyarrow = library("pyarrow", "writing tables")
    schema = pyarrow.schema([])
    with again() as source:
        for rows in source.batches():
            records = [record for _, record, _ in records_of(source, rows)]
            some = _as_table(records, _first(source, rows)).schema
            with _placing(_first(source, rows)):
                schema = pyarrow.unify_schemas([schema, some], promote_options="permissive")
    return schema


def _first(source: RowSource, rows: RowBatch) -> str:
    """Where these rows are, for a message."""
    return f"{place_of(source, int(rows.numbers[0]))} or one after it"


class TableWriter:
    """Writes rows into a table, with the row groups or record batches of their file: see `row_writer`."""

    def __init__(self, form: str, source: RowSource, sink: CompressedSink, again: Reopened, *, flagged: bool) -> None:
        self._pyarrow, self._source = library("pyarrow", "writing tables"), source
        self._name = display_name(source.source.name)
        self._columns = self._schema = source.schema if isinstance(source, TableRows) else _schema_of(again)
        self._unit, self._held, self._count, self._size = 0, list[ArrowObject](), 0, 0
        if flagged:
            refuse_taken(self._name, self._schema.names)
            kinds = (self._pyarrow.string(), self._pyarrow.float64(), self._pyarrow.int64())
            for name, kind in zip(Flags._fields, kinds, strict=True):
                self._schema = self._schema.append(self._pyarrow.field(name, kind))
        with _placing(self._name):
            self._writer = _open_writer(SinkFile(sink.write), form, self._schema, source)

    def write(self, rows: RowBatch) -> None:
        """Hold these rows, and write those of the row group before. InputError: one has no place in a table."""
        if rows.unit != self._unit or self._count >= _GROUP_ROWS or self._size >= _GROUP_BYTES:
            self._flush()
        self._unit = rows.unit
        table, flags = rows.data, rows.flags
        if not isinstance(self._source, TableRows):
            each = list(records_of(self._source, rows))
            table = _as_table([record for _, record, _ in each], _first(self._source, rows), self._columns)
            flags = None if flags is None else [flag for _, _, flag in each if flag is not None]
            self._count += len(table)
        columns = list(table.columns)
        if flags is not None:
            bytes_of = [None if name is None else name.encode("utf-8", "surrogateescape") for name, _, _ in flags]
            names = [None if name is None else name.decode("utf-8", "backslashreplace") for name in bytes_of]
            values = (names, [each.similarity for each in flags], [each.group for each in flags])
            columns += map(self._pyarrow.array, values, self._schema.types[-len(values) :])
        self._held.append(self._pyarrow.Table.from_arrays(columns, schema=self._schema))
        self._size += sum(column.nbytes for column in columns if not hasattr(column.type, "index_type"))

    def _flush(self) -> None:
        held, self._held, self._count, self._size = self._held, [], 0, 0
        table = self._pyarrow.concat_tables(held).combine_chunks() if held else ()
        if len(table):
            with _placing(self._name):
                self._writer.write_table(table, len(table))

    def end(self) -> None:
        """Write the last rows, and the end of the file."""
        self._flush()
        self._writer.close()


def _open_writer(target: Any, form: str, schema: ArrowObject, source: RowSource) -> Any:
    """A writer of pyarrow into a file. source: of the rows. The compression of a table of the same format is kept."""
    same = source if isinstance(source, TableRows) and source.form == form else None
    if form == "parquet":
        codec = "snappy" if same is None else same.codec
        return library("pyarrow.parquet", "writing Parquet").ParquetWriter(target, schema, compression=codec)
    ipc = library("pyarrow.ipc", "writing Arrow")
    # Only in a stream, later batches may have another dictionary.
    is_stream = any(hasattr(field.type, "index_type") for field in schema) if same is None else same.is_stream
    options = ipc.IpcWriteOptions(compression=None if same is None else same.codec, use_threads=False)
    return (ipc.new_stream if is_stream else ipc.new_file)(target, schema, options=options)
