"""info: what an artifact is, in keys and values."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from simdocs.artifacts.formats import FORMATS
from simdocs.matching.corpus import name_prefix
from simdocs.model.artifact import Artifact
from simdocs.model.documents import EMPTY, INVALID, SHORT, WIDE
from simdocs.model.names import text_to_name
from simdocs.model.results import ArtifactInfo, Expectation
from simdocs.parameters import IndexRecipe, Recipe
from simdocs.pipeline.indexing import chosen_by, expected_of

ENDS = 3
"""Documents shown of either end."""

_FLAGS = {"empty": EMPTY, "short": SHORT, "invalid_bytes": INVALID, "utf_16_or_32": WIDE}


def info(artifact: Artifact) -> ArtifactInfo:
    """Everything that an artifact says of itself without its texts, and what is to be expected of an index."""
    recipe = artifact.recipe
    if not isinstance(recipe, IndexRecipe):
        return ArtifactInfo(artifact.kind, tuple((_raw(key), value) for key, value in _facts(artifact, None)))
    expected = expected_of(artifact.documents, artifact["signatures"].rows, recipe)
    facts = tuple((_raw(key), value) for key, value in _facts(artifact, expected))
    return ArtifactInfo(artifact.kind, facts, recipe.banding, expected)


def _facts(artifact: Artifact, expected: Expectation | None) -> Iterator[tuple[str, bytes]]:
    form, documents = FORMATS[artifact.kind], artifact.documents
    yield "kind", artifact.kind.encode()
    yield "version", _text(form.version)
    yield "made_from", _text(artifact.made_from)
    yield "documents", _text(artifact.n_documents)
    facts = documents.facts
    yield "bytes", _text(facts["size"].sum())
    yield "tokens", _text(facts["count"].sum())
    firsts, _ = documents.distinct_texts()
    yield "distinct_texts", _text(len(firsts))
    for name, flag in _FLAGS.items():
        yield name, _text(np.count_nonzero(facts["flags"] & flag))
    yield "unicode", _text(artifact.recipe.unicode)
    for group in form.parameter_groups:
        for name, value in _parameters(getattr(artifact.recipe, group)):
            yield name, _rule(artifact.recipe) if name == "rule" else value
    for array in form.arrays:
        kind = "structured" if array.dtype.names else array.dtype.str
        yield array.file, f"{kind} {artifact[array.name].shape}".encode()
    if expected is not None:
        yield from _expectation(expected)
    yield from _run(artifact)
    first = list(range(min(ENDS, artifact.n_documents)))
    last = list(range(max(ENDS, artifact.n_documents - ENDS), artifact.n_documents))
    prefix = name_prefix(None, artifact.root)
    yield from (("first", os.path.join(prefix, documents.name(row))) for row in first)
    yield from (("last", os.path.join(prefix, documents.name(row))) for row in last)


def _rule(recipe: Recipe) -> bytes:
    """The rule by which the bands were really chosen."""
    assert isinstance(recipe, IndexRecipe)
    return chosen_by(recipe.banding, recipe.sketching.num_perm).encode()


def _expectation(expected: Expectation) -> Iterator[tuple[str, bytes]]:
    yield "probability", _text(expected.at_threshold)
    yield from ((f"probability_at_{similarity:g}", _text(chance)) for similarity, chance in expected.curve)
    yield "candidates_a_document", _text(expected.candidates)
    if expected.better_num_perm:
        yield "fewer_candidates_with_num_perm", _text(expected.better_num_perm)


def _parameters(group: Any) -> Iterator[tuple[str, bytes]]:
    for field in fields(group):
        value = getattr(group, field.name)
        if is_dataclass(value):
            yield from _parameters(value)
        else:
            yield field.name, _text(value)


def _run(artifact: Artifact) -> Iterator[tuple[str, bytes]]:
    """What run.json says; it is outside the checksums, so anything may stand there."""
    for key in ("simdocs", "start", "root"):
        if isinstance(value := artifact.run.get(key), str):
            yield key, _raw(value)
    command = artifact.run.get("command")
    if isinstance(command, list):
        yield "command", _raw(" ".join(str(word) for word in command))
    skipped = artifact.run.get("skipped")
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
        return text_to_name(text)
    except UnicodeEncodeError:
        return text.encode("utf-8", "backslashreplace")
