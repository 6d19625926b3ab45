"""Recognise texts whose rows may be documents, so that a warning says how to read them, and files that are no tables.

Prose, code and lists are very rarely taken for a table.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from typing import NamedTuple

from simdocs.model.documents import LIKE_ARRAY, LIKE_CSV, LIKE_LINES, LIKE_SEMICOLONS, LIKE_TSV, Documents
from simdocs.model.skipped import DocumentSkipped, and_more
from simdocs.names import display_name

_LOOKED_AT = 1 << 14
"""Bytes at the beginning of a text that decide what it looks like."""

_LEAST_RECORDS, _LEAST_PAIRS = 3, 5
"""The least records that make a table, and the least if it has two columns, which may also be a list of towns and
countries."""

_USUAL_FIELDS = frozenset(("id", "text", "title", "body", "content", "name", "url", "label", "date", "message"))
"""With one of these in the first row, two rows are a table."""

_SHARE_SPACED = 0.25
"""A comma in prose has a space after it; in a table at most this share of the delimiters has."""


class Lookalike(NamedTuple):
    """A text whose rows may be documents.

    name: what messages call it. flag: the flag of documents whose text looks like it. container: the format that reads
    it. delimiter: the character between its fields, if it is a table.
    """

    name: str
    flag: int
    container: str
    delimiter: str = ""

    @property
    def options(self) -> str:
        """The options that read it, for a message."""
        more = " and --delimiter ';'" if self.delimiter == ";" else ""
        return f"--input-format {self.container}{more}"

    def warning(self, name: bytes, count: int = 1) -> str:
        """The warning that such texts are read as one document each, and what to do. name: of the first."""
        looks = "this looks" if count == 1 else "these look"
        wrong = f"{display_name(name)}{and_more(count)}: {looks} like {self.name}, but is read as one text"
        return f"{wrong}: to read its rows as documents, give {self.options}; if it is one text, --input-format text"


_LINES, _ARRAY = Lookalike("JSON Lines", LIKE_LINES, "jsonl"), Lookalike("a JSON array", LIKE_ARRAY, "json")

_TABLES = (
    Lookalike("TSV", LIKE_TSV, "tsv", "\t"),
    Lookalike("CSV with semicolons", LIKE_SEMICOLONS, "csv", ";"),
    Lookalike("CSV", LIKE_CSV, "csv", ","),
)

LOOKALIKES = (_LINES, _ARRAY, *_TABLES)


class NoTable(DocumentSkipped):
    """A file is named like one with many documents, but is no table with the text field.

    If a walk found it, it is read as one text, unless its name ends in .jsonl.
    why: what is wrong with it. remedy: what to do, beside reading it as one text; may be empty.
    lacks_text: whether it is a table, but without the text field. or_text: whether it may be one text.
    """

    def __init__(self, why: str, remedy: str = "", *, lacks_text: bool = False, or_text: bool = True) -> None:
        self.lacks_text = lacks_text
        remedies = [remedy] * (remedy != "") + ["give --input-format text to read it as one text"] * or_text
        super().__init__("malformed", f"{why}: {', or '.join(remedies)}")


def refuse_no_lines(head: bytes) -> None:
    """Raise NoTable if a file that begins so looks like another table, and no line begins as an object does."""
    if head.lstrip().startswith((b"{", b"[")) or any(line.lstrip().startswith(b"{") for line in head.split(b"\n")):
        return
    if (alike := lookalike_of(flag_of(head))) is not None:
        raise NoTable(f"no line is a JSON object; this looks like {alike.name}", f"give {alike.options}")


def flag_of(text: bytes) -> int:
    """The flag of the table that a text in UTF-8 looks like, or 0. It does not depend on the name of the file."""
    end = text.find(b"\n", 0, _LOOKED_AT)
    begun = text[:1] if text[:1] > b" " else text[:_LOOKED_AT].lstrip()[:1]
    if begun == b"{":
        return LIKE_LINES if looks_like_lines(text) else 0
    if begun == b"[":
        return LIKE_ARRAY if _looks_like_array(text) else 0
    if end < 0:
        return 0
    after = text.find(b"\n", end + 1, _LOOKED_AT)
    quoted = text.find(b'"', 0, after) >= 0
    for table in _TABLES:
        mark = table.delimiter.encode()
        count = text.count(mark, 0, end)
        if (quoted or (count and text.count(mark, end, after if after > 0 else None) == count)) and _is_table(
            text, table.delimiter
        ):
            return table.flag
    return 0


def looks_like_lines(text: bytes) -> bool:
    """Whether the first two lines of a text are JSON objects."""
    lines = text.split(b"\n", 2)
    return len(lines) > 1 and all(map(is_object, lines[:2]))


def is_object(line: bytes) -> bool:
    """Whether a line is a JSON object."""
    try:
        return line.lstrip().startswith(b"{") and isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


_ARRAY_BEGINS = re.compile(rb'\s*\[\s*\{\s*"')


def _looks_like_array(text: bytes) -> bool:
    """Whether a text is a JSON array of objects, or begins so."""
    if _ARRAY_BEGINS.match(text, 0, _LOOKED_AT) is None:
        return False
    try:
        return len(text) > _LOOKED_AT or bool(json.loads(text))
    except (ValueError, RecursionError):
        return False


def _is_table(text: bytes, delimiter: str) -> bool:
    """Whether the first rows of a text have the same number of fields, of which few begin with a space.

    Lines that all end with the delimiter are code, and those that all begin with it are indented.
    """
    lines = io.StringIO(text[:_LOOKED_AT].decode("utf-8", "replace").rstrip("\r\n"), newline="")
    try:
        records = list(csv.reader(lines, delimiter=delimiter))
    except csv.Error:
        return False
    if len(text) > _LOOKED_AT:
        records.pop()  # it may be cut off
    width = len(records[0]) if records else 0
    least = _LEAST_RECORDS if width > 2 else _LEAST_PAIRS
    if records and not _USUAL_FIELDS.isdisjoint(map(str.lower, records[0])):
        least = 2
    if width < 2 or len(records) < least or any(len(row) != width for row in records):
        return False
    later = [field for row in records for field in row[1:]]
    if sum(field.startswith(" ") for field in later) > _SHARE_SPACED * len(later):
        return False
    if not any(row[0].strip() for row in records) or not any(row[-1].strip() for row in records):
        return False
    return width > 2 or any(letter.isalpha() for row in records for field in row for letter in field)


def lookalike_of(flags: int) -> Lookalike | None:
    """The table that a document with these flags looks like, if any."""
    return next((lookalike for lookalike in LOOKALIKES if flags & lookalike.flag), None)


def looking_like(documents: Documents) -> Iterator[tuple[str, int]]:
    """Yield the name of each table that documents look like, and how many of them do."""
    for lookalike in LOOKALIKES:
        if count := documents.flagged(lookalike.flag):
            yield lookalike.name, count
