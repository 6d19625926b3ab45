"""What to do instead, where an artifact stands in a place in which it makes no sense."""

from __future__ import annotations

from simdocs.artifacts.recognise import kind_of
from simdocs.errors import UsageError
from simdocs.model.names import display_name
from simdocs.requests import IndexRequest, QueryRequest, ReadRequest


def explain_wrong_kind(request: ReadRequest) -> None:
    """UsageError, with the command that was meant, for the mistakes that people make with artifacts."""
    documents = request.documents
    kinds = [kind_of(name) if isinstance(name, bytes) and name != b"-" else None for name in documents]
    if type(request) is IndexRequest and "index" in kinds and len(documents) > 1:
        index = display_name(documents[kinds.index("index")])
        raise UsageError(
            f"an index is built from all of its documents at once: to add documents, name the old and the new ones"
            f" (simdocs index OLD NEW -o {index})"
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
