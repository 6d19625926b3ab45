"""CSV and TSV: tables whose first row names the fields. Rows are read as Python's `csv.reader` does; all is text."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable, Iterator, Sequence

from simdocs.corpora.containers.container import ContainerFile, Locator, OneText, Part, PartDocuments
from simdocs.corpora.containers.fields import add_row, listed, without_texts
from simdocs.corpora.containers.lines import parts_of
from simdocs.corpora.containers.recognise import is_object
from simdocs.corpora.containers.records import RecordCutter, header_of, records_in
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

    def _between(self, fields: Sequences) -> str:
        """The character between fields."""
        return fields.delimiter or self._delimiter

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
