"""info: what an artifact is, in keys and values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from simdocs.artifacts.formats import FORMATS
from simdocs.commands.build import expectation_facts, expected_of
from simdocs.model.answers import NAME, Answer, Column, Row
from simdocs.model.artifact import Artifact
from simdocs.model.documents import EMPTY, INVALID, SHORT, WIDE
from simdocs.model.names import bytes_of
from simdocs.pipeline.indexing import Expectation

ENDS = 3
"""Documents shown of either end."""

_FLAGS = {"empty": EMPTY, "short": SHORT, "invalid_bytes": INVALID, "utf_16_or_32": WIDE}


def info(shelf: Artifact) -> tuple[Answer, Expectation | None]:
    """All that is to be known of an artifact without its texts; and what is to be expected of an index."""
    documents = shelf.documents
    expected = None
    if shelf.kind == "index":
        expected = expected_of(documents, shelf["signatures"].rows, shelf.recipe)
    rows: list[Row] = [(_raw(key), value) for key, value in _facts(shelf, expected)]
    return Answer((Column("key", NAME), Column("value", NAME)), [rows]), expected


def _facts(shelf: Artifact, expected: Expectation | None) -> Iterator[tuple[str, bytes]]:
    form, documents = FORMATS[shelf.kind], shelf.documents
    yield "kind", shelf.kind.encode()
    yield "version", _text(form.version)
    yield "made_from", _text(shelf.made_from)
    yield "documents", _text(shelf.n_documents)
    facts = documents.facts
    yield "bytes", _text(facts["size"].sum())
    yield "tokens", _text(facts["count"].sum())
    firsts, _ = documents.distinct_texts()
    yield "distinct_texts", _text(len(firsts))
    for name, flag in _FLAGS.items():
        yield name, _text(np.count_nonzero(facts["flags"] & flag))
    yield "unicode", _text(shelf.recipe.unicode)
    for group in form.recipe:
        yield from _parameters(getattr(shelf.recipe, group))
    for array in form.arrays:
        kind = "structured" if array.dtype.names else array.dtype.str
        yield array.file, f"{kind} {shelf[array.name].shape}".encode()
    if expected is not None and shelf.recipe.banding is not None:
        for key, value in expectation_facts(expected, shelf.recipe.banding).items():
            if key == "curve":
                yield from ((f"probability_at_{similarity:g}", _text(chance)) for similarity, chance in value)
            elif key == "fewer_with":
                yield "fewer_candidates_with_num_perm", _text(value["num_perm"])
            elif key not in ("threshold", "bands", "rows"):
                yield key, _text(value)
    yield from _run(shelf)
    first = list(range(min(ENDS, shelf.n_documents)))
    last = list(range(max(ENDS, shelf.n_documents - ENDS), shelf.n_documents))
    yield from (("first", documents.name(row)) for row in first)
    yield from (("last", documents.name(row)) for row in last)


def _parameters(group: Any) -> Iterator[tuple[str, bytes]]:
    for field in fields(group):
        value = getattr(group, field.name)
        if is_dataclass(value):
            yield from _parameters(value)
        else:
            yield field.name, _text(value)


def _run(shelf: Artifact) -> Iterator[tuple[str, bytes]]:
    """What run.json says; it is outside the checksums, so anything may stand there."""
    for key in ("simdocs", "start", "root"):
        if isinstance(value := shelf.run.get(key), str):
            yield key, _raw(value)
    command = shelf.run.get("command")
    if isinstance(command, list):
        yield "command", _raw(" ".join(str(word) for word in command))
    skipped = shelf.run.get("skipped")
    if isinstance(skipped, dict):
        for reason, names in skipped.items():
            if isinstance(names, list):
                yield f"skipped_{reason}", _text(len(names))


def _text(value: Any) -> bytes:
    if isinstance(value, bool):
        return b"yes" if value else b"no"
    return f"{value:.6g}".encode() if isinstance(value, float) else _raw(str(value))


def _raw(text: str) -> bytes:
    """The bytes that a text of JSON stands for; escapes, where it can stand for none."""
    try:
        return bytes_of(text)
    except UnicodeEncodeError:
        return text.encode("utf-8", "backslashreplace")
