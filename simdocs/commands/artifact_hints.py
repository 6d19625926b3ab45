"""What to do instead, where an artifact stands in a place in which it makes no sense."""

from __future__ import annotations

from collections.abc import Sequence

from simdocs.artifacts.recognise import kind_of
from simdocs.errors import UsageError
from simdocs.model.names import display_name
from simdocs.requests import CheckedRequest, IndexRequest, QueryRequest, ReadRequest


def explain_wrong_kind(request: ReadRequest) -> None:
    """UsageError, with the command that was meant, for the mistakes that people make with artifacts."""
    if why := explain_adding(type(request), request.documents):
        raise UsageError(why)


def explain_adding(asked: type[CheckedRequest], documents: Sequence[object]) -> str:
    """How documents are added to an index, if these arguments of a command seem to mean that; else empty."""
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
    """UsageError: an index stands among the documents of a query, as in `query letter.txt docs.index`."""
    for document in request.documents:
        if isinstance(document, bytes) and document != b"-" and kind_of(document) == "index":
            name = display_name(document)
            if isinstance(request.index, bytes) and kind_of(request.index) != "index":
                raise UsageError(f"the index comes first: simdocs query {name} {display_name(request.index)}")
            raise UsageError(f"{name}: a query cannot be an index: name documents, X.shingles or X.signatures")


def explain_no_index(name: bytes) -> UsageError:
    """The error that documents stand where an index is wanted, with the command that makes one."""
    documents = display_name(name)
    index = f"{documents.rstrip('/')}.index"
    return UsageError(f"{documents}: needs an index: simdocs index {documents} -o {index}")
