"""Rows of Parquet and Arrow files: read with all columns, and written with the schema, metadata and compression."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from itertools import pairwise
from typing import Any

import numpy as np

from simdocs.corpora.compression import CompressedSink, library
from simdocs.corpora.containers import arrow, parquet
from simdocs.corpora.containers.columns import ArrowObject, longest_shared
from simdocs.corpora.containers.container import ContainerFile
from simdocs.corpora.containers.rows import (
    Flags,
    Record,
    RowBatch,
    RowSource,
    records_of,
    refuse_taken,
    refuse_twice,
    why_not,
)
from simdocs.corpora.containers.tables import damage_named, source_of
from simdocs.corpora.files import OpenFile, SteadyFile, close_file, open_file
from simdocs.errors import InputError
from simdocs.extras import SinkFile
from simdocs.model.ragged import Index
from simdocs.model.skipped import DocumentSkipped
from simdocs.names import display_name

_ROWS, _BYTES = 1 << 13, 1 << 25
"""Rows that are taken at once; fewer if each would have more bytes than this with the longest value of a dictionary."""

_GROUP_ROWS, _GROUP_BYTES = 1 << 16, 1 << 28
"""Rows of another format that become a row group or record batch, and the most bytes of one."""


class TableRows:
    """An open file with a table: see `TextRows`. table: a ParquetSource or an ArrowSource."""

    delimiter = ""

    def __init__(self, file: ContainerFile, form: str) -> None:
        self.name, self.form, self._what = file.name, form, f"{'a' if form == 'parquet' else 'an'} {form.title()} file"
        self.damage: DocumentSkipped | None = None
        self._opened: OpenFile | None = None
        self._steady: SteadyFile | None = None
        try:
            if file.held is None:
                self._opened, stamp = open_file(file.name, follow=file.follow)
                self._steady = SteadyFile(self._opened, stamp)
            with damage_named(None, self._what):
                kind = parquet.ParquetSource if form == "parquet" else arrow.ArrowSource
                self.table: Any = kind(source_of(self._steady, file.held))
        except BaseException:
            self.close()
            raise
        self.names: list[str] = self.table.schema.names

    def batches(self) -> Iterator[RowBatch]:
        """Yield all rows that can be read, some at a time."""
        concat = library("pyarrow", "reading tables").Table.from_batches
        for unit, (first, end) in enumerate(pairwise(self.table.firsts)):
            done = first
            try:
                with damage_named(self._steady, self._what):
                    for batch in self.table.batches(unit):
                        most = max(1, min(_ROWS, _BYTES // max(1, sum(map(longest_shared, batch.columns)))))
                        for at in range(0, batch.num_rows, most):
                            some = concat([batch.slice(at, most)])
                            yield RowBatch(np.arange(done + 1, done + 1 + len(some)), some, None, unit)
                            done += len(some)
                    if done < end:
                        raise ValueError("too few rows")
            except DocumentSkipped as skip:  # the rows of the other row groups or record batches may be readable
                self.damage = self.damage or skip
        self.damage = self.damage or self.table.trouble

    def where(self, number: int) -> str:
        """The name of the file and the number of a row, for a message."""
        return f"{display_name(self.name)}, row {number}"

    def records(self, rows: RowBatch) -> list[Record]:
        """The fields of these rows. InputError: two columns have the same name, or a value is none that Python has."""
        refuse_twice(display_name(self.name), self.names)
        try:
            if "time64[ns]" in str(rows.data.schema):  # Python's times would lose them
                raise ValueError("times of day with nanoseconds")
            return rows.data.to_pylist()  # type: ignore[no-any-return]
        except (ValueError, OverflowError) as error:
            raise InputError(f"{_first(self, rows)} has no place in another format: {why_not(error)}") from None

    def close(self) -> None:
        """Close the file."""
        if self._opened is not None:
            close_file(self._opened)
            self._opened = None


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


def _schema_of(again: Callable[[], RowSource]) -> ArrowObject:
    """The schema of all records of a file of another format. InputError: the values of a field are no column."""
    pyarrow = library("pyarrow", "writing tables")
    schema = pyarrow.schema([])
    with closing(again()) as source:
        for rows in source.batches():
            records = [record for _, record, _ in records_of(source, rows)]
            some = _as_table(records, _first(source, rows)).schema
            with _placing(_first(source, rows)):
                schema = pyarrow.unify_schemas([schema, some], promote_options="permissive")
    return schema


def _first(source: RowSource, rows: RowBatch) -> str:
    """Where these rows are, for a message."""
    return f"{source.where(int(rows.numbers[0]))} or one after it"


class TableWriter:
    """Writes rows into a table, with the row groups or record batches of their file: see `row_writer`."""

    def __init__(
        self, form: str, source: RowSource, sink: CompressedSink, again: Callable[[], RowSource], *, flagged: bool
    ) -> None:
        self._pyarrow, self._source = library("pyarrow", "writing tables"), source
        self._name = display_name(source.name)
        self._columns = self._schema = source.table.schema if isinstance(source, TableRows) else _schema_of(again)
        self._unit, self._held, self._count, self._size = 0, list[ArrowObject](), 0, 0
        if flagged:
            refuse_taken(self._name, self._schema.names)
            kinds = (self._pyarrow.string(), self._pyarrow.float64(), self._pyarrow.int64())
            for name, kind in zip(Flags._fields, kinds, strict=True):
                self._schema = self._schema.append(self._pyarrow.field(name, kind))
        open_writer = parquet.open_writer if form == "parquet" else arrow.open_writer
        with _placing(self._name):
            self._writer = open_writer(SinkFile(sink.write), self._schema, getattr(source, "table", None))

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
            names = [None if name is None else _as_utf8(name) for name, _, _ in flags]
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


def _as_utf8(name: str) -> str:
    """A name with an escape for each byte that is not UTF-8."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
