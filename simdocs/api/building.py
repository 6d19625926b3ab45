"""The Python functions that build artifacts: shingle, signature, index."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, Unpack, cast, overload

from simdocs.api.ask import as_in_python, ask, encoded_path, running_for_python
from simdocs.api.docstrings import with_keywords_of
from simdocs.artifacts.formats import FORMATS
from simdocs.artifacts.reader import checked, open_artifact, usable
from simdocs.commands.resolve import opened
from simdocs.model.artifact import Artifact, BandIndex, Shingles, Signatures
from simdocs.model.audited import Audit
from simdocs.model.build_results import ArtifactInfo, BuildResult, CheckResult, DryRun
from simdocs.model.tuning import Tuning
from simdocs.parameters.values import Path
from simdocs.requests.audit_request import AuditRequest, TuneRequest
from simdocs.requests.build_requests import BuildRequest, IndexRequest, ShingleRequest, SignatureRequest

if TYPE_CHECKING:
    from simdocs.api.keywords import AuditKeywords, IndexKeywords, ShingleKeywords, SignatureKeywords, TuneKeywords


def info(artifact: Path) -> ArtifactInfo:
    """Read what an artifact holds, and return it as an ArtifactInfo: parameters, arrays and counts.

    Raises ArtifactError or InputError if the artifact cannot be opened.
    """
    from simdocs.commands.info import info as facts_of

    return facts_of(opened(encoded_path(artifact), tuple(FORMATS)))


def check(*artifacts: Path) -> CheckResult:
    """Read all of these artifacts and return a CheckResult, which lists everything that is wrong with them."""
    from simdocs.commands.info import check as check_paths

    return check_paths([encoded_path(artifact) for artifact in artifacts])


def open(artifact: Path) -> Shingles | Signatures | BandIndex:  # noqa: A001  (simdocs.open, as gzip.open)
    """Open an artifact, check all of it, and return it with memory-mapped arrays.

    Raises ArtifactError if it is damaged, and InputError if it does not exist or cannot be read.
    """
    opened = checked(usable(open_artifact(encoded_path(artifact)), FORMATS))
    return cast(Shingles | Signatures | BandIndex, opened)


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
    from simdocs.artifacts.writer import MemoryWriter
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
    made = open(request.output)
    # Texts cannot be read again from the disk.
    return replace(made, held=result.documents.held, skipped=result.skipped)


@with_keywords_of(TuneRequest)
def tune(*documents: Path | Shingles | Signatures | BandIndex, **keywords: Unpack[TuneKeywords]) -> Tuning:
    """Choose bands for a threshold and a recall, and return a Tuning: what they find.

    With documents or texts, it has the expected numbers of missed pairs and of false candidates among them.
    """
    request = TuneRequest(documents=documents, **keywords)
    with running_for_python(request) as run:
        result: Any = ask(request, run)
    tuning: Tuning = as_in_python(result)
    return tuning


@with_keywords_of(AuditRequest)
def audit(*documents: Path | Shingles | Signatures | BandIndex, **keywords: Unpack[AuditKeywords]) -> Audit:
    """Measure how many similar pairs the bands find, and return an Audit: all pairs, those found, and the recall."""
    request = AuditRequest(documents=documents, **keywords)
    with running_for_python(request) as run:
        result: Audit = ask(request, run)
    return result
