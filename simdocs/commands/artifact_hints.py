"""Errors about artifacts in the wrong place, with the command that was probably meant."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from simdocs.artifacts.formats import FORMATS, MANIFEST
from simdocs.artifacts.recognise import is_disguised, kind_of
from simdocs.errors import InputError, UsageError
from simdocs.names import command_line, display_name
from simdocs.options.declaration import Options

_SHOWN = 3
"""The number of documents that a suggested call names."""


def explain_wrong_kind(options: Any) -> None:
    """Raise UsageError, with a remedy, if documents are to be added to an index or compared with it.

    So it is if several artifacts are given, which must be merged first.
    """
    if why := (
        _explain_several(options.documents)
        or explain_adding(type(options), options.documents)
        or _explain_comparing(options)
    ):
        raise UsageError(why)


def _explain_several(documents: Sequence[object]) -> str:
    """The error about several artifacts of one kind, with a remedy; empty if other documents are given."""
    names = [name for name in documents if isinstance(name, bytes) and name != b"-"]
    kinds = {kind_of(name) for name in names}
    if len(names) < max(2, len(documents)) or len(kinds) > 1 or not kinds <= FORMATS.keys():
        return ""
    shown = [display_name(name) for name in names[:_SHOWN]] + ["..."] * (len(names) > _SHOWN)
    remedy = command_line("merge", shown, {"output": f"ALL{FORMATS[kinds.pop() or ''].suffix}"})
    return f"several artifacts cannot be read at once: merge them first with {remedy}"


def _explain_comparing(options: Any) -> str:
    """The error about documents beside an index that they are to be compared with; empty if there are none."""
    named = [name for name in options.documents if isinstance(name, bytes) and name != b"-"]
    indexes = [name for name in named if kind_of(name) == "index"]
    others = [display_name(name) for name in named if kind_of(name) is None]
    if options.command != "dedupe" or not others or len(indexes) != 1 or options.against is not None:
        return ""
    index = display_name(indexes[0])
    others = others if len(others) <= _SHOWN else [*others[:_SHOWN], "..."]
    remedy = f"to compare documents with it, use {command_line('dedupe', others, {'against': index})}"
    return f"{index}: an index cannot be mixed with documents: {remedy}"


def refuse_disguised(documents: Sequence[object]) -> None:
    """Raise InputError if a directory of documents is an artifact, although its name does not say so.

    Someone who can write to the directory may have made it one, so that the answer names files elsewhere.
    """
    for name in documents:
        if isinstance(name, bytes) and name != b"-" and is_disguised(name):
            suffixes = ", ".join(form.suffix for form in FORMATS.values())
            raise InputError(
                f"{display_name(name)}: this is an artifact and not a directory of documents:"
                f" give it a name that ends in one of {suffixes}, or remove its {MANIFEST}"
            )


def explain_adding(asked: type[Options], documents: Sequence[object]) -> str:
    """The error about an attempt to add documents to an index, with a remedy; empty if these arguments make none."""
    kinds = [kind_of(name) if isinstance(name, bytes) and name != b"-" else None for name in documents]
    if asked.command != "index" or "index" not in kinds or len(documents) < 2:
        return ""
    index = documents[kinds.index("index")]
    assert isinstance(index, bytes)
    return (
        "an index is built from all of its documents at once: to add documents, name the old and the new ones"
        f" ({command_line('index', ['OLD', 'NEW'], {'output': display_name(index)})})"
    )


def explain_no_output(asked: Any, documents: Sequence[object]) -> str:
    """The error that an artifact has no name. The last of the documents may have been meant as its name."""
    *others, last = [name for name in documents if isinstance(name, bytes)] or [b""]
    if asked.command == "merge":  # of all artifacts, the last may be one of them if it is there
        kind, is_meant = kind_of((others or [last])[0]) or "index", not os.path.lexists(last)
    else:
        kind, is_meant = asked.kind, True
    if others and is_meant and last.endswith(f".{kind}".encode()):
        shown = [display_name(name) for name in others]
        shown = shown if len(shown) <= _SHOWN else [*shown[:_SHOWN], "..."]
        missing = f"-o is missing: {command_line(asked.command, shown, {'output': display_name(last)})}"
        adding = explain_adding(asked, documents)
        return f"{missing}; {adding}" if adding else missing
    missing = f"-o NAME.{kind} is missing: name the artifact to write, which is a directory"
    return explain_adding(asked, documents) or missing


def explain_order(options: Any) -> None:
    """Raise UsageError if there is an index among the documents of a query, as in `query letter.txt docs.index`."""
    for document in options.documents:
        if isinstance(document, bytes) and document != b"-" and kind_of(document) == "index":
            name = display_name(document)
            if isinstance(options.index, bytes) and kind_of(options.index) != "index":
                right = command_line("query", [name, display_name(options.index)])
                raise UsageError(f"the index comes first: {right}")
            raise UsageError(f"{name}: a query cannot be an index: name documents, X.shingles or X.signatures")


def explain_no_index(name: object) -> None:
    """UsageError, with the command that makes an index: documents stand where an index is needed."""
    if isinstance(name, bytes) and os.path.lexists(name) and kind_of(name) is None:
        documents = display_name(name)
        index = f"{documents.rstrip('/')}.index"
        remedy = command_line("index", [documents], {"output": index})
        raise UsageError(f"{documents}: this is not an index: build one with {remedy}")
