"""CSV and TSV: tables whose first row names the fields. Rows are read as Python's `csv.reader` does; all is text."""

from __future__ import annotations

import codecs
import csv
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence

from simdocs.corpora.containers.container import ContainerFile, Locator, OneText, Part, PartDocuments
from simdocs.corpora.containers.fields import add_row, listed, text_of_row, without_texts
from simdocs.corpora.containers.lines import OpenIntervals, parts_of
from simdocs.corpora.containers.recognise import is_object
from simdocs.corpora.containers.records import HEADER_MOST, RecordCutter, header_of, records_in
from simdocs.corpora.files import MOST, too_large
from simdocs.model.figures import counted
from simdocs.model.skipped import DocumentSkipped, Skip
from simdocs.names import flag
from simdocs.options.texts import Sequences

_ERRORS = "surrogateescape"
"""What becomes of bytes that are not UTF-8: they are kept, as in any file of text."""

_USUAL_DELIMITERS = ",;\t|"


class Delimited:
    """A format of delimited text as a member of the family: see Container.

    The bytes of a document are those of the header and of its row, and so are the bytes of a part.
    """

    noun = "row"

    def __init__(self, name: str, delimiter: str) -> None:
        self._name, self._delimiter = name, delimiter

    def parts(self, file: ContainerFile, fields: Sequences) -> Iterator[Part]:
        """Cut a file into parts of whole rows, each with the header before them."""

        def check(first_record: bytes) -> None:
            self._check(first_record, fields)

        limit, delimiter, has_header = min(file.limit, MOST), self._between(fields), not fields.no_header
        yield from parts_of(
            self._name, file, self.noun, lambda: RecordCutter(limit, delimiter, has_header=has_header, check=check)
        )

    def documents(self, part: Part, fields: Sequences) -> PartDocuments:
        """Read the documents of a part. Blank lines are neither documents nor skipped, and have no number."""
        found, delimiter = PartDocuments(), self._between(fields)
        if not part.data:
            if part.extent and (part.wanted is None or part.first in part.wanted):
                self._skip(found, part, too_large(part.extent, part.limit), part.first)
            return found
        header = 0 if fields.no_header else header_of(part.data, delimiter, whole=True) or 0
        names = _names(part.data[:header], delimiter)
        body = part.data[header:]
        wanted = list[tuple[int, int, int]]()
        begins, ends = records_in(body, delimiter)
        for number, (begin, end) in enumerate(zip(begins.tolist(), ends.tolist(), strict=True), part.first):
            if part.wanted is None or number in part.wanted:
                if skip := too_large(end - begin, part.limit):
                    self._skip(found, part, skip, number)
                else:
                    wanted.append((number, begin, end))
        first_record = part.data[:header] or (body[wanted[0][1] : wanted[0][2]] if wanted else b"")
        rows = parsed_rows((body[begin:end] for _, begin, end in wanted), delimiter)
        for (number, begin, end), row in zip(wanted, rows, strict=True):
            where = Locator(part.start + begin, end - begin, number)
            try:
                add_row(found, _record(names, row, fields), where, part.name, self.noun, fields, _ERRORS)
            except DocumentSkipped as skip:
                self._skip(found, part, skip, number)
        if found.textless:
            found.remedy = self._remedy(first_record, fields)
        return found

    def open(self, path: bytes, fields: Sequences, *, follow: bool) -> OpenDelimited:
        """Open a file to read rows of it again."""
        return OpenDelimited(OpenIntervals(path, follow=follow), self._between(fields), has_header=not fields.no_header)

    def cut(self, content: bytes, where: Locator, fields: Sequences) -> bytes:
        """A row of a file in memory, with the header before it."""
        header = None if fields.no_header else _header(lambda size: content[:size], self._between(fields))
        return (header or b"") + content[where.start : where.start + where.extent]

    def text_of(self, document: bytes, fields: Sequences) -> bytes | None:
        """The text of a row with its header, as `documents` returns it; None if they are not a document."""
        try:
            names, row = self._read(document, fields)
            return None if row is None else text_of_row(_record(names, row, fields), fields, _ERRORS)
        except DocumentSkipped:
            return None

    def fields_of(self, document: bytes, fields: Sequences) -> str:
        """The fields of a row with its header, for a message."""
        names, row = self._read(document, fields)
        return listed(names or _numbered(row or []))

    def _between(self, fields: Sequences) -> str:
        """The character between fields."""
        return fields.delimiter or self._delimiter

    def _read(self, document: bytes, fields: Sequences) -> tuple[list[str], list[str] | None]:
        """The names of the fields, and the row; empty if there is no header, and None if there is no row."""
        delimiter = self._between(fields)
        header = 0 if fields.no_header else header_of(document, delimiter, whole=True) or 0
        return _names(document[:header], delimiter), next(parsed_rows([document[header:]], delimiter), None)

    def _check(self, first_record: bytes, fields: Sequences) -> None:
        """Raise DocumentSkipped if this first record of a file says that it is no table with texts."""
        delimiter = self._between(fields)
        names = _names(first_record, delimiter)
        if fields.no_header:
            names = _numbered(names)
        for name, option in (*((name, "text_field") for name in fields.text_field), (fields.id_field, "id_field")):
            if names.count(name) > 1 and (name or option == "text_field"):
                remedy = f"rename one of them, or name another field with {flag(option)}"
                raise DocumentSkipped("malformed", f"the header has the field {name!r} twice: {remedy}")
        if fields.input_format or set(fields.text_field) <= set(names):
            return
        if is_object(first_record.partition(b"\n")[0]):
            lines_of = "give --input-format jsonl to read each line as a document"
            raise OneText(f"this looks like JSON Lines, and not like {self._name.upper()}", lines_of)
        raise without_texts(self.noun, fields, listed(names), self._remedy(first_record, fields))

    def _remedy(self, first_record: bytes, fields: Sequences) -> str:
        """What to do if a file has no texts, because another character is between its fields; empty: nothing else."""
        if first_record.startswith(b"sep="):  # which Excel reads
            line = first_record.strip().decode("utf-8", "replace")
            return f"delete the first line, {line}, and give the character with --delimiter"
        delimiter = self._between(fields)
        # Another character decides otherwise which quotes open a field, so the first record may end elsewhere.
        ends = {other: header_of(first_record, other, whole=True) for other in _USUAL_DELIMITERS if other != delimiter}
        found = {other: _names(first_record[: end or 0], other) for other, end in ends.items()}
        for other, names in found.items():
            if set(fields.text_field) <= set(_numbered(names) if fields.no_header else names):
                return f"give {_given(other)}"
        for other, names in found.items() if len(_names(first_record, delimiter)) == 1 else ():
            if len(names) > 1:
                return f"give {_given(other)}, and name one of the fields with --text-field"
        return ""

    def _skip(self, found: PartDocuments, part: Part, skip: DocumentSkipped | None, number: int) -> None:
        if skip is not None:
            found.skips.append(Skip(skip.reason, part.name, skip.detail, number, noun=self.noun))


CSV, TSV = Delimited("csv", ","), Delimited("tsv", "\t")


class OpenDelimited:
    """An open file from which rows are read again, each with the header of the file before it."""

    def __init__(self, intervals: OpenIntervals, delimiter: str, *, has_header: bool) -> None:
        self._intervals, self._delimiter = intervals, delimiter
        self.file, self.stamp = intervals.file, intervals.stamp
        self._header: bytes | None = None if has_header else b""
        """The header; None if it was not read yet, or if there is none, because the file has changed."""

    def _read_header(self, row: int) -> bytes | None:
        """The header before the row at this position. What follows the row may be damaged, and is not read."""
        return _header(lambda size: self._intervals.bytes_at(0, min(size, row)), self._delimiter)

    def read(self, wanted: Sequence[Locator]) -> Iterator[bytes | None]:
        """Yield these rows, without the ends of their lines; None if one is gone."""
        if self._header is None and wanted:
            self._header = self._read_header(wanted[0].start)
        for row in self._intervals.read(wanted):
            yield None if row is None or self._header is None else self._header + row

    def close(self) -> None:
        """Close the file."""
        self._intervals.close()


def _header(beginning_of: Callable[[int], bytes], delimiter: str) -> bytes | None:
    """The header of a file, with the end of its line; None if there is none, because the file has changed.

    beginning_of: returns the first bytes of the file, as many as it is given, or all if it has fewer.
    """
    for size in (1 << 12, 1 << 16, len(codecs.BOM_UTF8) + HEADER_MOST + 1):
        beginning = beginning_of(size)
        header = beginning.removeprefix(codecs.BOM_UTF8)
        end = header_of(header, delimiter, whole=len(beginning) < size)
        if end is not None:
            return header[:end]
    return None


def _names(header: bytes, delimiter: str) -> list[str]:
    """The names of the fields in a header; none if there is no header."""
    return next(parsed_rows([header.strip(b"\r\n")], delimiter), [])


def _given(delimiter: str) -> str:
    """The option with this character, for a message."""
    mark = r"\t" if delimiter == "\t" else delimiter
    return f"--delimiter '{mark}'"


def _numbered(row: Sequence[str]) -> list[str]:
    """The names of the fields of a row in a file without a header."""
    return [str(number) for number in range(1, len(row) + 1)]


def _record(names: list[str], row: list[str], fields: Sequences) -> dict[str, str | None]:
    """The fields of a row by name. names: those of the header, if there is one. DocumentSkipped: malformed."""
    if names and len(row) != len(names):
        raise DocumentSkipped("malformed", f"{counted(len(row), 'field')}, but the header has {len(names):,}")
    record: dict[str, str | None] = dict(zip(names or _numbered(row), row, strict=True))
    if fields.id_field and record.get(fields.id_field) == "":  # the name of the row would be PATH#
        record[fields.id_field] = None
    return record


def parsed_rows(records: Iterable[bytes], delimiter: str) -> Iterator[list[str]]:
    """Yield the fields of each record. None of them is blank or ends within quotes."""
    if csv.field_size_limit() < sys.maxsize:  # a limit for all of Python; records are limited before they are parsed
        csv.field_size_limit(sys.maxsize)
    return csv.reader((record.decode("utf-8", _ERRORS) for record in records), delimiter=delimiter)
