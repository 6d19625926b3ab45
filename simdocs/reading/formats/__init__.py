"""Formats of files that hold many documents. Each is one generator of rows, beside what writes its rows.

A new format is a file here with a function like `read_lines`, a case below, and an entry in `CONTAINERS` of
`options/families.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from simdocs.model.ragged import Index, Mask
from simdocs.options.families import COMPRESSIONS, CONTAINERS, compression_of
from simdocs.options.recipes import Sequences

if TYPE_CHECKING:
    from simdocs.reading.batches import FileRows
    from simdocs.reading.file_list import FileList
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
