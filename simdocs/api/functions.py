"""The public functions: each builds a request, asks it, and returns the result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Unpack, cast, overload

from simdocs.api.ask import ask, ask_for_python, encoded_path, running
from simdocs.api.docstrings import with_keywords_of
from simdocs.errors import spelled
from simdocs.model.answers import Look
from simdocs.model.artifact import Artifact, BandIndex, Shingles, Signatures
from simdocs.parameters.families import lists_groups
from simdocs.parameters.values import Path
from simdocs.requests.searching import DedupeRequest, PairsRequest, PassagesRequest, QueryRequest, ReportRequest
from simdocs.requests.studying import (
    AuditRequest,
    CheckRequest,
    CompareRequest,
    InfoRequest,
    ShowRequest,
    SimilarityRequest,
    TuneRequest,
)

if TYPE_CHECKING:
    from simdocs.api.keywords import (
        AuditKeywords,
        CompareKeywords,
        DedupeKeywords,
        PairsKeywords,
        PassagesKeywords,
        QueryKeywords,
        ReportKeywords,
        ShowKeywords,
        SimilarityKeywords,
        TuneKeywords,
    )
    from simdocs.model.audited import Audit
    from simdocs.model.common_passages import CommonPassages
    from simdocs.model.comparison import Comparison, SimilarityMatrix, SlotTrace
    from simdocs.model.deduplication import Deduplication, SimilarPairs
    from simdocs.model.inspection import ArtifactInfo, CheckResult
    from simdocs.model.matches import Matches
    from simdocs.model.quotations import Quotations
    from simdocs.model.repeated_passages import RepeatedPassages
    from simdocs.model.report import Report
    from simdocs.model.saved_answer import SavedAnswer
    from simdocs.model.search_result import PairRow
    from simdocs.model.tuning import Tuning


@overload
def query(
    index: Path | BandIndex,
    *documents: Path | Shingles | Signatures,
    list: None = ...,
    passages: Literal[False] | None = ...,
    **keywords: Unpack[QueryKeywords],
) -> Matches: ...


@overload
def query(
    index: Path | BandIndex,
    *documents: Path | Shingles | Signatures,
    passages: Literal[True],
    **keywords: Unpack[QueryKeywords],
) -> Quotations: ...


@overload
def query(
    index: Path | BandIndex,
    *documents: Path | Shingles | Signatures,
    list: Literal["matches"],
    **keywords: Unpack[QueryKeywords],
) -> tuple[str, ...]: ...


@with_keywords_of(QueryRequest, "index")
def query(index: Any, *documents: Any, **keywords: Any) -> Any:
    """Find the documents of an index that are near-duplicates of documents or texts, and return Matches.

    With list="matches", return a tuple with the names of all matches, each once. With passages=True, return Quotations:
    the passages that the documents have in common with those of the index, and where they are.
    """
    return _asked(QueryRequest(index=index, documents=documents, **keywords))


@overload
def dedupe(
    *documents: Path | Shingles | Signatures | BandIndex, list: None = ..., **keywords: Unpack[DedupeKeywords]
) -> Deduplication: ...


@overload
def dedupe(
    *documents: Path | Shingles | Signatures | BandIndex,
    list: Literal["kept", "duplicates"],
    **keywords: Unpack[DedupeKeywords],
) -> tuple[str, ...]: ...


@overload
def dedupe(
    *documents: Path | Shingles | Signatures | BandIndex,
    list: Literal["groups"],
    **keywords: Unpack[DedupeKeywords],
) -> tuple[PairRow, ...]: ...


@with_keywords_of(DedupeRequest)
def dedupe(*documents: Any, **keywords: Any) -> Any:
    """Find near-duplicates among documents or texts, and return a Deduplication.

    With list, return a tuple with the names of documents, or with the rows of all documents and their groups.
    """
    return _asked(DedupeRequest(documents=documents, **keywords))


@with_keywords_of(PairsRequest)
def pairs(*documents: Path | Shingles | Signatures | BandIndex, **keywords: Unpack[PairsKeywords]) -> SimilarPairs:
    """Find all pairs of similar documents or texts, and return SimilarPairs."""
    return cast("SimilarPairs", ask_for_python(PairsRequest(documents=documents, **keywords)).spelled(spelled))


@with_keywords_of(PassagesRequest)
def passages(*documents: Path, **keywords: Unpack[PassagesKeywords]) -> RepeatedPassages:
    """Find the passages that occur in several documents or texts, and return RepeatedPassages: where they are."""
    return cast("RepeatedPassages", ask_for_python(PassagesRequest(documents=documents, **keywords)).spelled(spelled))


def _asked(request: DedupeRequest | QueryRequest) -> Any:
    result: Any = ask_for_python(request)
    if request.answer.list is None:
        return result.spelled(spelled)
    rows = (row for block in result.blocks(Look(listing=request.answer.list)) for row in block.rows)
    return tuple(rows if lists_groups(request.answer.list) else (name for (name,) in rows))


@with_keywords_of(ReportRequest, "answer")
def report(answer: Path | Deduplication | SavedAnswer, **keywords: Unpack[ReportKeywords]) -> Report:
    """Return a Report of what `dedupe` has found, or of an answer that was saved (X.answer).

    Its html() is one page with figures, groups and what differs in their pairs, and its figure(name) is one image.
    """
    return cast("Report", ask_for_python(ReportRequest(answer=answer, **keywords)))


@overload
def compare(
    a: Path | Shingles | Signatures | BandIndex,
    b: Path,
    /,
    *,
    trace: Literal[False] | None = ...,
    passages: Literal[False] | None = ...,
    **keywords: Unpack[CompareKeywords],
) -> Comparison: ...


@overload
def compare(
    *documents: Path | Shingles | Signatures | BandIndex, trace: Literal[True], **keywords: Unpack[CompareKeywords]
) -> SlotTrace: ...


@overload
def compare(
    *documents: Path | Shingles | Signatures | BandIndex, passages: Literal[True], **keywords: Unpack[CompareKeywords]
) -> CommonPassages: ...


@overload
def compare(
    *documents: Path | Shingles | Signatures | BandIndex,
    trace: Literal[False] | None = ...,
    passages: Literal[False] | None = ...,
    **keywords: Unpack[CompareKeywords],
) -> Comparison | SimilarityMatrix: ...


@with_keywords_of(CompareRequest)
def compare(*documents: Any, **keywords: Any) -> Any:
    """Compare texts: files, or after an artifact the names of its documents. Return a Comparison of two texts.

    More than two give a SimilarityMatrix. With several units or values of k, the Comparison has the measures of each.
    With trace=True, return a SlotTrace: how MinHash computes the signatures, row by row. With passages=True, return
    CommonPassages: the passages that two texts have in common, and where they are.
    """
    return ask(CompareRequest(documents=documents, **keywords))


_Shown = tuple[tuple[float | int | str | bytes, ...], ...]


@overload
def show(file: Path | Artifact, *documents: Path, text: None = ..., **keywords: Unpack[ShowKeywords]) -> _Shown: ...


@overload
def show(*, text: str | bytes, **keywords: Unpack[ShowKeywords]) -> _Shown: ...


@with_keywords_of(ShowRequest, "file")
def show(file: Any = None, *documents: Any, **keywords: Any) -> _Shown:
    """Return a tuple with each shingle of a text and its token, in the order of the text.

    The text is in a file, or is given as text=. Of an artifact, return the rows of a table that shows what it holds:
    its documents (all, or those that are named) with their tokens or signatures, its buckets, or its candidate pairs.
    Names are bytes.
    """
    with running() as run:
        shown: Any = ask(ShowRequest(file=b"" if file is None else file, documents=documents, **keywords), run)
        return tuple(shown.rows())


@with_keywords_of(SimilarityRequest, "a", "b")
def similarity(a: str | bytes, b: str | bytes, **keywords: Unpack[SimilarityKeywords]) -> float:
    """Return the exact similarity of two texts, from 0.0 to 1.0. A text without shingles has 0.0 with any.

    a, b: the texts themselves, not paths: use Path.read_bytes() for files. With multiset=True, repeats count in
    jaccard, containment and overlap.
    """
    from simdocs.commands.compare import similarity_of

    return similarity_of(SimilarityRequest(**keywords), a, b)


def info(artifact: Path | Artifact) -> ArtifactInfo:
    """Read what an artifact holds, and return it as an ArtifactInfo: parameters, arrays and counts.

    Raises ArtifactError or InputError if the artifact cannot be opened.
    """
    return cast("ArtifactInfo", ask(InfoRequest(artifact=_path_or_artifact(artifact))))


def check(*artifacts: Path | Artifact) -> CheckResult:
    """Read all of these artifacts and return a CheckResult, which lists everything that is wrong with them."""
    return cast("CheckResult", ask(CheckRequest(artifacts=tuple(map(_path_or_artifact, artifacts)))))


def _path_or_artifact(given: Path | Artifact) -> bytes | Artifact:
    return given if isinstance(given, Artifact) else encoded_path(given)


@with_keywords_of(TuneRequest)
def tune(*documents: Path | Shingles | Signatures | BandIndex, **keywords: Unpack[TuneKeywords]) -> Tuning:
    """Choose bands for a threshold and a recall, and return a Tuning: what they find.

    With documents or texts, it has the expected numbers of missed pairs and of false candidates among them.
    """
    return cast("Tuning", ask_for_python(TuneRequest(documents=documents, **keywords)).spelled(spelled))


@with_keywords_of(AuditRequest)
def audit(*documents: Path | Shingles | Signatures | BandIndex, **keywords: Unpack[AuditKeywords]) -> Audit:
    """Measure how many similar pairs the bands find, and return an Audit: all pairs, those found, and the recall."""
    return cast("Audit", ask_for_python(AuditRequest(documents=documents, **keywords)))
