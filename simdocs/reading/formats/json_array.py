"""JSON arrays: files that are one array of objects. A file is read whole, because only its end shows that it is one."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from simdocs.model.ragged import Index
from simdocs.model.skipped import DocumentSkipped
from simdocs.options.recipes import Sequences
from simdocs.reading.batches import FileRow, FileRows, fields_of, has_text, no_text, rows_of
from simdocs.reading.decode import NoTable, looks_like_lines, transcoded
from simdocs.reading.files import LOOKED_AT, Source
from simdocs.reading.formats.lines import what_is_wrong

_SPACES = re.compile("[ \t\n\r]*")

_INVALID = re.compile("[\udc80-\udcff]")
"""Bytes that are not UTF-8, as they are decoded."""

_CUT_OFF = "the file ends before the array does"

_decode = json.JSONDecoder().raw_decode


def check(head: bytes, fields: Sequences) -> None:
    """Raise NoTable unless a file that begins so may be an array of objects with the text fields."""
    text = head.decode("utf-8", "surrogateescape")
    begun = text[_after(text, 0) :]
    if begun.startswith("{"):
        if looks_like_lines(head.lstrip()):
            lines_of = "give --input-format jsonl to read each line as a document"
            raise NoTable("this is not a JSON array, but looks like JSON Lines", lines_of)
        remedy = "make it an array, or give --input-format jsonl if it is one row on one line"
        raise NoTable("this begins like a JSON object, and not like an array of objects", remedy)
    if begun and not begun.startswith("["):
        raise NoTable("this is not JSON in UTF-8")
    there, found = "", 0
    try:
        for value, *_ in _elements(text):
            found += 1
            if isinstance(value, dict):
                if has_text(value, fields):
                    return
                there = there or fields_of(value)
    except DocumentSkipped as skip:
        if len(head) < LOOKED_AT and not there:
            raise NoTable(f"this is not a JSON array ({skip.detail})") from None
        if not found:
            return
    if there:
        raise NoTable(*no_text("object", fields, there), lacks_text=True)
    if found:
        raise NoTable("this is a JSON array without objects")


def read_array(source: Source, form: str, fields: Sequences, wanted: Index | None = None) -> Iterator[FileRows]:
    """Yield the rows of a file, or those with the wanted numbers. Elements that are no objects are malformed."""
    return rows_of(source, form, _rows(source, fields), wanted)


def _rows(source: Source, fields: Sequences) -> Iterator[FileRow]:
    text = transcoded(source.whole(), fields.encoding).decode("utf-8", "surrogateescape")
    is_valid = _INVALID.search(text) is None
    for value, begin, end in _elements(text):
        wrong = "" if isinstance(value, dict) else "not a JSON object"
        if not is_valid and _INVALID.search(text, begin, end):
            wrong = "not UTF-8"
        yield DocumentSkipped("malformed", wrong) if wrong else value, end - begin
        source.at = source.stamp.size * end // len(text)


def elements(data: bytes) -> Iterator[bytes]:
    """Yield the elements of an array as they are. DocumentSkipped (malformed): it is damaged from here on."""
    text = data.decode("utf-8", "surrogateescape")
    for _, begin, end in _elements(text):
        yield text[begin:end].encode("utf-8", "surrogateescape")


def _elements(text: str) -> Iterator[tuple[Any, int, int]]:
    """Yield the elements of an array, each with its begin and end. DocumentSkipped (malformed): it is damaged."""
    at = _after(text, 0)
    if at == len(text):
        return  # there is nothing at all
    wrong, end = "not an array", at
    if text.startswith("[", at):
        at = _after(text, at + 1)
        more = not text.startswith("]", at)
        while more:
            try:
                value, end = _decode(text, at)
            except json.JSONDecodeError as error:
                if error.pos >= len(text) or error.msg.startswith("Unterminated"):
                    raise DocumentSkipped("malformed", _CUT_OFF) from None
                raise _not_json(what_is_wrong(error), text, error.pos) from None
            except RecursionError:
                raise DocumentSkipped("malformed", "nested too deeply") from None
            except ValueError:
                raise DocumentSkipped("malformed", "a number of too many digits") from None
            yield value, at, end
            at = _after(text, end)
            more = text.startswith(",", at)
            at = _after(text, at + 1) if more else at
        if text.startswith("]", at):
            at = _after(text, at + 1)
            if at == len(text):
                return
            wrong = "the file goes on after the end of the array"
        else:
            wrong = "neither a comma nor the end of the array after an object"
            if at == len(text):
                raise DocumentSkipped("malformed", _CUT_OFF)
    raise _not_json(wrong, text, at)


def _not_json(wrong: str, text: str, at: int) -> DocumentSkipped:
    """The error that this is wrong at a position, which it gives as a line and a character of it, from 1."""
    line, column = text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
    return DocumentSkipped("malformed", f"not JSON: {wrong}, line {line}, column {column}")


def _after(text: str, at: int) -> int:
    """The position of the next character that is no space."""
    found = _SPACES.match(text, at)
    assert found is not None, "spaces may be none"
    return found.end()
