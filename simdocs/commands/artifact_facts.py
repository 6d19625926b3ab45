"""What an artifact says of itself without its texts, in keys and values."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from simdocs.artifacts.formats import FORMATS
from simdocs.commands.resolve import in_words
from simdocs.errors import ArtifactError
from simdocs.kernels.banding import chosen_by
from simdocs.kernels.native import kernels_in_use
from simdocs.matching.corpus import name_prefix
from simdocs.model.artifact import Artifact
from simdocs.model.documents import EMPTY, IGNORED, INVALID, SHORT, WIDE
from simdocs.model.result import Figure
from simdocs.names import name_to_text, path_from, shell_word, text_to_name
from simdocs.options.recipes import IndexRecipe, Recipe
from simdocs.pipeline.indexing import Expectation, expected_of

ENDS = 3
"""Documents shown of either end."""

_FLAGS = {"empty": EMPTY, "short": SHORT, "invalid_bytes": INVALID, "utf_16_or_32": WIDE, "all_ignored": IGNORED}


FactValue = str | int | float
"""A value that is shown: a number as one."""


def facts_of(artifact: Artifact) -> Iterator[tuple[str, FactValue]]:
    """Yield everything that an artifact says of itself without its texts, and what is to be expected of an index.

    They are keys and values, in the order in which they are shown. A key may occur several times.
    """
    expected = expected_of(artifact) if isinstance(artifact.recipe, IndexRecipe) else None
    form, documents = FORMATS[artifact.kind], artifact.documents
    yield "kind", artifact.kind
    yield "version", _value(form.version)
    yield "made_from", _value(artifact.made_from)
    yield "documents", _value(artifact.n_documents)
    facts = documents.facts
    yield "bytes", _value(facts["size"].sum())
    yield "tokens", _value(documents.tokens)
    if artifact.kind != "shingles":
        yield "ignored_tokens", _value(len(artifact.ignored))
        yield "ignored_share", _value(documents.share_left_out)
    firsts, _ = documents.distinct_texts()
    yield "distinct_texts", _value(len(firsts))
    for name, flag in _FLAGS.items():
        yield name, _value(documents.flagged(flag))
    yield "unicode", _value(artifact.recipe.unicode)
    for group in form.parameter_groups:
        for name, value in getattr(artifact.recipe, group).flattened():
            if value != ():  # own hash functions, which few have
                yield name, _rule(artifact.recipe) if name == "rule" else _value(value)
    for array in form.arrays:
        kind = "structured" if array.dtype.names else array.dtype.str
        yield array.file, f"{kind} {artifact[array.name].shape}"
    if expected is not None:
        yield from _expectation(expected)
    yield from _run(artifact)
    yield "kernels_in_use", kernels_in_use()
    first = list(range(min(ENDS, artifact.n_documents)))
    last = list(range(max(ENDS, artifact.n_documents - ENDS), artifact.n_documents))
    prefix = name_prefix(None, artifact.root)
    yield from (("first", name_to_text(path_from(prefix, documents.raw_name(row)))) for row in first)
    yield from (("last", name_to_text(path_from(prefix, documents.raw_name(row)))) for row in last)


def _rule(recipe: Recipe) -> str:
    """The rule by which the bands were really chosen."""
    assert isinstance(recipe, IndexRecipe)
    return chosen_by(recipe.banding, recipe.sketching.num_perm)


def _expectation(expected: Expectation) -> Iterator[tuple[str, FactValue]]:
    yield "probability", _value(expected.at_threshold)
    yield from ((f"probability_at_{similarity:g}", _value(chance)) for similarity, chance in expected.curve)
    yield "candidates_a_document", _value(expected.candidates)
    if expected.better_num_perm:
        yield "fewer_candidates_with_num_perm", _value(expected.better_num_perm)


def _run(artifact: Artifact) -> Iterator[tuple[str, FactValue]]:
    """Yield facts from run.json. No checksum covers the file, so its values may have any type."""
    for key in ("simdocs", "start", "root"):
        if isinstance(value := artifact.run.get(key), str):
            yield key, _printable(value)
    command = artifact.run.get("command")
    if isinstance(command, list):
        yield "command", " ".join(shell_word(_printable(str(word))) for word in command)
    with contextlib.suppress(ArtifactError):
        yield "new_or_changed", _value(len(artifact.changed))
    skipped = artifact.run.get("skipped")
    if isinstance(skipped, dict):
        for reason, count in skipped.items():
            if isinstance(count, int | list):
                yield _printable(f"skipped_{reason}"), _value(len(count) if isinstance(count, list) else count)


def _value(value: Any) -> FactValue:
    """A value for the table: numbers stay numbers, and all else becomes text."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return Figure(value)
    if isinstance(value, int | np.integer):
        return int(value)
    return "" if value in (None, "") else in_words(value)


def _printable(text: str) -> str:
    """A text from run.json; with escapes, if it holds a surrogate that stands for no byte."""
    try:
        text_to_name(text)
    except UnicodeEncodeError:
        return text.encode("utf-8", "backslashreplace").decode()
    return text
