"""The twin of the output formats."""

from __future__ import annotations

import base64
import csv
import io
import json
import os
from collections.abc import Sequence
from pathlib import PurePath
from typing import Any

from tests.twins.corpus import Options

Cells = tuple[Any, ...]
"""The cells of a row: names as bytes, numbers of groups, similarities as floats or None."""


def form_of(options: Options) -> str:
    """Return the name of the format. Into a pipe or a file, it is TSV unless an option says otherwise."""
    suffix = PurePath(os.fsdecode(options["output"] or b"")).suffix.removeprefix(".")
    return options["format"] or (suffix if suffix in ("table", "tsv", "jsonl", "csv") else "tsv")


def drawn(options: Options, columns: Sequence[str], rows: Sequence[Cells]) -> bytes:
    """Return the bytes of an answer."""
    form = form_of(options)
    if options["nul"]:
        return b"".join(row[0] + b"\0" for row in rows)
    if columns == ("line",):
        return b"".join(row[0] + b"\n" for row in rows)
    if form == "jsonl":
        return b"".join(_object(columns, row) for row in rows)
    if form == "csv":
        page = io.StringIO(newline="")
        csv.writer(page).writerows([columns, *([_plain(cell) for cell in row] for row in rows)])
        return page.getvalue().encode("utf-8", "surrogateescape")
    assert form == "tsv", "a table is for people"
    lines = ["\t".join(map(_escaped, row)) + "\n" for row in rows]
    heading = "\t".join(columns) + "\n" if options["header"] else ""
    return (heading + "".join(lines)).encode("utf-8", "surrogateescape")


def _plain(cell: Any) -> str:
    if isinstance(cell, bytes):
        return cell.decode("utf-8", "surrogateescape")
    if isinstance(cell, int):
        return str(cell)
    return "" if cell is None else f"{cell:.6f}"


def _escaped(cell: Any) -> str:
    spelt = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"}
    return "".join(spelt.get(character, character) for character in _plain(cell))


def _object(columns: Sequence[str], row: Cells) -> bytes:
    members = []
    for key, cell in zip(columns, row, strict=True):
        if not isinstance(cell, bytes):
            members.append(f'"{key}": {_plain(cell) or "null"}')
            continue
        try:
            members.append(f'"{key}": {json.dumps(cell.decode(), ensure_ascii=False)}')
        except UnicodeDecodeError:
            members.append(f'"{key}_b64": "{base64.b64encode(cell).decode()}"')
    return ("{" + ", ".join(members) + "}\n").encode()
