"""JSON Lines: files with a JSON object on each line. One field is the text, and another may be the id."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any

from simdocs.corpora.containers.container import ContainerFile, Locator, Part, PartDocuments, WithoutTexts
from simdocs.corpora.containers.fields import add_row
from simdocs.corpora.containers.lines import parts_of_lines
from simdocs.corpora.containers.recognise import flag_of, lookalike_of
from simdocs.corpora.files import too_large
from simdocs.model.skipped import DocumentSkipped, Skip
from simdocs.options.texts import Sequences

_ARRAY = "an array: JSON Lines have one object on each line, and --input-format json reads an array"


class JsonLines:
    """JSON Lines as a member of the family: see Container."""

    noun = "line"

    def parts(self, file: ContainerFile, fields: Sequences) -> Iterator[Part]:
        """Cut a file into parts of whole lines. Raises WithoutTexts: it is no JSON Lines, but looks like a table."""
        for part in parts_of_lines("jsonl", file):
            if part.first == 1 and fields.text_field:
                refuse_other_text(part.data)
            yield part

    def documents(self, part: Part, fields: Sequences) -> PartDocuments:
        """Read the documents of a part. Blank lines are neither documents nor skipped."""
        found = PartDocuments()
        if not part.data and part.extent and (part.wanted is None or part.first in part.wanted):
            skip = too_large(part.extent, part.limit)
            found.skips += [Skip(skip.reason, part.name, skip.detail, part.first)] if skip else []
        each = part.data.split(b"\n")
        if not each[-1]:
            del each[-1]
        start = part.start
        for number, line in enumerate(each, part.first):
            if part.wanted is None or number in part.wanted:
                try:
                    if skip := too_large(len(line), part.limit):
                        raise skip
                    if line.strip():
                        where = Locator(start, len(line), number)
                        add_row(found, _object_on(line), where, part.name, self.noun, fields)
                except DocumentSkipped as skip:
                    found.skips.append(Skip(skip.reason, part.name, sys.intern(skip.detail), number))  # most are alike
            start += len(line) + 1
        return found


JSON_LINES = JsonLines()


def _object_on(data: bytes) -> dict[str, Any]:
    """The object on a line. Raises DocumentSkipped: malformed; it says what reads an array."""
    try:
        value = json_value(data)
    except DocumentSkipped as skip:
        if skip.detail.startswith("not JSON") and data.lstrip().startswith(b"["):
            raise DocumentSkipped("malformed", f"the beginning of {_ARRAY}") from None
        raise
    if isinstance(value, list):
        raise DocumentSkipped("malformed", _ARRAY)
    return _object(value)


def refuse_other_text(data: bytes) -> None:
    """Raise WithoutTexts if the first lines of a file are a table, and none of them begins as an object does."""
    if data.lstrip().startswith((b"{", b"[")) or any(line.lstrip().startswith(b"{") for line in data.split(b"\n")):
        return
    if (alike := lookalike_of(flag_of(data))) is not None:
        raise WithoutTexts("malformed", f"no line is a JSON object; this looks like {alike.name}: give {alike.options}")


def json_object(data: bytes) -> dict[str, Any]:
    """The object that some JSON in UTF-8 describes. Raises DocumentSkipped: malformed."""
    return _object(json_value(data))


def _object(value: Any) -> dict[str, Any]:
    """A value of JSON that is an object. Raises DocumentSkipped: malformed."""
    if not isinstance(value, dict):
        raise DocumentSkipped("malformed", "not a JSON object")
    return value


def what_is_wrong(error: json.JSONDecodeError) -> str:
    """What the json module says, without the end that leads to a position."""
    return error.msg.rstrip(": ").removesuffix(" starting at")


_raw_decode = json.JSONDecoder().raw_decode
"""Reads a value without looking for whitespace around it, of which most lines have none."""


def json_value(data: bytes) -> Any:
    """The value that some JSON in UTF-8 describes. Raises DocumentSkipped: malformed."""
    try:
        text = data.decode("utf-8")
        try:
            value, end = _raw_decode(text)
        except json.JSONDecodeError:
            end = -1
        return value if end == len(text) else json.loads(text)
    except UnicodeDecodeError:
        raise DocumentSkipped("malformed", "not UTF-8") from None
    except json.JSONDecodeError as error:
        raise DocumentSkipped("malformed", f"not JSON: {what_is_wrong(error)}, column {error.colno}") from None
    except RecursionError:
        raise DocumentSkipped("malformed", "nested too deeply") from None
    except ValueError:
        raise DocumentSkipped("malformed", "a number of too many digits") from None
