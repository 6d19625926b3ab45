"""The file of a saved answer: a head, a line for each duplicate, and an end with a checksum. See docs/formats.md."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, BinaryIO, NoReturn

import numpy as np

from simdocs.artifacts.manifest import group_of, recipe_of, refuse_other_unicode
from simdocs.artifacts.npy import damaged
from simdocs.errors import ArtifactError, InputError
from simdocs.model.groups import Deduplication
from simdocs.model.saved_answer import (
    SUFFIX,
    VERSION,
    SavedAnswer,
    SavedDocument,
    SavedPair,
    SavedRoot,
)
from simdocs.names import display_name, name_for_json, name_from_json
from simdocs.options.answers import Grouping
from simdocs.options.recipes import Banding, SignatureRecipe
from simdocs.options.texts import Walking

_FORMAT = f"simdocs.{SUFFIX}"

_REMEDY = "write the answer again with simdocs dedupe"

_SAVED = f"write one with simdocs dedupe DOCS -o NAME.{SUFFIX}"

_WRONG = (ValueError, ArithmeticError, LookupError, TypeError, AttributeError, RecursionError)
"""The errors of looking into JSON that is not what we write."""

_BEGINNING = f'{{"format": "{_FORMAT}", "version": '.encode()
"""How every answer begins, of any version."""

_LONGEST_HEAD, _LONGEST = 1 << 28, 1 << 24
"""Bytes of the longest line that is read: of the first one, which has every argument, and of the others."""

_DIGEST = re.compile("[0-9a-f]{32}")

_MOST = 1 << 62
"""No number in an answer reaches this, but inodes."""

_SIDES = ("kept", "duplicate")

_COUNTS = ("documents", "kept", "groups", "duplicates")
"""The numbers in a head."""


def lines_of(result: Deduplication) -> Iterator[bytes]:
    """Yield the lines of the file that saves a result. Equal answers have equal bytes."""
    answer = result.saved()
    known = hashlib.sha256(head := _line(_head(answer)))
    yield head
    for pair in answer.pairs():
        known.update(line := _line(_row(pair)))
        yield line
    yield _line({"rows": answer.duplicates, "checksum": known.hexdigest()})


def _line(value: Mapping[str, Any]) -> bytes:
    # What was not UTF-8 in a pattern is a lone surrogate, which is a valid escape in JSON.
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"


def _head(answer: SavedAnswer) -> dict[str, Any]:
    index = {"index_root": None} if answer.index_root is None else name_for_json("index_root", answer.index_root)
    return {
        "format": _FORMAT,
        "version": VERSION,
        "simdocs": answer.simdocs,
        **name_for_json("root", answer.root),
        **index,
        "unicode": answer.recipe.unicode,
        "threshold": answer.threshold,
        "probability": answer.probability,
        "parameters": answer.parameters,
        "ignored": base64.b64encode(answer.ignored.astype("<u4").tobytes()).decode("ascii"),
        **{name: getattr(answer, name) for name in _COUNTS},
        "changed": answer.changed,
        "skipped": dict(answer.skipped),
        "arguments": [{**name_for_json("name", name), "documents": count} for name, count in answer.arguments],
        "roots": [{**name_for_json("path", each.path), **_after_first(each)} for each in answer.roots],
    }


def _after_first(fields: Any) -> dict[str, Any]:
    """The fields of a named tuple but its first, which is a name."""
    return dict(zip(fields._fields[1:], fields[1:], strict=True))


def _row(pair: SavedPair) -> dict[str, Any]:
    row: dict[str, Any] = {**name_for_json("kept", pair.kept.name), **name_for_json("duplicate", pair.duplicate.name)}
    row["jaccard"] = None if pair.jaccard is None else round(pair.jaccard, 6)
    row |= {"estimate": round(pair.estimate, 6), "group": pair.group}
    for side, document in zip(_SIDES, pair[:2], strict=True):
        row |= {f"{side}_{name}": value for name, value in _after_first(document).items()}
    return row


def read_answer(path: bytes) -> SavedAnswer:
    """Open a saved answer, and check all of it. Its pairs are read again when they are asked for.

    InputError: it cannot be read. ArtifactError: it is damaged, or has another version or other Unicode tables.
    """
    name = display_name(path)
    with _opened(path, name) as file:
        before = _state(file)
        return _checked(file, name, lambda: _read_again(path, name, before))


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


def _read_again(path: bytes, name: str, before: tuple[int, ...]) -> Iterator[SavedPair]:
    with _opened(path, name) as file:
        if _state(file) == before:
            file.readline()
            for line in file:
                row = json.loads(line)
                if "checksum" in row:
                    return
                yield _pair(row, name)
    raise InputError(f"{name}: changed while it was read: run again")


def _checked(file: BinaryIO, name: str, source: Callable[[], Iterator[SavedPair]]) -> SavedAnswer:
    """The answer in a file whose lines are all as they must be."""
    first = _first_line(file, name)
    answer = _of_head(first, name, source)
    known, group, last = hashlib.sha256(first), -1, None
    kept, duplicates = set[tuple[int, bytes]](), set[tuple[int, bytes]]()
    for rows, line in enumerate(iter(lambda: file.readline(_LONGEST), b"")):
        where = f"{name}, line {rows + 2}"
        row = _object(line, where)
        if "checksum" in row:
            totals = {"rows": rows, "checksum": known.hexdigest()}
            if row != totals or (rows, group + 1) != (answer.duplicates, answer.groups):
                raise damaged(name, "its last line does not fit the others", _REMEDY)
            if file.read(1):
                raise damaged(name, "it goes on after its last line", _REMEDY)
            return answer
        pair = _pair(row, where)
        mine, other = (_key(document, answer, where) for document in pair[:2])
        group += mine != last
        # A document is kept in one group, or a duplicate in one row.
        again = (mine != last and mine in kept) or mine in duplicates or other in kept or other in duplicates
        if pair.group != group or again or other[0]:
            raise damaged(where, "it does not fit the lines before it", _REMEDY)
        last = mine
        kept.add(mine)
        duplicates.add(other)
        known.update(line)
    raise damaged(name, "its end is missing (an interrupted copy?)", _REMEDY)


def _first_line(file: BinaryIO, name: str) -> bytes:
    """The first line of an answer. ArtifactError: it does not begin as one, or is longer than one."""
    head = file.read(len(_BEGINNING))
    if not head:
        raise damaged(name, "an empty file (an interrupted write?)", _REMEDY)
    if head != _BEGINNING:
        raise ArtifactError(f"{name}: this is not a saved answer: {_SAVED}")
    rest = file.readline(_LONGEST_HEAD)
    if not rest.endswith(b"\n"):
        raise damaged(name, "its first line is not a whole line of JSON", _REMEDY)
    return head + rest


def _object(line: bytes, where: str) -> dict[str, Any]:
    """The JSON object of a line. ArtifactError: it is not one, or not whole."""
    try:
        row = json.loads(line)
    except _WRONG:
        row = None
    if not isinstance(row, dict) or not line.endswith(b"\n"):
        raise damaged(where, "it is not a whole line of JSON", _REMEDY)
    return row


def _of_head(line: bytes, name: str, source: Callable[[], Iterator[SavedPair]]) -> SavedAnswer:
    head = _object(line, name)
    version = head["version"]
    if version != VERSION:
        problem = f"{name}: has format version {str(version)[:20]}, but this simdocs reads version {VERSION}"
        newer = isinstance(version, int) and version > VERSION
        raise ArtifactError(f"{problem}: {'upgrade simdocs' if newer else _REMEDY}")
    try:
        answer = _answer(head, name, source)
        if _line(_head(answer)) != line:
            raise ValueError
    except _WRONG:
        raise damaged(name, "its first line is not one that simdocs writes", _REMEDY) from None
    refuse_other_unicode(answer.recipe, name)
    return answer


def _answer(head: Mapping[str, Any], name: str, source: Callable[[], Iterator[SavedPair]]) -> SavedAnswer:
    """The answer with this head. Errors of _WRONG: it is not one that we write."""
    recipe = recipe_of(SignatureRecipe, head["parameters"], str(head["unicode"]), name)
    arguments = tuple((name_from_json(each, "name"), _whole(each["documents"])) for each in head["arguments"])
    ignored = np.frombuffer(base64.b64decode(head["ignored"], validate=True), "<u4")
    answer = SavedAnswer(
        name=name,
        root=name_from_json(head, "root"),
        index_root=None if head.get("index_root", "") is None else name_from_json(head, "index_root"),
        recipe=recipe,
        parameters=_parameters(head["parameters"], recipe, name),
        threshold=_share(head["threshold"]),
        probability=_share(head["probability"]),
        ignored=ignored.astype(np.uint32),
        **{count: _whole(head[count]) for count in _COUNTS},
        changed=None if head["changed"] is None else _whole(head["changed"]),
        skipped={str(reason): _whole(number) for reason, number in head["skipped"].items()},
        arguments=arguments,
        roots=tuple(_root(each, len(arguments)) for each in head["roots"]),
        simdocs=str(head["simdocs"]),
        source=source,
    )
    possible = (
        answer.threshold > 0
        and (ignored[1:] > ignored[:-1]).all()
        and answer.root.startswith(b"/")
        and (answer.index_root or b"/").startswith(b"/")
        and answer.documents == sum(count for _, count in arguments)
        and answer.kept + answer.duplicates <= answer.documents
        and (answer.changed or 0) <= answer.documents
    )
    if not possible:
        raise ValueError
    return answer


def _parameters(given: Mapping[str, Any], recipe: SignatureRecipe, name: str) -> dict[str, Any]:
    """All parameters in groups: those of the recipe, and the others, which are checked here. Errors as of `_answer`."""
    groups: dict[str, Any] = {}
    for key, kind in (("walking", Walking), ("grouping", Grouping), ("banding", Banding)):
        without = key == "banding" and given[key] is None
        groups[key] = None if without else group_of(kind, given[key], name).as_dict()
    bands = groups["banding"]
    if bands is not None and bands["bands"] * bands["rows"] > recipe.sketching.num_perm:
        raise ValueError
    return groups | {key: value for key, value in recipe.as_dict().items() if key != "unicode"}


def _root(each: Mapping[str, Any], arguments: int) -> SavedRoot:
    path, argument = name_from_json(each, "path"), each["argument"]
    if not (path.startswith(b"/") and path.endswith(b"/")) or not (argument is None or 0 <= argument < arguments):
        raise ValueError
    return SavedRoot(path, _whole(each["named"]), _whole(each["inode"], 1 << 64), argument)


def _pair(row: Mapping[str, Any], where: str) -> SavedPair:
    """The pair of a row. ArtifactError: it is not one that we write."""
    try:
        kept, duplicate = (_document(row, side) for side in _SIDES)
        jaccard = None if row["jaccard"] is None else _share(row["jaccard"])
        pair = SavedPair(kept, duplicate, jaccard, _share(row["estimate"]), _whole(row["group"]))
        if _row(pair) != row:
            raise ValueError
    except _WRONG:
        raise damaged(where, "it is not a line that simdocs writes", _REMEDY) from None
    return pair


def _document(row: Mapping[str, Any], side: str) -> SavedDocument:
    """A document of a row. Errors of _WRONG: its numbers or its digest make no sense."""
    numbers = {name: row[f"{side}_{name}"] for name in SavedDocument._fields[1:-1]}
    for name, value in numbers.items():
        _whole(value, 1 << 64, -_MOST if name.endswith("_ns") else 0)
    document = SavedDocument(name_from_json(row, side), **numbers, content=row[f"{side}_content"])
    if document.container >= len(document.name) or not _DIGEST.fullmatch(document.content):
        raise ValueError
    return document


def _key(document: SavedDocument, answer: SavedAnswer, where: str) -> tuple[int, bytes]:
    """What tells documents apart: an index, which is 1 here, may have one of the same name in another directory.

    ArtifactError: the document does not lie below its root.
    """
    root = answer.roots[document.root] if document.root < len(answer.roots) else None
    if root is not None:
        above, below = document.file[: root.named], document.file[root.named :]
        base = answer.root if root.argument is not None else answer.index_root
        leads_elsewhere = document.inode and {b"", b".", b".."} & set(below.split(b"/"))
        if (
            base is not None
            and os.path.join(base, above).rstrip(b"/") == root.path.rstrip(b"/")
            and not leads_elsewhere
        ):
            return int(root.argument is None), document.name
    raise damaged(where, "a document does not lie below its directory", _REMEDY)


def _whole(value: Any, below: int = _MOST, least: int = 0) -> int:
    """The value if it is a whole number in these bounds. ValueError: it is not."""
    return value if type(value) is int and least <= value < below else _refused()


def _share(value: Any) -> float:
    """The value if it is a number from 0 to 1. ValueError: it is not."""
    return float(value) if type(value) in (int, float) and 0 <= value <= 1 else _refused()


def _refused() -> NoReturn:
    raise ValueError
