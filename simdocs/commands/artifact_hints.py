"""Errors about artifacts in the wrong place, with the command that was probably meant."""

from __future__ import annotations

import os
from collections.abc import Sequence

from simdocs.artifacts.recognise import kind_of
from simdocs.errors import UsageError
from simdocs.model.names import display_name
from simdocs.requests import CheckedRequest, IndexRequest, QueryRequest, ReadRequest


def explain_wrong_kind(request: ReadRequest) -> None:
    """Raise UsageError, with a remedy, if documents are to be added to an index."""
    if why := explain_adding(type(request), request.documents):
        raise UsageError(why)


def explain_adding(asked: type[CheckedRequest], documents: Sequence[object]) -> str:
    """The error about an attempt to add documents to an index, with a remedy; empty if these arguments make none."""
    kinds = [kind_of(name) if isinstance(name, bytes) and name != b"-" else None for name in documents]
    if asked is not IndexRequest or "index" not in kinds or len(documents) < 2:
        return ""
    index = documents[kinds.index("index")]
    assert isinstance(index, bytes)
    return (
        f"an index is built from all of its documents at once: to add documents, name the old and the new ones"
        f" (simdocs index OLD NEW -o {display_name(index)})"
    )


def explain_order(request: QueryRequest) -> None:
    """Raise UsageError if there is an index among the documents of a query, as in `query letter.txt docs.index`."""
    for document in request.documents:
        if isinstance(document, bytes) and document != b"-" and kind_of(document) == "index":
            name = display_name(document)
            if isinstance(request.index, bytes) and kind_of(request.index) != "index":
                raise UsageError(f"the index comes first: simdocs query {name} {display_name(request.index)}")
            raise UsageError(f"{name}: a query cannot be an index: name documents, X.shingles or X.signatures")


def explain_no_index(name: object) -> None:
    """UsageError, with the command that makes an index: documents stand where an index is needed."""
    if isinstance(name, bytes) and os.path.lexists(name) and kind_of(name) is None:
        documents = display_name(name)
        index = f"{documents.rstrip('/')}.index"
        raise UsageError(f"{documents}: needs an index: simdocs index {documents} -o {index}")
