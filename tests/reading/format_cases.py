"""The same rows in each format that is read as rows."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, NamedTuple

from tests.reading.arrow_files import as_arrow_file, as_arrow_stream, as_parquet

Row = dict[str, Any]

FERRY = "The ferry leaves the northern quay at seven every morning, except on Sundays, when it leaves at nine"
ROWS: list[Row] = [
    {"id": "a", "text": FERRY},
    {"id": "b", "text": f"{FERRY} or at ten"},
    {"id": "c", "text": "Peel the apples and cut them into eighths, then rub the butter into the flour"},
]
"""Three rows, of which the first two are near-duplicates."""


class Format(NamedTuple):
    """A format of tables.

    container: the member of the family that reads it.
    suffix: how the names of its files end.
    of_table: makes a file of a table of pyarrow, or of rows if the format is none of pyarrow.
    """

    container: str
    suffix: str
    of_table: Callable[[Any], bytes]


def json_lines(rows: Sequence[Row]) -> bytes:
    """One object on each line."""
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def json_array(rows: Sequence[Row]) -> bytes:
    """An array of objects."""
    return json.dumps(rows, indent=1).encode()


def delimited(delimiter: str) -> Callable[[Sequence[Row]], bytes]:
    """A function that writes a header and rows, with quotes around all that is no number."""

    def write(rows: Sequence[Row]) -> bytes:
        out = io.StringIO()
        writer = csv.writer(out, delimiter=delimiter, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
        out.write(delimiter.join(rows[0] if rows else ROWS[0]) + "\n")
        writer.writerows(row.values() for row in rows)
        return out.getvalue().encode()

    return write


FORMATS = {
    "jsonl": Format("jsonl", ".jsonl", json_lines),
    "json": Format("json", ".json", json_array),
    "csv": Format("csv", ".csv", delimited(",")),
    "tsv": Format("tsv", ".tsv", delimited("\t")),
    "parquet": Format("parquet", ".parquet", as_parquet),
    "arrow": Format("arrow", ".arrow", as_arrow_file),
    "stream": Format("arrow", ".arrow", as_arrow_stream),
}

JSON, ARROW = ("jsonl", "json"), ("parquet", "arrow", "stream")


def file_of(name: str, rows: Sequence[Row]) -> bytes:
    """A file of some rows in one of the formats. All rows have the fields of the first one."""
    if name not in ARROW:
        return FORMATS[name].of_table(rows)
    arrow = import_module("pyarrow")
    empty = {field: arrow.array([], arrow.string()) for field in ROWS[0]}
    return FORMATS[name].of_table(arrow.Table.from_pylist(list(rows)) if rows else arrow.table(empty))
