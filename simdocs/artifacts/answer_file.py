"""The file of a saved answer: a head, a line for each duplicate, and an end with a checksum. See docs/formats.md."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, BinaryIO

from simdocs.artifacts.manifest import group_of, recipe_of, refuse_other_unicode
from simdocs.errors import ArtifactError, InputError
from simdocs.model.artifact import damaged
from simdocs.model.groups import FORMAT, SUFFIX, VERSION, Deduplication, SavedAnswer, SavedDocument, SavedPair
from simdocs.names import display_name, name_for_json, name_from_json
from simdocs.options.answers import Grouping
from simdocs.options.recipes import Banding, SignatureRecipe

_REMEDY = "write the answer again with simdocs dedupe"

_SAVED = f"write one with simdocs dedupe DOCS -o NAME.{SUFFIX}"

_WRONG = (ValueError, ArithmeticError, LookupError, TypeError, AttributeError, RecursionError)
"""The errors of looking into JSON that is not what we write."""

_BEGINNING = f'{{"format": "{FORMAT}", "version": '.encode()
"""How every answer begins, of any version."""

_LONGEST_HEAD, _LONGEST = 1 << 28, 1 << 24
"""Bytes of the longest line that is read: of the first one, which has every argument, and of the others."""

_SIDES = ("kept", "duplicate")


def lines_of(result: Deduplication) -> Iterator[bytes]:
    """Yield the lines of the file that saves a result. Equal answers have equal bytes."""
    answer = result.saved()
    known = hashlib.sha256(head := _line(answer.head))
    yield head
    for pair in answer.pairs():
        known.update(line := _line(_row(pair)))
        yield line
    yield _line({"rows": answer.duplicates, "checksum": known.hexdigest()})


def _line(value: Mapping[str, Any]) -> bytes:
    # What was not UTF-8 in a pattern is a lone surrogate, which is a valid escape in JSON.
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"


def _row(pair: SavedPair) -> dict[str, Any]:
    row: dict[str, Any] = {**name_for_json("kept", pair.kept.name), **name_for_json("duplicate", pair.duplicate.name)}
    row["jaccard"] = None if pair.jaccard is None else round(pair.jaccard, 6)
    row |= {"estimate": round(pair.estimate, 6), "group": pair.group}
    for side, (_, *values) in zip(_SIDES, pair[:2], strict=True):
        row |= {f"{side}_{name}": value for name, value in zip(SavedDocument._fields[1:], values, strict=True)}
    return row


def read_answer(path: bytes) -> SavedAnswer:
    """Open a saved answer, and compare its checksum. Its pairs are read when they are asked for.

    InputError: it cannot be read. ArtifactError: it is damaged, or has another version or other Unicode tables.
    """
    name = display_name(path)
    with _opened(path, name) as file:
        before = _state(file)
        head = file.read(len(_BEGINNING))
        if not head:
            raise damaged(name, "an empty file (an interrupted write?)", _REMEDY)
        if head != _BEGINNING:
            raise ArtifactError(f"{name}: this is not a saved answer: {_SAVED}")
        head += file.readline(_LONGEST_HEAD)
        answer = _of_head(head, name, lambda: _pairs(path, answer, before))
        known, rows, last = hashlib.sha256(head), 0, b""
        for line in iter(lambda: file.readline(_LONGEST), b""):
            if last:
                known.update(last)
                rows += 1
            last = line
            if not line.endswith(b"\n"):
                break
        if rows != answer.duplicates or last != _line({"rows": rows, "checksum": known.hexdigest()}):
            raise damaged(name, "its last line is missing, or does not fit the others (an interrupted copy?)", _REMEDY)
    return answer


@contextmanager
def _opened(path: bytes, name: str) -> Iterator[BinaryIO]:
    """Open a regular file for reading lines. InputError: it cannot be read."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise InputError(f"{name}: {error.strerror}") from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise InputError(f"{name}: this is not a file, but a saved answer is: {_SAVED}")
    with os.fdopen(descriptor, "rb") as file:
        yield file


def _state(file: BinaryIO) -> tuple[int, ...]:
    status = os.fstat(file.fileno())
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def _pairs(path: bytes, answer: SavedAnswer, before: tuple[int, ...]) -> Iterator[SavedPair]:
    with _opened(path, answer.name) as file:
        if _state(file) != before:
            raise InputError(f"{answer.name}: changed while it was read: run again")
        file.readline()
        for number in range(answer.duplicates):
            try:
                row = json.loads(file.readline())
                kept, duplicate = (_document(row, side, answer) for side in _SIDES)
                pair = SavedPair(kept, duplicate, row["jaccard"], row["estimate"], row["group"])
            except _WRONG:
                where = f"{answer.name}, line {number + 2}"
                raise damaged(where, "it is not a line that simdocs writes", _REMEDY) from None
            yield pair


def _document(row: Mapping[str, Any], side: str, answer: SavedAnswer) -> SavedDocument:
    """A document of a row. Errors of _WRONG: it is none, or does not lie below its root, where no link is followed."""
    document = SavedDocument(
        name_from_json(row, side), *(row[f"{side}_{field}"] for field in SavedDocument._fields[1:])
    )
    root, below = answer.roots[document.root], answer.below(document)
    above = os.path.join(answer.base_of(document), document.file[: len(document.file) - len(below)])
    leads_elsewhere = document.inode and {b"", b".", b".."} & set(below.split(b"/"))
    if above.rstrip(b"/") != root["path"].rstrip(b"/") or leads_elsewhere:
        raise ValueError
    return document


def _of_head(line: bytes, name: str, source: Callable[[], Iterator[SavedPair]]) -> SavedAnswer:
    try:
        head = json.loads(line)
        version = head["version"]
        if version != VERSION:
            problem = f"{name}: has format version {str(version)[:20]}, but this simdocs reads version {VERSION}"
            newer = isinstance(version, int) and version > VERSION
            raise ArtifactError(f"{problem}: {'upgrade simdocs' if newer else _REMEDY}")
        parameters = head["parameters"]
        recipe = recipe_of(SignatureRecipe, parameters, str(head["unicode"]), name)
        group_of(Grouping, parameters["grouping"], name)
        if parameters["banding"] is not None:
            group_of(Banding, parameters["banding"], name)
        answer = SavedAnswer(head, recipe, source, name)
    except _WRONG:
        raise damaged(name, "its first line is not one that simdocs writes", _REMEDY) from None
    refuse_other_unicode(recipe, name)
    return answer
