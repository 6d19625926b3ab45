"""The rows of CSV and TSV: each is written as it was read, byte for byte, after the header of its file."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

import numpy as np

from simdocs.corpora.containers.byte_rows import ByteBlock, ByteFile, LongRow, is_long
from simdocs.corpora.containers.container import ContainerFile, Part
from simdocs.corpora.containers.delimited import parsed_rows
from simdocs.corpora.containers.lines import ends_to
from simdocs.corpora.containers.records import HEADER_MOST, RecordEnds, header_of
from simdocs.corpora.containers.rows import (
    FLAGS,
    EveryRecord,
    Flags,
    RawRows,
    Record,
    RowBlock,
    Sink,
    as_text,
    converted,
    taken_name,
)
from simdocs.errors import InputError
from simdocs.model.ragged import Index
from simdocs.model.skipped import DocumentSkipped
from simdocs.names import display_name
from simdocs.options.texts import Sequences

_ERRORS = "surrogateescape"
"""What becomes of bytes that are not UTF-8: they are kept."""

_LINE_ENDS = b"\r\n"


class RecordBlock(ByteBlock):
    """The records of a part, with the blank lines between them.

    part: has the header before its rows. names: the fields in the header; none if there is none.
    """

    def __init__(self, part: Part, delimiter: str, names: list[str]) -> None:
        body = part.data[len(part.data) - part.extent :]
        ends = ends_to(RecordEnds(delimiter).take(body), body)
        super().__init__(part, body, ends)
        first = np.frombuffer(body, np.uint8)[self._bounds[:-1]]
        self._rows = np.flatnonzero((first != ord("\n")) & (first != ord("\r")))
        self._delimiter, self._names, self.count = delimiter, names, len(self._rows)
        self._is_row = np.zeros(len(ends), bool)
        self._is_row[self._rows] = True

    def places(self, numbers: Index) -> Index:
        """The places of the rows with these numbers, less that of the first. Blank lines have no number."""
        return self._rows[numbers]

    def is_row(self, place: int) -> bool:
        """Whether there is a row at this place, and no blank line."""
        return bool(self._is_row[place])

    def where(self, place: int) -> str:
        """The name of the file and the number of a row, for a message."""
        return f"{display_name(self.name)}, row {self.first + int(np.searchsorted(self._rows, place))}"

    def records(self, places: Index) -> list[Record | None]:
        """The fields of these rows by name; None for a row with more or fewer fields than the header.

        InputError: the header has a field twice.
        """
        if len(set(self._names)) < len(self._names):
            name = next(name for name in self._names if self._names.count(name) > 1)
            why = f"the header has the field {name!r} twice, so it has no place in another format"
            raise InputError(f"{display_name(self.name)}: {why}")
        found = list[Record | None]()
        rows = (self.row(place).rstrip(_LINE_ENDS) for place in places.tolist() if self.is_row(place))
        for row in parsed_rows(rows, self._delimiter):
            names = self._names or [str(number) for number in range(1, len(row) + 1)]
            found.append(dict(zip(names, row, strict=True)) if len(row) == len(names) else None)
        return found


class DelimitedFile(ByteFile):
    """A file of CSV or TSV, open.

    form: its format. delimiter: the character between its fields.
    header: its first row with its end, and with blank lines before it. names: the fields in it.
    has_header: whether it has one.
    Raises DocumentSkipped: it has no header, although it should.
    """

    def __init__(self, file: ContainerFile, form: str, delimiter: str, *, has_header: bool) -> None:
        super().__init__(file)
        self.form, self.delimiter, self.header, self.has_header = form, delimiter, b"", has_header
        try:
            if has_header:
                self.header = self._read_header()
        except BaseException:
            self.close()
            raise
        self.names: list[str] = next(parsed_rows([self.header.strip(_LINE_ENDS)], delimiter), [])

    def _read_header(self) -> bytes:
        for size in (1 << 12, 1 << 16, HEADER_MOST + 1):
            beginning = self.content.bytes_at(len(self.mark), size)
            end = header_of(beginning, self.delimiter, whole=len(beginning) < size)
            if end is not None:
                return bytes(beginning[:end])
        if beginning.strip(_LINE_ENDS):
            raise DocumentSkipped("malformed", "no header")
        return bytes(beginning)

    def blocks(self, part: Part) -> Iterator[RowBlock]:
        """Yield the records of a part."""
        yield LongRow.of(part, self, "row") if is_long(part) else RecordBlock(part, self.delimiter, self.names)

    def rest(self, start: int, first: int) -> Iterator[RowBlock]:
        """Yield a row whose quotes never end, up to the end of the file, unless the file is damaged."""
        start = max(start, len(self.mark) + len(self.header))
        end = self.content.size(start)
        if end is not None and start < end:
            yield LongRow(first, start, end, self, "row", has_end=False)


class DelimitedWriter:
    """Writes CSV or TSV.

    names: the fields of rows from another format, if they are known before the first row.
    """

    def __init__(
        self, source: RawRows, sink: Sink, form: str, delimiter: str, every: EveryRecord, *, flagged: bool
    ) -> None:
        self._sink, self._flagged = sink, flagged
        self._as_is = isinstance(source, DelimitedFile) and source.form == form
        more = list(FLAGS) if flagged else []
        if isinstance(source, DelimitedFile) and source.form == form:
            self._delimiter = source.delimiter
            if taken := [name for name in more if name in source.names]:
                raise taken_name(display_name(source.name), taken[0])
            sink(source.mark + (self._longer(source.header, more) if source.names else source.header))
            return
        self._delimiter = delimiter
        self._names = list(dict.fromkeys(name for records in every() for record in records for name in record))
        if taken := [name for name in more if name in self._names]:
            raise taken_name(display_name(source.name), taken[0])
        self._names += more
        if isinstance(source, DelimitedFile) and not source.has_header:
            return
        sink(self._row(self._names).encode("utf-8", _ERRORS))

    def write(self, block: RowBlock, places: Index, flags: list[Flags] | None) -> None:
        """Write these rows: as they are, or with other fields."""
        if not self._as_is:
            for place, record in converted(block, places, flags):
                self._sink(self._converted(record, block.where(place)))
        elif isinstance(block, ByteBlock) and flags is not None:
            for place, flag in zip(places.tolist(), flags, strict=True):
                row = block.row(place)
                self._sink(self._longer(row, _cells(flag)) if block.is_row(place) else row)
        elif isinstance(block, LongRow) and block.has_end and flags is not None:
            held = b""
            for piece in block.pieces(places):
                ready = held + piece
                self._sink(ready[:-2])
                held = ready[-2:]
            self._sink(self._longer(held, _cells(Flags())))
        elif isinstance(block, ByteBlock | LongRow):
            for piece in block.pieces(places):
                self._sink(piece)

    def end(self) -> None:
        """There is nothing after the last row."""

    def _longer(self, row: bytes, more: list[str]) -> bytes:
        """A row, or the end of one, with more fields before the end of its line."""
        content = row.rstrip(_LINE_ENDS)
        added = self._row(["x", *more])[1:].rstrip("\r\n") if more else ""
        return content + added.encode("utf-8", _ERRORS) + row[len(content) :]

    def _row(self, cells: list[str]) -> str:
        line = io.StringIO()
        csv.writer(line, delimiter=self._delimiter).writerow(cells)
        return line.getvalue()

    def _converted(self, record: Record, where: str) -> bytes:
        cells = [_cell(name, record.get(name), where, flagged=self._flagged) for name in self._names]
        try:
            return self._row(cells).encode("utf-8", _ERRORS)
        except UnicodeEncodeError:
            raise InputError(f"{where}: half of a surrogate pair has no place in CSV") from None


def _cells(flags: Flags) -> list[str]:
    return [_cell(name, value, "", flagged=True) for name, value in flags.in_text().items()]


def _cell(name: str, value: object, where: str, *, flagged: bool) -> str:
    """A value as text. InputError: it is no text, number, date, time or truth value, which is what CSV can hold.

    flagged: whether `similarity` is a flag, which has six digits after its point, as in answers.
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str | int):
        return str(value)
    if isinstance(value, float):
        return f"{value:.6f}" if flagged and name == "similarity" else repr(value)
    if (text := as_text(value)) is not None:
        return text
    kind = type(value).__name__
    shown = "an object" if kind == "dict" else "a list" if kind == "list" else f"a value of the type {kind}"
    others = ".parquet, .arrow or .jsonl" if kind in ("dict", "list") else ".parquet or .arrow"
    raise InputError(f"{where}: the field {name!r} has {shown}, which has no place in CSV: write {others}")


class DelimitedRows:
    """CSV or TSV as a format of rows: see RowFormat. form: its name. delimiter: the usual one."""

    def __init__(self, form: str, delimiter: str) -> None:
        self._form, self._delimiter = form, delimiter

    def open(self, file: ContainerFile, fields: Sequences) -> DelimitedFile:
        """Open a file."""
        return DelimitedFile(file, self._form, fields.delimiter or self._delimiter, has_header=not fields.no_header)

    def held(self, _file: ContainerFile) -> None:
        """Some rows are held at once."""

    def writer(self, source: RawRows, sink: Sink, *, flagged: bool, every: EveryRecord) -> DelimitedWriter:
        """A writer of rows."""
        return DelimitedWriter(source, sink, self._form, self._delimiter, every, flagged=flagged)


CSV_ROWS, TSV_ROWS = DelimitedRows("csv", ","), DelimitedRows("tsv", "\t")
