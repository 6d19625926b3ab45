"""The Python functions that build artifacts: shingle, signature, index."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, Unpack, overload

from simdocs.api import inspecting
from simdocs.api.ask import ask
from simdocs.api.docstrings import with_keywords_of
from simdocs.api.for_python import as_in_python, running_for_python
from simdocs.model.artifact import Artifact, BandIndex, Shingles, Signatures
from simdocs.model.build_results import BuildResult, DryRun
from simdocs.requests.build_requests import BuildRequest, IndexRequest, ShingleRequest, SignatureRequest
from simdocs.values import Path

if TYPE_CHECKING:
    from simdocs.api.keywords import IndexKeywords, ShingleKeywords, SignatureKeywords


@overload
def shingle(
    *documents: Path, dry_run: Literal[False] | None = ..., **keywords: Unpack[ShingleKeywords]
) -> Shingles: ...


@overload
def shingle(*documents: Path, dry_run: Literal[True], **keywords: Unpack[ShingleKeywords]) -> DryRun: ...


@with_keywords_of(ShingleRequest)
def shingle(*documents: Any, **keywords: Any) -> Any:
    """Turn documents (files and directories) or texts into token sets, and return them as Shingles.

    With dry_run=True, write nothing, and return a DryRun: what would change in the artifact at `output`.
    """
    return _built(ShingleRequest(documents=documents, **keywords))


@overload
def signature(
    *documents: Path | Shingles, dry_run: Literal[False] | None = ..., **keywords: Unpack[SignatureKeywords]
) -> Signatures: ...


@overload
def signature(*documents: Path | Shingles, dry_run: Literal[True], **keywords: Unpack[SignatureKeywords]) -> DryRun: ...


@with_keywords_of(SignatureRequest)
def signature(*documents: Any, **keywords: Any) -> Any:
    """Compute the Signatures of documents, texts, or token sets (Shingles, or the path of X.shingles).

    With dry_run=True, write nothing, and return a DryRun: what would change in the artifact at `output`.
    """
    return _built(SignatureRequest(documents=documents, **keywords))


@overload
def index(
    *documents: Path | Shingles | Signatures | BandIndex,
    dry_run: Literal[False] | None = ...,
    **keywords: Unpack[IndexKeywords],
) -> BandIndex: ...


@overload
def index(
    *documents: Path | Shingles | Signatures | BandIndex, dry_run: Literal[True], **keywords: Unpack[IndexKeywords]
) -> DryRun: ...


@with_keywords_of(IndexRequest)
def index(*documents: Any, **keywords: Any) -> Any:
    """Build a BandIndex of documents, texts, token sets or signatures, or an index with other bands from an index.

    With dry_run=True, write nothing, and return a DryRun: what would change in the artifact at `output`.
    """
    return _built(IndexRequest(documents=documents, **keywords))


def _built(request: BuildRequest) -> Artifact | DryRun:
    from simdocs.artifacts.memory_writer import MemoryWriter
    from simdocs.commands.build import build, plan_build

    with running_for_python(request) as run:
        if request.dry_run:
            found: DryRun = ask(request, run)
            return replace(found, built=as_in_python(found.built))
        if request.output is None:
            memory = MemoryWriter(request.kind)
            build(plan_build(request), memory, run)
            return memory.artifact(run.skipped)
        result: BuildResult = ask(request, run)
    made = inspecting.open(request.output)
    # Texts cannot be read again from the disk.
    return replace(made, held=result.documents.held, skipped=result.skipped)
