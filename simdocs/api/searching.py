"""The Python functions that look for near-duplicates: dedupe, query."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Unpack, overload

import numpy as np

from simdocs.api.ask import as_in_python, ask, running, running_for_python
from simdocs.api.docstrings import with_keywords_of
from simdocs.model.answers import Delivery, Take
from simdocs.model.artifact import Artifact, BandIndex, Shingles, Signatures
from simdocs.model.names import name_to_text
from simdocs.model.search_result import Deduplication, Matches, SimilarPairs
from simdocs.parameters.families import lists_lines
from simdocs.parameters.values import Path
from simdocs.requests.compare_request import CompareRequest
from simdocs.requests.search_requests import DedupeRequest, QueryRequest
from simdocs.requests.text_requests import ShowRequest, SimilarityRequest

if TYPE_CHECKING:
    from simdocs.api.keywords import CompareKeywords, DedupeKeywords, QueryKeywords, ShowKeywords, TokenKeywords
    from simdocs.model.comparison import Comparison, SimilarityMatrix, SlotTrace


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
    take: Take | None = lines.append if lists_lines(request.list) else None
    with running_for_python(request) as run:
        result: Any = ask(request, run, Delivery(take))
    if request.list is None:
        return as_in_python(result)
    if take is not None:
        return tuple(line for block in lines for (line,) in block.rows)
    if request.list == "kept":
        return tuple(result.kept_names)
    _, first = np.unique(result.pairs.right, return_index=True)
    return tuple(name_to_text(result.names[1][at].tobytes()) for at in first.tolist())


@overload
def compare(
    a: Path | Shingles | Signatures | BandIndex,
    b: Path,
    /,
    *,
    trace: Literal[False] | None = ...,
    **keywords: Unpack[CompareKeywords],
) -> Comparison: ...


@overload
def compare(
    *documents: Path | Shingles | Signatures | BandIndex, trace: Literal[True], **keywords: Unpack[CompareKeywords]
) -> SlotTrace: ...


@overload
def compare(
    *documents: Path | Shingles | Signatures | BandIndex,
    trace: Literal[False] | None = ...,
    **keywords: Unpack[CompareKeywords],
) -> Comparison | SimilarityMatrix: ...


@with_keywords_of(CompareRequest)
def compare(*documents: Any, **keywords: Any) -> Any:
    """Compare texts: files, or after an artifact the names of its documents. Return a Comparison of two texts.

    More than two give a SimilarityMatrix. With several units or values of k, the Comparison has the measures of each.
    With trace=True, return a SlotTrace: how MinHash computes the signatures, row by row.
    """
    return ask(CompareRequest(documents=documents, **keywords))


@with_keywords_of(ShowRequest, "file")
def show(
    file: Path | Artifact, *documents: Path, **keywords: Unpack[ShowKeywords]
) -> tuple[tuple[float | int | str | bytes, ...], ...]:
    """Return a tuple with each shingle of the text in a file and its token, in the order of the text.

    Of an artifact, return the rows of a table that shows what it holds: its documents (all, or those that are named)
    with their tokens or signatures, its buckets, or its candidate pairs. Names are bytes.
    """
    with running(1) as run:
        shown: Any = ask(ShowRequest(file=file, documents=documents, **keywords), run)
        return tuple(shown.rows())


@with_keywords_of(SimilarityRequest, "a", "b")
def similarity(a: str | bytes, b: str | bytes, **keywords: Unpack[TokenKeywords]) -> float:
    """Return the exact Jaccard similarity of two texts, from 0.0 to 1.0. A text without shingles has 0.0 with any.

    a, b: the texts themselves, not paths: use Path.read_bytes() for files.
    """
    from simdocs.commands.compare import similarity_of

    return similarity_of(SimilarityRequest(**keywords), a, b)
