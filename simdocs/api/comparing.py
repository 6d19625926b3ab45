"""The Python functions about single texts: compare, show, similarity."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Unpack, overload

from simdocs.api.ask import ask, running
from simdocs.api.docstrings import with_keywords_of
from simdocs.model.artifact import Artifact
from simdocs.model.shown_artifact import ShownArtifact
from simdocs.requests.compare_request import CompareRequest
from simdocs.requests.text_requests import ShowRequest, SimilarityRequest
from simdocs.values import Path

if TYPE_CHECKING:
    from simdocs.api.keywords import CompareKeywords, ShowKeywords, TokenKeywords
    from simdocs.commands.show import ShownText
    from simdocs.model.artifact import BandIndex, Shingles, Signatures
    from simdocs.model.comparison import Comparison, SimilarityMatrix
    from simdocs.model.slot_trace import SlotTrace


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
        shown: ShownText | ShownArtifact = ask(ShowRequest(file=file, documents=documents, **keywords), run)
        return tuple(shown.rows()) if isinstance(shown, ShownArtifact) else shown.shingles


@with_keywords_of(SimilarityRequest, "a", "b")
def similarity(a: str | bytes, b: str | bytes, **keywords: Unpack[TokenKeywords]) -> float:
    """Return the exact Jaccard similarity of two texts, from 0.0 to 1.0. A text without shingles has 0.0 with any.

    a, b: the texts themselves, not paths: use Path.read_bytes() for files.
    """
    from simdocs.commands.similarity import similarity_of

    return similarity_of(SimilarityRequest(**keywords), a, b)
