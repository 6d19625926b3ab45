"""Rows of files with all their fields, which are read in their order to be written to another file.

Rows of JSON Lines, JSON arrays, CSV and TSV are their bytes, which a file of the same format gets as they are. Rows of
Parquet and Arrow are tables of pyarrow: see `table_rows.py`. Other formats get records.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, pairwise, repeat
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from simdocs.corpora.containers.container import ContainerFile, container
from simdocs.corpora.containers.delimited import parsed_rows
from simdocs.corpora.containers.json_array import JSON_ARRAY, Elements
from simdocs.corpora.containers.jsonl import json_object
from simdocs.corpora.containers.lines import ends_of_lines
from simdocs.corpora.containers.records import RecordEnds
from simdocs.corpora.decode import binary_format
from simdocs.corpora.files import chunks, close_file, open_file
from simdocs.errors import InputError
from simdocs.model.ragged import BATCH_BYTES, Index
from simdocs.model.skipped import DocumentSkipped
from simdocs.names import display_name
from simdocs.options.file_formats import compression_of
from simdocs.options.texts import Sequences

if TYPE_CHECKING:
    from simdocs.corpora.containers.table_rows import TableRows

FORMATS = ("jsonl", "json", "csv", "tsv", "parquet", "arrow")
"""The formats whose rows can be written."""

DELIMITERS = {"csv": ",", "tsv": "\t"}

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

    numbers: their numbers, (n,), as in Locator.
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
        from simdocs.corpora.containers.table_rows import taken

        return RowBatch(self.numbers[places], taken(self.data, places), None, self.unit)


class TextRows:
    """An open file of JSON Lines, CSV or TSV, or with a JSON array.

    name, form: of the file, and its format. noun: what messages call a row.
    head: what is before the rows: a byte order mark, and the header. names: the fields in it, if there is one.
    delimiter: the character between fields; empty: it is JSON.
    damage: why some rows cannot be read, when `batches` has ended; None: all were read.
    Raises DocumentSkipped: no row can be read.
    """

    def __init__(self, file: ContainerFile, form: str, fields: Sequences) -> None:
        self.name, self.form, self.noun, self.limit = file.name, form, container(form).noun, file.limit
        self.head, self.names, self.delimiter = b"", list[str](), ""
        self.damage: DocumentSkipped | None = None
        self._rows: Iterator[list[bytes]]
        if form == "json":
            self._content: Any = _elements(file)
            self._rows = chain([next(self._content)], self._content)
            return
        self._content = _content(file)
        first = next(self._content, b"")
        if first.startswith(codecs.BOM_UTF8):
            self.head = codecs.BOM_UTF8
        pieces = chain([first[len(self.head) :]], self._content)
        if form == "jsonl":
            self._rows = _cut(pieces, ends_of_lines)
            return
        self.delimiter = fields.delimiter or DELIMITERS[form]
        records = _cut(pieces, RecordEnds(self.delimiter).take)
        self._rows = filter(None, ([row for row in some if row.strip(LINE_ENDS)] for some in records))
        if not fields.no_header:
            some = next(self._rows, [])
            self.head += b"".join(some[:1])
            self.names = next(parsed_rows([row.strip(LINE_ENDS) for row in some[:1]], self.delimiter), [])
            self._rows = chain([some[1:]], self._rows)

    def batches(self) -> Iterator[RowBatch]:
        """Yield all rows that can be read, some at a time."""
        number = 1
        try:
            for rows in filter(None, self._rows):
                yield RowBatch(np.arange(number, number + len(rows)), rows)
                number += len(rows)
        except DocumentSkipped as skip:
            self.damage = skip

    def where(self, number: int) -> str:
        """The name of the file and the number of a row, for a message."""
        return f"{display_name(self.name)}, {self.noun} {number}"

    def records(self, rows: RowBatch) -> Iterator[Record | None]:
        """Yield the fields of these rows; None for a blank line. InputError: another format would lose something."""
        if not self.delimiter:
            for number, row in zip(rows.numbers.tolist(), rows.data, strict=True):
                try:
                    yield json_object(row) if row.strip() else None
                except DocumentSkipped as skip:
                    raise InputError(f"{self.where(number)} has no place in another format: {skip.detail}") from None
            return
        refuse_twice(display_name(self.name), self.names)
        each = parsed_rows((row.rstrip(LINE_ENDS) for row in rows.data), self.delimiter)
        for number, cells in zip(rows.numbers.tolist(), each, strict=True):
            names = self.names or [str(place) for place in range(1, len(cells) + 1)]
            if len(cells) != len(names):
                why = f"{len(cells)} fields, but the header has {len(names)}"
                raise InputError(f"{self.where(number)} has no place in another format: {why}")
            yield dict(zip(names, cells, strict=True))

    def close(self) -> None:
        """Close the file."""
        self._content.close()


RowSource: TypeAlias = "TextRows | TableRows"
"""A file whose rows are read."""


def _content(file: ContainerFile) -> Iterator[bytes]:
    """Yield the content of a file, piece by piece. Raises DocumentSkipped, also after some of it."""
    if file.held is not None:
        yield from (file.held[at : at + BATCH_BYTES] for at in range(0, len(file.held), BATCH_BYTES))
        return
    opened, stamp = open_file(file.name, follow=file.follow)
    try:
        for number, piece in enumerate(map(bytes, chunks(opened, stamp, BATCH_BYTES, compression_of(file.name)))):
            if not number and (what := binary_format(piece)):
                raise DocumentSkipped("malformed", what)
            yield piece
    except OSError as error:
        raise DocumentSkipped.of(error) from None
    finally:
        close_file(opened)


def _cut(pieces: Iterable[bytes], ends_in: Callable[[bytes], Index]) -> Iterator[list[bytes]]:
    """Yield the rows in some content with their ends, which the last may lack. ends_in: where they end in a piece."""
    held = list[bytes]()
    for piece in pieces:
        ends = ends_in(piece)
        if not len(ends):
            held.append(piece)
            continue
        bounds = [0, *(ends + sum(map(len, held))).tolist()]
        content = b"".join((*held, piece))
        yield [content[start:end] for start, end in pairwise(bounds)]
        held = [content[bounds[-1] :]]
    if last := b"".join(held):
        yield [last]


def _elements(file: ContainerFile) -> Iterator[list[bytes]]:
    """Yield the elements of a JSON array. Raises DocumentSkipped, also after some of them."""
    for part in JSON_ARRAY.parts(file, Sequences(text_field=())):
        yield [part.data[start:stop] for start, stop in Elements(part.data, 0)]


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
            where = source.where(number)
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


def open_rows(file: ContainerFile, form: str, fields: Sequences) -> RowSource:
    """Open a file of this format. Raises DocumentSkipped."""
    if form in ("parquet", "arrow"):
        from simdocs.corpora.containers.table_rows import TableRows

        return TableRows(file, form)
    return TextRows(file, form, fields)
