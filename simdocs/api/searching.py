"""The Python functions that look for near-duplicates: dedupe, query."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Unpack, overload

import numpy as np

from simdocs.api.ask import ask
from simdocs.api.docstrings import with_keywords_of
from simdocs.api.for_python import as_in_python, running_for_python
from simdocs.model.answer_blocks import Take
from simdocs.model.artifact import BandIndex, Shingles, Signatures
from simdocs.model.deduplication import Deduplication
from simdocs.model.delivery import Delivery
from simdocs.model.listed_pairs import Matches, SimilarPairs
from simdocs.model.names import name_to_text
from simdocs.requests.search_requests import DedupeRequest, QueryRequest
from simdocs.values import Path

if TYPE_CHECKING:
    from simdocs.api.keywords import DedupeKeywords, QueryKeywords


@overload
def query(
    index: Path | BandIndex,
    *documents: Path | Shingles | Signatures,
    list: None = ...,
    all_copies: bool | None = ...,
    **keywords: Unpack[QueryKeywords],
) -> Matches: ...


@overload
def query(
    index: Path | BandIndex,
    *documents: Path | Shingles | Signatures,
    list: Literal["matches"],
    all_copies: bool | None = ...,
    **keywords: Unpack[QueryKeywords],
) -> tuple[str, ...]: ...


@with_keywords_of(QueryRequest, "index")
def query(index: Any, *documents: Any, **keywords: Any) -> Any:
    """Find the documents of an index that are near-duplicates of documents or texts, and return Matches.

    With list="matches", return a tuple with the names of all matches, each once.
    """
    return _asked(QueryRequest(index=index, documents=documents, **keywords))


@overload
def dedupe(
    *documents: Path | Shingles | Signatures | BandIndex,
    pairs: Literal[False] | None = ...,
    list: None = ...,
    **keywords: Unpack[DedupeKeywords],
) -> Deduplication: ...


@overload
def dedupe(
    *documents: Path | Shingles | Signatures | BandIndex,
    pairs: Literal[True],
    list: None = ...,
    all_copies: bool | None = ...,
    **keywords: Unpack[DedupeKeywords],
) -> SimilarPairs: ...


@overload
def dedupe(
    *documents: Path | Shingles | Signatures | BandIndex,
    pairs: Literal[False] | None = ...,
    list: Literal["kept", "duplicates"],
    **keywords: Unpack[DedupeKeywords],
) -> tuple[str, ...]: ...


@overload
def dedupe(
    *documents: Path | Shingles | Signatures | BandIndex,
    pairs: Literal[False] | None = ...,
    list: Literal["kept-lines", "duplicate-lines"],
    **keywords: Unpack[DedupeKeywords],
) -> tuple[bytes, ...]: ...


@with_keywords_of(DedupeRequest)
def dedupe(*documents: Any, **keywords: Any) -> Any:
    """Find near-duplicates among documents or texts, and return a Deduplication.

    With pairs=True, return SimilarPairs: all pairs of near-duplicates. With list, return a tuple with the names of
    documents, or with lines of JSON Lines files.
    """
    return _asked(DedupeRequest(documents=documents, **keywords))


def _asked(request: Any) -> Any:
    lines: list[Any] = []
    take: Take | None = lines.append if request.list is not None and request.list.endswith("-lines") else None
    with running_for_python(request) as run:
        result: Any = ask(request, run, Delivery(take))
    if request.list is None:
        return as_in_python(result)
    if take is not None:
        return tuple(line for block in lines for line in block.lines)
    if request.list == "kept":
        return tuple(result.kept_names)
    _, first = np.unique(result.pairs.right, return_index=True)
    return tuple(name_to_text(result.names[1][at].tobytes()) for at in first.tolist())
