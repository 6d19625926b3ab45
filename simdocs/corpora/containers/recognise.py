"""Recognise containers by their names, and by their first rows texts that look like one but are read as one text.

Prose, code and lists are very rarely taken for a table.
"""

from __future__ import annotations

import codecs
import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from simdocs.model.documents import LIKE_ARRAY, LIKE_CSV, LIKE_LINES, LIKE_SEMICOLONS, LIKE_TSV, Documents
from simdocs.model.ragged import Mask
from simdocs.names import display_name
from simdocs.options.file_formats import (
    COMPRESSIONS,
    CONTAINERS,
    compression_of,
)
from simdocs.options.texts import Sequences

if TYPE_CHECKING:
    from simdocs.corpora.file_list import FileList


def format_of(name: bytes, fields: Sequences) -> str:
    """The container format of a file with this name; empty if the file is one document."""
    if fields.plain or fields.input_format:
        return "" if fields.plain else str(fields.input_format)
    return format_named(name)


def format_named(name: bytes) -> str:
    """The container format that the suffix of a name says, in small or capital letters; empty if it says none."""
    lower = name.lower()
    return next((known for known, ends in _endings() if lower.endswith(ends)), "")


def formats_of(found: FileList, fields: Sequences) -> tuple[NDArray[np.int8], list[str]]:
    """The container format of each file, as a number of one byte because there may be millions; the formats by number.

    Files that are one document have the number 0.
    """
    meanings = ["", *CONTAINERS]
    if fields.plain or fields.input_format:
        numbers = np.full(len(found.names), meanings.index(format_of(b"", fields)), np.int8)
    else:
        numbers = np.zeros(len(found.names), np.int8)
        for number, (_, ends) in enumerate(_endings(), 1):
            numbers[found.names.that_end_with(ends)] = number
    numbers[list(found.held)] = 0
    for row, known in found.held_in.items():
        numbers[row] = meanings.index(known)
    return numbers, meanings


def are_limited_whole(found: FileList, fields: Sequences) -> Mask:
    """Whether the largest size of a document is that of the whole file, for each file: (N,)."""
    numbers, meanings = formats_of(found, fields)
    known = np.array([bool(name) and CONTAINERS[name].is_limited_whole for name in meanings])
    return known[numbers]


def format_of_document(path: bytes, fields: Sequences) -> str:
    """The container format of a file that is known to be a container. The name of standard input does not show it."""
    return format_of(path, fields) or "jsonl"


def needed_by(names: Iterable[bytes], fields: Sequences) -> Iterator[tuple[bytes, tuple[str, str]]]:
    """Yield each of these files that needs an optional library, with the module and what it is needed for."""
    needy = tuple(end for member in CONTAINERS.values() if member.needs for end in member.endings)
    needy += tuple(member.suffix for member in COMPRESSIONS.values() if member.needs)
    for name in names:
        if not (fields.input_format or name.lower().endswith(needy)):
            continue
        known, compression = format_of(name, fields), compression_of(name)
        for member in (CONTAINERS[known] if known else None, COMPRESSIONS[compression] if compression else None):
            if member is not None and member.needs:
                yield name, member.needs


def _endings() -> list[tuple[str, tuple[bytes, ...]]]:
    """Each container format, and how the names of its files end."""
    return [(name, member.endings) for name, member in CONTAINERS.items()]


LOOKED_AT = 1 << 17
"""Bytes at the beginning of a text that decide what it looks like."""

_LEAST_RECORDS, _LEAST_PAIRS = 3, 5
"""The least records that make a table, and the least if it has two columns, which may also be a list of towns and
countries."""

_USUAL_FIELDS = frozenset(("id", "text", "title", "body", "content", "name", "url", "label", "date", "message"))
"""With one of these in the first row, two rows are a table."""

_FIRST_LINES = 1 << 9
"""Bytes whose lines are compared before a text is read as rows, which takes five times as long."""

_SHARE_SPACED = 0.25
"""A comma in prose has a space after it; in a table at most this share of the delimiters has."""


class Lookalike:
    """A text whose rows may be documents.

    name: what messages call it.
    flag: the flag of documents whose text looks like it.
    mark: what such a text begins with, or has in its first line unless there is a quote. Most texts have it in neither.
    looks: whether the beginning of a text in UTF-8 looks like it, given whether that is the whole text.
    container: the format that reads it.
    delimiter: the character between its fields, if that is not the usual one of the format.
    """

    def __init__(
        self,
        name: str,
        flag: int,
        mark: bytes,
        looks: Callable[[bytes, bool], bool],
        container: str,
        *,
        delimiter: str = "",
    ) -> None:
        self.name, self.flag, self.mark, self.looks = name, flag, mark, looks
        self.container, self.delimiter = container, delimiter

    @property
    def options(self) -> str:
        """The options that read it, for a message."""
        options = f"--input-format {self.container}"
        return f"{options} and --delimiter '{self.delimiter}'" if self.delimiter else options

    def warning(self, name: bytes) -> str:
        """The warning that such a text is read as one document, and what to do."""
        wrong = f"{display_name(name)}: this looks like {self.name}, but is read as one text"
        return f"{wrong}: to read its rows as documents, give {self.options}; if it is one text, --input-format text"


def looks_like_lines(text: bytes, _whole: bool) -> bool:
    """Whether the first two lines of a text are JSON objects."""
    first = text.find(b"\n") + 1
    second = text.find(b"\n", first) if first else -1
    return first > 0 and all(map(is_object, (text[:first], text[first : second if second > 0 else len(text)])))


def is_object(line: bytes) -> bool:
    """Whether a line is a JSON object."""
    if not line.lstrip().startswith(b"{"):
        return False
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


_FIRST_FIELD = re.compile(r'\{\s*"[^"]*"\s*:')
"""The beginning of a JSON object."""


def looks_like_array(text: bytes, whole: bool) -> bool:
    """Whether a text is a JSON array of objects."""
    if not text.lstrip().startswith(b"["):
        return False
    rest = text.decode("utf-8", "replace").lstrip()[1:].lstrip()
    if not rest.startswith("{"):
        return False
    try:
        _, end = json.JSONDecoder().raw_decode(rest)
    except (ValueError, RecursionError):
        return not whole and _FIRST_FIELD.match(rest) is not None
    after = rest[end:].lstrip()
    return (after.startswith("]") and not after[1:].strip()) or (
        after.startswith(",") and after[1:].lstrip().startswith("{")
    )


def looks_like_table(text: bytes, whole: bool, delimiter: str) -> bool:
    """Whether the first rows of a text have the same number of fields, of which few begin with a space.

    Lines that all end with the delimiter are code, and those that all begin with it are indented.
    """
    mark = delimiter.encode()
    if not _may_be_table(text, mark):
        return False
    records = list[list[str]]()
    try:
        for row in _records(text, whole, delimiter):
            if records and len(row) != len(records[0]):
                return False
            records.append(row)
    except csv.Error:
        return False
    width = len(records[0]) if records else 0
    least = _LEAST_RECORDS if width > 2 else _LEAST_PAIRS
    if records and not _USUAL_FIELDS.isdisjoint(map(str.lower, records[0])):
        least = 2
    if width < 2 or len(records) < least:
        return False
    later = [field for row in records for field in row[1:]]
    if sum(field.startswith(" ") for field in later) > _SHARE_SPACED * len(later):
        return False
    if not any(row[0].strip() for row in records) or not any(row[-1].strip() for row in records):
        return False
    return width > 2 or any(letter.isalpha() for row in records for field in row for letter in field)


def _may_be_table(text: bytes, mark: bytes) -> bool:
    """Whether the first lines have the same number of delimiters. This decides most texts.

    A field between quotes may have delimiters and line feeds, and a carriage return may end a row, too.
    """
    end = text.find(b"\n")
    if end < 0 or text.find(mark, 0, end) < 0:
        return end >= 0 and text.find(b'"', 0, end) >= 0 and mark in text
    first, after = text[:end], text.find(b"\n", end + 1)
    second = text[end + 1 :] if after < 0 else text[end + 1 : after]
    if b'"' in first or b'"' in second or after < 0 or (b"\r" in first[:-1] and not second.strip()):
        return True
    count, begin = first.count(mark), text[:_FIRST_LINES]
    if second.count(mark) != count:
        return False
    if b'"' in begin or b"\r" in begin:
        return True
    return all(line.count(mark) == count for line in begin.split(b"\n")[2:-1] if line)


def _records(text: bytes, whole: bool, delimiter: str) -> Iterator[list[str]]:
    """Yield the rows without blank ones at the end, and without the last one if it may be cut off.

    csv.Error: the text cannot be read as rows.
    """
    lines = text.decode("utf-8", "replace")
    held: list[str] | None = None
    for row in csv.reader(io.StringIO(lines.rstrip("\r\n") if whole else lines, newline=""), delimiter=delimiter):
        if held is not None:
            yield held
        held = row
    if held is not None and whole:
        yield held


def _table(name: str, flag: int, container: str, delimiter: str, *, usual: bool = True) -> Lookalike:
    looks = partial(looks_like_table, delimiter=delimiter)
    return Lookalike(name, flag, delimiter.encode(), looks, container, delimiter="" if usual else delimiter)


LOOKALIKES = (
    Lookalike("JSON Lines", LIKE_LINES, b"{", looks_like_lines, "jsonl"),
    Lookalike("a JSON array", LIKE_ARRAY, b"[", looks_like_array, "json"),
    _table("TSV", LIKE_TSV, "tsv", "\t"),
    _table("CSV with semicolons", LIKE_SEMICOLONS, "csv", ";", usual=False),
    _table("CSV", LIKE_CSV, "csv", ","),
)
"""Texts whose rows may be documents. The first that a text looks like counts."""

_MARKS = (*dict.fromkeys(lookalike.mark for lookalike in reversed(LOOKALIKES)), b'"')
"""What at least one of is in the first line, or the first character, of a text that looks like one of them. A comma,
which is the most frequent, comes first."""


_BEFORE_JSON, _DELIMITERS = b"{[ \t\n\r\f\v", tuple(mark for mark in _MARKS if mark not in (b"{", b"[", b'"'))
"""The first bytes of texts that may be JSON, and what may be between the fields of a table."""


def _is_prose(first: bytes, text: bytes, end: int) -> bool:
    """Whether the first two lines show that a text looks like no container. Of most texts they do.

    first: its first line. end: where that ends in the text, or 0.
    """
    after = text.find(b"\n", end)
    if not end or after < 0 or first[0] in _BEFORE_JSON or first.find(b"\r", 0, -2) >= 0:
        return False
    for delimiter in _DELIMITERS:
        if (count := first.count(delimiter)) and text.count(delimiter, end, after) == count:
            return False
    return b'"' not in first and text.find(b'"', end, after) < 0


def flag_of(text: bytes) -> int:
    """The flag of the container that a text in UTF-8 looks like, or 0. It does not depend on the name of the file."""
    head, whole = text[:LOOKED_AT].removeprefix(codecs.BOM_UTF8), len(text) <= LOOKED_AT
    end = head.find(b"\n") + 1
    begin = head[:end] or head[:1]
    if _is_prose(begin, head, end):
        return 0
    if begin[:1].isspace():
        begin = head.lstrip()[:1] + begin
    for mark in _MARKS:  # a search for one byte takes a twentieth of the time of a search for any of several
        if mark in begin:
            break
    else:
        return 0
    quoted = b'"' in begin
    for lookalike in LOOKALIKES:
        if (quoted or lookalike.mark in begin) and lookalike.looks(head, whole):
            return lookalike.flag
    return 0


def lookalike_of(flags: int) -> Lookalike | None:
    """The container that a document with these flags looks like, if any."""
    return next((lookalike for lookalike in LOOKALIKES if flags & lookalike.flag), None)


def looking_like(documents: Documents) -> Iterator[tuple[str, int]]:
    """Yield the name of each container that documents look like, and how many of them do."""
    for lookalike in LOOKALIKES:
        if count := documents.flagged(lookalike.flag):
            yield lookalike.name, count
