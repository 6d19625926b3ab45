"""The public functions that build artifacts and open them: shingle, signature, index, merge and open."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Unpack, cast, overload

from simdocs.api.ask import ask_for_python, encoded_path
from simdocs.api.docstrings import with_keywords_of
from simdocs.artifacts.formats import FORMATS
from simdocs.artifacts.reader import checked, open_artifact, usable
from simdocs.errors import spelled
from simdocs.model.artifact import Artifact, BandIndex, Shingles, Signatures
from simdocs.parameters.values import Path
from simdocs.requests.building import BuildRequest, IndexRequest, MergeRequest, ShingleRequest, SignatureRequest

if TYPE_CHECKING:
    from simdocs.api.keywords import IndexKeywords, MergeKeywords, ShingleKeywords, SignatureKeywords
    from simdocs.engines.run import Run
    from simdocs.model.answers import Delivery
    from simdocs.model.build_results import BuildResult, DryRun


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


@with_keywords_of(MergeRequest)
def merge(
    *artifacts: Path | Shingles | Signatures | BandIndex, **keywords: Unpack[MergeKeywords]
) -> Shingles | Signatures | BandIndex:
    """Return the artifact that one run over the documents of these artifacts of one kind would have built.

    The documents are not read. The arrays have the same bytes as those of one run over the same arguments in order.
    """
    request = MergeRequest(artifacts=artifacts, **keywords)
    return cast(Shingles | Signatures | BandIndex, _built(request))


def _built(request: BuildRequest | MergeRequest) -> Artifact | DryRun:
    if request.target.dry_run:
        return cast("DryRun", ask_for_python(request).spelled(spelled))
    if request.target.output is None:
        return _in_memory(request)
    result: BuildResult = ask_for_python(request)
    made = open(request.target.output)
    # Texts cannot be read again from the disk.
    documents = result.documents
    return made.but(held=documents.held, given_names=documents.given_names, skipped=result.skipped)


def _in_memory(request: BuildRequest | MergeRequest) -> Artifact:
    from simdocs.artifacts.writer import MemoryWriter

    made = list[Artifact]()

    def build(run: Run, delivery: Delivery) -> BuildResult:
        if isinstance(request, MergeRequest):
            from simdocs.commands.merge import merge, planned
            from simdocs.commands.standing import NOTHING

            plan = planned(request)
            memory = MemoryWriter(plan.kind)
            result = merge(plan, memory, run, NOTHING)
        else:
            from simdocs.commands.build import build
            from simdocs.commands.resolve import resolve

            memory = MemoryWriter(request.kind)
            result = build(resolve(request, delivery.outputs), memory, run)
        made.append(memory.artifact(run.skipped))
        return result

    ask_for_python(request, build=build)
    return made[0]
