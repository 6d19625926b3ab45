"""Rows of files with all their fields, which are read in their order to be written to another file.

Rows of lines, JSON arrays, CSV and TSV are their bytes, which a file of the same format gets as they are. Rows of
Parquet and Arrow are tables of pyarrow: see `table_rows.py`. Other formats get records.
"""

from __future__ import annotations

import codecs
import io
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from simdocs.errors import InputError
from simdocs.model.ragged import BATCH_BYTES, Index
from simdocs.model.skipped import DocumentSkipped
from simdocs.names import display_name
from simdocs.options.families import noun_of
from simdocs.options.recipes import Sequences
from simdocs.reading.decode import transcoded
from simdocs.reading.files import MOST, Source
from simdocs.reading.formats.delimited import DELIMITERS, ERRORS, Records
from simdocs.reading.formats.json_array import elements
from simdocs.reading.formats.lines import as_object, json_value, whole_lines

if TYPE_CHECKING:
    from simdocs.reading.formats.table_rows import TableRows

LINE_ENDS = b"\r\n"

Record = dict[str, Any]
"""The values of a row by field."""


class Flags(NamedTuple):
    """The columns that a flagged row has in addition. No other column may have one of these names.

    duplicate_of: the name of the document of which it is a duplicate, with a lone surrogate for each byte that is not
        UTF-8; None: it is kept.
    similarity: how similar they are; None: it is kept.
    group: the number of its group; None: it was not judged.
    """

    duplicate_of: str | None = None
    similarity: float | None = None
    group: int | None = None

    def in_json(self) -> Record:
        """The flags by name. Similarities have six digits after their point, as in answers."""
        return {**self._asdict(), "similarity": None if self.similarity is None else round(self.similarity, 6)}

    def in_cells(self) -> list[str]:
        """The flags as cells of CSV."""
        similarity = "" if self.similarity is None else f"{self.similarity:.6f}"
        return [self.duplicate_of or "", similarity, "" if self.group is None else str(self.group)]


class RowBatch(NamedTuple):
    """Some rows of a file.

    numbers: their numbers in the file, from 1: (n,).
    data: the bytes of each with the end of its line; or a table of pyarrow.
    flags: those of each, if flags are written.
    unit: the row group or record batch that they are from.
    """

    numbers: Index
    data: Any
    flags: list[Flags] | None = None
    unit: int = 0

    def take(self, places: Index) -> RowBatch:
        """The rows at these places, which ascend, without flags."""
        if isinstance(self.data, list):
            return RowBatch(self.numbers[places], [self.data[place] for place in places.tolist()])
        from simdocs.reading.formats.table_rows import taken

        return RowBatch(self.numbers[places], taken(self.data, places), None, self.unit)


class TextRows:
    """An open file of lines, CSV or TSV, or with a JSON array. Its rows are bytes.

    source, form: the file and its format.
    head: what is before the rows: a byte order mark, and the header. names: the fields in it, if there is one.
    delimiter: the character between fields; empty: it is JSON, or lines.
    damage: why some rows cannot be read, when `batches` has ended; None: all were read.
    Raises DocumentSkipped: no row can be read.
    """

    def __init__(self, source: Source, form: str, fields: Sequences) -> None:
        self.source, self.form = source, form
        self._encoding = fields.encoding
        self.head, self.names, self.delimiter = b"", list[str](), ""
        self.damage: DocumentSkipped | None = None
        if source.interval(0, 3) == codecs.BOM_UTF8:
            self.head = codecs.BOM_UTF8
        if form == "json":
            self._rows: Iterator[bytes] = elements(source.whole())
        elif form in DELIMITERS:
            self._escape, self.delimiter = fields.escape, fields.delimiter or DELIMITERS[form]
            records = Records(source.pieces(), self.delimiter, MOST, fields.escape)
            each = iter(records)
            if not fields.no_header:
                self.names = next(each, [])
                self.head += "".join(records.raw).encode("utf-8", ERRORS)
            self._rows = _raw_rows(records, each)
        else:
            self._rows = _lines(source)
        first = next(self._rows, None)
        self._rows = chain([] if first is None else [first], self._rows)

    def batches(self) -> Iterator[RowBatch]:
        """Yield all rows that can be read, some at a time."""
        number, rows, size = 1, list[bytes](), 0
        try:
            for row in self._rows:
                rows.append(row)
                size += len(row)
                if size >= BATCH_BYTES:
                    yield RowBatch(np.arange(number, number + len(rows)), rows)
                    number, rows, size = number + len(rows), [], 0
        except DocumentSkipped as skip:
            self.damage = skip
        if rows:
            yield RowBatch(np.arange(number, number + len(rows)), rows)

    def records(self, rows: RowBatch) -> Iterator[Record | None]:
        """Yield the fields of these rows; None for a blank line. InputError: another format would lose something."""
        if not self.delimiter:
            for number, row in zip(rows.numbers.tolist(), rows.data, strict=True):
                text = transcoded(row, self._encoding)
                try:
                    if self.form == "lines" and row.strip():
                        yield {"text": text.rstrip(LINE_ENDS).decode("utf-8", ERRORS)}
                    else:
                        yield as_object(json_value(text)) if row.strip() else None
                except DocumentSkipped as skip:
                    raise InputError(
                        f"{place_of(self, number)} has no place in another format: {skip.detail}"
                    ) from None
            return
        refuse_twice(display_name(self.source.name), self.names)
        each = Records(rows.data, self.delimiter, MOST, self._escape)
        for number, cells in zip(rows.numbers.tolist(), each, strict=True):
            names = self.names or [str(place) for place in range(1, len(cells) + 1)]
            if len(cells) != len(names):
                why = f"{len(cells)} fields, but the header has {len(names)}"
                raise InputError(f"{place_of(self, number)} has no place in another format: {why}")
            yield dict(zip(names, cells, strict=True))


RowSource: TypeAlias = "TextRows | TableRows"
"""A file whose rows are read."""

Reopened: TypeAlias = Callable[[], "AbstractContextManager[RowSource]"]
"""Opens a file once more."""


def place_of(source: RowSource, number: int) -> str:
    """The name of the file and the number of a row, for a message."""
    return f"{display_name(source.source.name)}, {noun_of(source.form)} {number}"


def _lines(source: Source) -> Iterator[bytes]:
    """Yield the lines of a file with their ends, which the last may lack."""
    for lines, _ in whole_lines(source.pieces(), MOST):
        yield from io.BytesIO(lines)


def _raw_rows(records: Records, each: Iterator[list[str]]) -> Iterator[bytes]:
    """Yield the rows as they are in the file. The last may be what follows a quote that never ends."""
    try:
        for _ in each:
            yield "".join(records.raw).encode("utf-8", ERRORS)
    except DocumentSkipped:
        if not records.is_over:
            raise
        yield "".join(records.raw).encode("utf-8", ERRORS)


def refuse_taken(where: str, names: Iterable[str]) -> None:
    """Raise InputError if a column has the name of a flag. where: the file, or a row of it."""
    if taken := [name for name in Flags._fields if name in names]:
        raise InputError(f"{where}: has a field {taken[0]!r} already: rename it, or leave out --flagged-rows")


def refuse_twice(where: str, names: list[str]) -> None:
    """Raise InputError if two columns have the same name."""
    if len(set(names)) < len(names):
        name = next(name for name in names if names.count(name) > 1)
        raise InputError(f"{where}: has the field {name!r} twice, so it has no place in another format")


def records_of(source: RowSource, rows: RowBatch) -> Iterator[tuple[str, Record, Flags | None]]:
    """Yield where each of these rows is, for messages, its fields and its flags. Blank lines are left out."""
    each = zip(rows.numbers.tolist(), source.records(rows), rows.flags or repeat(None), strict=False)
    for number, record, flags in each:
        if record is not None:
            where = place_of(source, number)
            if flags is not None:
                refuse_taken(where, record)
            yield where, record, flags


def why_not(error: Exception) -> str:
    """Why a value has no place in another format, and what to do."""
    if not isinstance(error, UnicodeEncodeError):
        return f"{str(error).splitlines()[0]}: write .parquet or .arrow"
    if "\udc80" <= error.object[error.start] <= "\udcff":  # surrogateescape makes these of bytes
        return "it has bytes that are not UTF-8: write .csv, which keeps them, or convert the file to UTF-8 first"
    return "it has half of a surrogate pair, which is no character: correct it, or write the format of the input"


@contextmanager
def opened_rows(source: Source, form: str, fields: Sequences) -> Iterator[RowSource]:
    """The rows of a file in this format, which is closed at the end. Raises DocumentSkipped."""
    with source:
        if form in ("parquet", "arrow"):
            from simdocs.reading.formats.table_rows import TableRows

            yield TableRows(source, form)
        else:
            yield TextRows(source, form, fields)
