"""Write rows of files to another file: as they are if it has the same format, and otherwise as records."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator
from datetime import date, time
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from simdocs.errors import InputError
from simdocs.model.skipped import DocumentSkipped
from simdocs.names import display_name
from simdocs.reading.compression import CompressedSink
from simdocs.reading.formats.delimited import DELIMITERS, Records
from simdocs.reading.formats.lines import as_object, json_value
from simdocs.reading.formats.rows import (
    LINE_ENDS,
    Flags,
    Reopened,
    RowBatch,
    RowSource,
    TextRows,
    place_of,
    records_of,
    refuse_taken,
    why_not,
)

if TYPE_CHECKING:
    from simdocs.reading.formats.table_rows import TableWriter

RowWriter: TypeAlias = "TextWriter | TableWriter"
"""Writes rows into a file."""


def row_writer(
    form: str, source: RowSource, sink: CompressedSink, again: Reopened, *, flagged: bool, joined: bool
) -> RowWriter:
    """What writes rows of a file in this format. again: opens the file once more, to see all its fields.

    flagged: each row has flags. joined: the rows of other files are in the same file, whose format is JSON Lines.
    InputError: a column has the name of a flag, or values have no place in this format.
    """
    if form in ("parquet", "arrow"):
        from simdocs.reading.formats.table_rows import TableWriter

        return TableWriter(form, source, sink, again, flagged=flagged)
    begin = between = end = b""
    encode: Callable[[RowBatch], Iterable[bytes]]
    more = list(Flags._fields) if flagged else []
    if source.form == form and isinstance(source, TextRows):
        encode, begin = partial(_as_is, source), source.head
        if source.names and more:
            refuse_taken(display_name(source.source.name), source.names)
            begin = _with_cells(source.head, more, source.delimiter)
    elif form in DELIMITERS:
        names = source.names or _all_names(again)
        encode = partial(_lines, source, names=names, delimiter=DELIMITERS[form])
        if source.names or not source.delimiter:  # the rows of a file without a header get none
            begin = _line([*names, *more], DELIMITERS[form])
    else:
        encode = partial(_objects, source, end=b"" if form == "json" else b"\n")
    if form == "json":
        begin, between, end = b"[\n", b",\n", b"\n]\n"
    if joined:
        return TextWriter(sink, lambda rows: (row.rstrip(b"\n") + b"\n" for row in encode(rows)))
    return TextWriter(sink, encode, begin, between, end)


def _all_names(again: Reopened) -> list[str]:
    """The names of all fields of a file, in the order in which they come first."""
    with again() as source:
        every = (record for rows in source.batches() for _, record, _ in records_of(source, rows))
        return list(dict.fromkeys(name for record in every for name in record))


def _objects(source: RowSource, rows: RowBatch, end: bytes) -> Iterator[bytes]:
    """Yield these rows as objects of JSON. InputError: JSON has no such value."""
    for where, record, flags in records_of(source, rows):
        more = {} if flags is None else flags.in_json()
        try:
            said = json.dumps(record | more, ensure_ascii=False, allow_nan=False, default=_as_text)
            yield said.encode() + end
        except (TypeError, ValueError) as error:
            raise InputError(f"{where} has no place in JSON: {why_not(error)}") from None


def _lines(source: RowSource, rows: RowBatch, names: list[str], delimiter: str) -> Iterator[bytes]:
    """Yield these rows as lines of CSV. InputError: CSV has no such value."""
    for where, record, flags in records_of(source, rows):
        more = [] if flags is None else flags.in_cells()
        try:
            yield _line([*(_cell(record.get(name)) for name in names), *more], delimiter)
        except (TypeError, UnicodeEncodeError) as error:
            raise InputError(f"{where} has no place in CSV: {why_not(error)}") from None


def _cell(value: object) -> str:
    """A value as a cell of CSV. TypeError: it is no text, number, date, time or truth value."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, str | int | float) else _as_text(value)


def _line(cells: list[str], delimiter: str) -> bytes:
    line = io.StringIO()
    csv.writer(line, delimiter=delimiter).writerow(cells)
    return line.getvalue().encode("utf-8", "surrogateescape")


def _with_cells(row: bytes, cells: list[str], delimiter: str) -> bytes:
    """A row of CSV with more cells before the end of its line."""
    content = row.rstrip(LINE_ENDS)
    return content + _line(["x", *cells], delimiter)[1:].rstrip(LINE_ENDS) + row[len(content) :]


class TextWriter:
    """Writes rows into a file of text. encode: the bytes of some rows. begin, between, end: what is around them."""

    def __init__(
        self,
        sink: CompressedSink,
        encode: Callable[[RowBatch], Iterable[bytes]],
        begin: bytes = b"",
        between: bytes = b"",
        end: bytes = b"",
    ) -> None:
        self._sink, self._encode, self._before, self._between, self._end = sink, encode, b"", between, end
        sink.write(begin)

    def write(self, rows: RowBatch) -> None:
        """Write these rows. InputError: one has no place in this format."""
        if encoded := list(self._encode(rows)):
            self._sink.write(self._before + self._between.join(encoded))
            self._before = self._between

    def end(self) -> None:
        """Write the end of the file, and of its compression."""
        self._sink.write(self._end)
        self._sink.end()


def _as_is(source: TextRows, rows: RowBatch) -> Iterable[bytes]:
    """These rows for a file of the same format. InputError: one has a field with the name of a flag."""
    if rows.flags is None:
        return rows.data  # type: ignore[no-any-return]
    each = zip(rows.numbers.tolist(), rows.data, rows.flags, strict=True)
    if source.delimiter:
        return (_longer(row, flags, source.delimiter) for _, row, flags in each)
    return (_object_with(row, flags, source, number) for number, row, flags in each)


def _longer(row: bytes, flags: Flags, delimiter: str) -> bytes:
    """A row of CSV with flags. One whose quote never ends stays as it is."""
    if flags.group is None:
        try:
            list(Records([row], delimiter, len(row)))
        except DocumentSkipped:
            return row
    return _with_cells(row, flags.in_cells(), delimiter)


def _object_with(row: bytes, flags: Flags, source: TextRows, number: int) -> bytes:
    """A row of JSON with flags. One that is no object, or too long to be read, stays as it is."""
    try:
        value = as_object(json_value(row)) if flags.group is not None or len(row) <= source.source.limit else None
    except DocumentSkipped:
        return row
    if value is None:
        return row
    refuse_taken(place_of(source, number), value)
    end = row.rindex(b"}")
    more = json.dumps(flags.in_json()).encode()[1:-1]
    return row[:end] + (b", " if value else b"") + more + row[end:]


def _as_text(value: object) -> str:
    """A date, a time or a decimal number as text: ISO 8601, or all digits. TypeError: the value is something else."""
    if isinstance(value, date | time):  # a datetime is a date, too
        return value.isoformat()
    if isinstance(value, Decimal):
        return format(value, "f")
    raise TypeError(f"a value of the type {type(value).__name__}")
