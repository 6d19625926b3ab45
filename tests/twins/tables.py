"""The twin of reading CSV and TSV: Python's `csv.reader` over all lines of a file at once."""

from __future__ import annotations

import csv
import io
from typing import NamedTuple

_LAST = "\1"
"""A row of its own after a text, unless the text ends within quotes."""


class Row(NamedTuple):
    """A row that is not blank: its bytes with their line end, and its cells."""

    raw: bytes
    cells: list[str]

    @property
    def size(self) -> int:
        """The number of its bytes without the line end."""
        return len(self.raw.removesuffix(b"\n").removesuffix(b"\r"))


def rows_of(data: bytes, delimiter: str, *, whole: bool = True) -> tuple[list[Row], bool]:
    """Return the rows that end in this text, and whether the text ends within quotes.

    whole: whether the file ends here. If not, nobody knows what follows, so that the last row ends only with a line
    feed: one might follow a carriage return.
    """
    text = data.decode("utf-8", "surrogateescape")
    rows = _read(text, delimiter)
    is_quoted = _read(f"{text}\n{_LAST}", delimiter)[-1].cells != [_LAST]
    if rows and (is_quoted or not (whole or rows[-1].raw.endswith(b"\n") or not data.endswith(rows[-1].raw))):
        rows.pop()
    return rows, is_quoted


def _read(text: str, delimiter: str) -> list[Row]:
    lines = io.StringIO(text, newline="").readlines()
    reader, found, at = csv.reader(lines, delimiter=delimiter), list[Row](), 0
    for cells in reader:
        raw = "".join(lines[at : reader.line_num]).encode("utf-8", "surrogateescape")
        at = reader.line_num
        if cells:
            found.append(Row(raw, cells))
    return found
