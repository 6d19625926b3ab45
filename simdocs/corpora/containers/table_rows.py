"""The rows of Parquet and Arrow files with all columns: written with the same schema, metadata and compression.

At most the rows of one row group or record batch are held, which are written as one row group or record batch.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from simdocs.corpora.compression import library
from simdocs.corpora.containers import arrow, parquet
from simdocs.corpora.containers.columns import ArrowObject
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
from simdocs.model.names import display_name
from simdocs.model.ragged import Index
from simdocs.model.skipped import DocumentSkipped
from simdocs.parameters.texts import Sequences

_GROUP_ROWS = 1 << 16
"""Rows of a row group or record batch, if they come from another format."""


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
    """An open file with a table, with all its columns: see RawRows. source: a ParquetSource or ArrowSource."""

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
        self._batches: Iterator[tuple[int, ArrowObject]] = self.source.batches()
        self._unit, self._rest, self._row = 0, None, 0
        """The rest of the last record batch, and the row with which it begins."""

    def blocks(self, part: Part) -> Iterator[TableBlock]:
        """Yield the rows of a part, which follow those of the parts before. Raises DocumentSkipped: it is damaged."""
        while self._row < part.start + part.extent:
            if self._rest is None or not self._rest.num_rows:
                with damage_named(self._steady, self._what):
                    self._unit, self._rest = next(self._batches, (0, None))
                if self._rest is None:
                    raise DocumentSkipped("changed")
            rest: Any = self._rest
            batch = rest.slice(0, part.start + part.extent - self._row)
            self._rest = rest.slice(batch.num_rows)
            first, self._row = self._row + 1, self._row + batch.num_rows
            if batch.num_rows:
                yield TableBlock(first, self._unit, batch, self.name)

    def rest(self, start: int, first: int) -> TableBlock | None:  # noqa: ARG002
        """What follows the last part as one row: nothing."""
        return None

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
        self._name = display_name(source.name)
        with _placing(self._name):
            self._writer = open_writer(SinkFile(sink), schema, getattr(source, "source", None))

    def write(self, block: RowBlock, places: Index, flags: list[Flags] | None) -> None:
        """Hold these rows, and write those of the row group before."""
        if not isinstance(block, TableBlock):
            self._hold(converted(block, places, flags), block)
            return
        if block.unit != self._unit:
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
        held, self._held = self._held, []
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

    def held(self, file: ContainerFile) -> Held:
        """The largest row group or record batch."""
        with contextlib.closing(TableRows(file, self._source, self._what)) as rows, damage_named(None, self._what):
            number, size = rows.source.largest()
        return Held(rows.source.unit, number, size)

    def writer(self, source: RawRows, sink: Sink, *, flagged: bool, every: EveryRecord) -> TableWriter:
        """A writer of rows of this file."""
        if isinstance(source, TableRows):
            return TableWriter(source.source.schema, source, sink, self._open_writer, flagged=flagged)
        return TableWriter(_schema_of(every(), source), source, sink, self._open_writer, flagged=flagged)


PARQUET_ROWS = _TableFormat(parquet.ParquetSource, parquet.open_writer, "a Parquet file")
ARROW_ROWS = _TableFormat(arrow.ArrowSource, arrow.open_writer, "an Arrow file")
