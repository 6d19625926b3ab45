"""Formats of files that hold many documents. Each is one generator of rows, beside what writes its rows.

A new format is a file here with a function like `read_lines`, a case below, and an entry in `CONTAINERS` of
`options/families.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from simdocs.model.ragged import Index
from simdocs.options.recipes import Sequences

if TYPE_CHECKING:
    from simdocs.reading.batches import FileRows
    from simdocs.reading.files import Source
    from simdocs.reading.formats.lines import FileLines

    Format = Callable[[Source, str, Sequences, Index | None], Iterator[FileLines] | Iterator[FileRows]]


def reader_of(form: str) -> Format:
    """The generator of the rows of files in this format: see `read_lines` of `lines.py`."""
    match form:
        case "json":
            from simdocs.reading.formats.json_array import read_array

            return read_array
        case "csv" | "tsv":
            from simdocs.reading.formats.delimited import read_rows

            return read_rows
        case "parquet" | "arrow":
            from simdocs.reading.formats.tables import read_table

            return read_table
    from simdocs.reading.formats.lines import read_lines

    return read_lines


def refuse_other(form: str, head: bytes, fields: Sequences) -> None:
    """Raise NoTable if a file that begins with these bytes is none of this format with the text fields."""
    match form:
        case "json":
            from simdocs.reading.formats.json_array import check

            check(head, fields)
        case "csv" | "tsv":
            from simdocs.reading.formats.delimited import check as check_header

            check_header(head, form, fields)
        case "jsonl":
            from simdocs.reading.decode import refuse_no_lines

            refuse_no_lines(head)
