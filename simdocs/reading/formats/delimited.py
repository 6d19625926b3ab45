"""CSV and TSV: tables whose first row names the fields. Rows are read as Python's `csv.reader` does; all is text."""

from __future__ import annotations

import csv
import io
import re
import sys
from collections.abc import Iterable, Iterator
from functools import partial

from simdocs.model.figures import counted
from simdocs.model.ragged import Index
from simdocs.model.skipped import DocumentSkipped
from simdocs.names import flag
from simdocs.options.recipes import Sequences
from simdocs.reading.batches import FileRow, FileRows, listed, no_text, rows_of
from simdocs.reading.decode import NoTable, is_object
from simdocs.reading.files import LOOKED_AT, Source, too_large

DELIMITERS = {"csv": ",", "tsv": "\t"}

ERRORS = "surrogateescape"
"""What becomes of bytes that are not UTF-8: they are kept, as in any file of text."""

_AT_ONCE = 1 << 20
"""Characters of a line that are read at once."""


class Records:
    """The rows of a text in CSV, each as its fields; and where they are.

    limit: a row of more bytes, or of more characters, is too long. It is read, but not held.
    raw: the lines of the row that comes next, or came last. size: how many characters these have.
    is_over: whether all lines were read.
    """

    def __init__(self, pieces: Iterable[bytes], delimiter: str, limit: int, escape: str | None = None) -> None:
        if csv.field_size_limit() < sys.maxsize:  # a limit for all of Python; rows are limited before they are parsed
            csv.field_size_limit(sys.maxsize)
        self.raw, self.size, self._limit, self.is_over, self._end = list[str](), 0, limit, False, ""
        self._text = io.TextIOWrapper(io.BufferedReader(_Stream(pieces)), "utf-8", ERRORS, newline="")
        self._others = re.compile(f'[^"{re.escape(delimiter)}\r\n]+')
        self._reader = csv.reader(self._lines(), delimiter=delimiter, escapechar=escape)

    def __iter__(self) -> Iterator[list[str]]:
        """Yield the fields of each row. Blank lines are left out.

        DocumentSkipped (malformed): a quote of the row does not end, and its lines are all that is left.
        """
        for row in self._reader:
            if self.is_over:
                line = self._reader.line_num - len(self.raw) + 1
                raise DocumentSkipped("malformed", f"the row on line {line} has a quote that never ends")
            if row:
                yield row
            self.raw, self.size = [], 0

    @property
    def length(self) -> int:
        """How many characters the row has that came last, without its end. If that is too many, its fields are not what
        they were."""
        return self.size - len(self._end) + len(self._end.rstrip("\r\n"))

    def _lines(self) -> Iterator[str]:
        """Yield the lines. Of a row that is too long, what decides where it ends is left, and nothing is held."""
        pieces = list[str]()
        for read in iter(partial(self._text.readline, _AT_ONCE), ""):
            self.size, self._end = self.size + len(read), read
            self.raw.append(read)
            piece = read
            if self.size > self._limit and self.length > self._limit:
                piece, self.raw = self._others.sub("x", read), []
            if not read.endswith(("\n", "\r")):
                pieces.append(piece)
            elif pieces:
                yield "".join((*pieces, piece))
                pieces = []
            else:
                yield piece
        if pieces:
            yield "".join(pieces)
        self.is_over = True


class _Stream(io.RawIOBase):
    """Pieces of a text as a stream."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        super().__init__()
        self._pieces, self._left = iter(pieces), memoryview(b"")

    def readable(self) -> bool:
        """Whether it can be read: yes."""
        return True

    def readinto(self, buffer: memoryview, /) -> int:  # type: ignore[override]
        """Fill a buffer, or a part of it; return how much was filled: 0 at the end."""
        while not self._left:
            if (piece := next(self._pieces, None)) is None:
                return 0
            self._left = memoryview(piece)
        size = min(len(buffer), len(self._left))
        buffer[:size], self._left = self._left[:size], self._left[size:]
        return size


def check(head: bytes, form: str, fields: Sequences) -> None:
    """Raise NoTable if the first row of a file that begins so says that it is no table with texts."""
    delimiter = fields.delimiter or DELIMITERS[form]
    first = _first_row(head, delimiter, fields)
    if first is None:
        raise NoTable("the first row has a quote that never ends, or is too long")
    names = _numbered(first) if fields.no_header else first
    for name, option in (*((name, "text_field") for name in fields.text_field), (fields.id_field, "id_field")):
        if names.count(name) > 1 and (name or option == "text_field"):
            remedy = f"rename one of them, or name another field with {flag(option)}"
            raise DocumentSkipped("malformed", f"the header has the field {name!r} twice: {remedy}")
    if not names or set(fields.text_field) <= set(names):
        return
    if is_object(head.lstrip().partition(b"\n")[0]):
        lines_of = "give --input-format jsonl to read each line as a document"
        raise NoTable(f"this looks like JSON Lines, and not like {form.upper()}", lines_of)
    raise NoTable(*no_text("row", fields, listed(names), _remedy(head, delimiter, names, fields)), lacks_text=True)


def _first_row(head: bytes, delimiter: str, fields: Sequences) -> list[str] | None:
    """The first row that is not blank; none if there is none, None if it does not end here."""
    records = Records([head], delimiter, LOOKED_AT, fields.escape)
    try:
        first = next(iter(records), [])
    except DocumentSkipped:
        return None
    is_cut = first and len(head) >= LOOKED_AT and not "".join(records.raw).endswith(("\n", "\r"))
    return None if is_cut else first


def _remedy(head: bytes, delimiter: str, names: list[str], fields: Sequences) -> str:
    """What to do if a file has no texts, because another character is between its fields; empty: nothing else."""
    if head.startswith(b"sep="):  # which Excel reads
        return "delete the first line, which begins with sep=, and give the character with --delimiter"
    for other in ",;\t|":
        there = (_first_row(head, other, fields) or []) if other != delimiter else []
        option = "--delimiter '" + other.replace("\t", r"\t") + "'"
        if set(fields.text_field) <= set(_numbered(there) if fields.no_header else there):
            return f"give {option}"
        if len(names) == 1 < len(there):
            return f"give {option}, and name one of the fields with --text-field"
    return ""


def read_rows(source: Source, form: str, fields: Sequences, wanted: Index | None = None) -> Iterator[FileRows]:
    """Yield the rows of a file, or those with the wanted numbers. Blank lines have no number."""
    return rows_of(source, form, _rows(source, form, fields), wanted, ERRORS)


def _rows(source: Source, form: str, fields: Sequences) -> Iterator[FileRow]:
    records = Records(source.pieces(), fields.delimiter or DELIMITERS[form], source.most, fields.escape)
    each = iter(records)
    names = [] if fields.no_header else next(each, [])
    for row in each:
        if records.size > source.most and records.length > source.most:
            yield too_large(records.length, source.limit) or DocumentSkipped("oversized"), 0
        elif names and len(row) != len(names):
            why = f"{counted(len(row), 'field')}, but the header has {len(names):,}"
            yield DocumentSkipped("malformed", why), 0
        else:
            record: dict[str, str | None] = dict(zip(names or _numbered(row), row, strict=True))
            if fields.id_field and record.get(fields.id_field) == "":  # the name of the row would be PATH#
                record[fields.id_field] = None
            yield record, records.size


def _numbered(row: list[str]) -> list[str]:
    """The names of the fields of a row in a file without a header."""
    return [str(number) for number in range(1, len(row) + 1)]
