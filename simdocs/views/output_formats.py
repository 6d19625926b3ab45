"""Formats: an answer as bytes. One function a format, and their table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from simdocs.model.answers import LINE, NAME, SIMILARITY, Answer, Cell, Column
from simdocs.model.names import harmless_text
from simdocs.views.table import table

_TSV_ESCAPES = ((b"\\", b"\\\\"), (b"\t", b"\\t"), (b"\n", b"\\n"), (b"\r", b"\\r"))


def plain(cell: Cell, column: Column) -> bytes:
    """A cell as bytes: a name as it is, a similarity with six digits, nothing for None."""
    if cell is None:
        return b""
    if isinstance(cell, bytes):
        return cell
    return (f"{cell:.6f}" if column.kind == SIMILARITY else str(cell)).encode()


def escaped(name: bytes) -> bytes:
    r"""A name for TSV: backslash, tab, line feed and carriage return as \\ \t \n \r, reversibly."""
    for raw, escape in _TSV_ESCAPES:
        if raw in name:
            name = name.replace(raw, escape)
    return name


def tsv(answer: Answer, header: bool) -> Iterator[bytes]:
    """Fields between tabs, names escaped."""
    if header:
        yield b"\t".join(column.name.encode() for column in answer.columns) + b"\n"
    for block in answer.blocks:
        lines = [
            b"\t".join(escaped(plain(cell, column)) for cell, column in zip(row, answer.columns, strict=True))
            for row in block
        ]
        yield b"".join(line + b"\n" for line in lines)


def csv(answer: Answer, header: bool) -> Iterator[bytes]:  # noqa: ARG001  (RFC 4180 files begin with one, always)
    """RFC 4180: CRLF, quotes doubled, always a header."""
    yield b",".join(column.name.encode() for column in answer.columns) + b"\r\n"
    for block in answer.blocks:
        yield b"".join(
            b",".join(_quoted(plain(cell, column)) for cell, column in zip(row, answer.columns, strict=True)) + b"\r\n"
            for row in block
        )


def _quoted(field: bytes) -> bytes:
    if any(mark in field for mark in (b",", b'"', b"\n", b"\r")):
        return b'"' + field.replace(b'"', b'""') + b'"'
    return field


def jsonl(answer: Answer, header: bool) -> Iterator[bytes]:  # noqa: ARG001  (every object names its fields)
    """One JSON object a line; a name that is not UTF-8 under its key and _b64; lines of JSON as they are."""
    if answer.columns[0].kind == LINE:
        for block in answer.blocks:
            yield b"".join(plain(row[0], answer.columns[0]) + b"\n" for row in block)
        return
    for block in answer.blocks:
        yield b"".join(
            b"{" + b", ".join(_member(cell, column) for cell, column in zip(row, answer.columns, strict=True)) + b"}\n"
            for row in block
        )


def _member(cell: Cell, column: Column) -> bytes:
    import json  # here, since the table below is asked for its names by every run, and --help need not wait

    key = column.name
    if column.kind == NAME and isinstance(cell, bytes):
        try:
            value = json.dumps(cell.decode("utf-8"), ensure_ascii=False)
        except UnicodeDecodeError:
            import base64

            key, value = f"{key}_b64", json.dumps(base64.b64encode(cell).decode("ascii"))
        return f'"{key}": {value}'.encode()
    return f'"{key}": '.encode() + (plain(cell, column) or b"null")


def harmless(drawn: bytes, *, json: bool) -> bytes:
    """The same for a terminal: controls, bidi controls and raw bytes escaped; line ends and tabs are the format's."""
    lines = drawn.decode("utf-8", "backslashreplace").split("\n")
    return "\n".join(
        "\t".join(harmless_text(field, json=json) for field in line.split("\t")) for line in lines
    ).encode()


def names_nul_ended(answer: Answer) -> Iterator[bytes]:
    """The first column raw, each name ended by NUL."""
    for block in answer.blocks:
        yield b"".join(plain(row[0], answer.columns[0]) + b"\0" for row in block)


@dataclass(frozen=True, slots=True)
class Format:
    """A member of the family: the function that draws (answer, whether with a header)."""

    draw: Callable[[Answer, bool], Iterator[bytes]]


TSV = Format(tsv)
JSONL = Format(jsonl)
CSV = Format(csv)
TABLE = Format(lambda answer, _: table(answer, colored=False))
