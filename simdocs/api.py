"""The front door: a request in, a result out. The command line and Python callers both go through it.

Python callers use the functions of the stages; nouns with NumPy arrays come back, and nothing is printed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields, replace
from inspect import Parameter, Signature, getdoc
from typing import TYPE_CHECKING, Any, Literal, TypeVar, Unpack, cast, overload

import numpy as np

from simdocs.artifacts.formats import FORMATS
from simdocs.artifacts.reader import checked, open_artifact, usable
from simdocs.checked_request import CheckedRequest
from simdocs.commands.resolve import opened
from simdocs.docstrings import docstring
from simdocs.engines.local import Local, cores
from simdocs.engines.run import Progress, Run, no_progress
from simdocs.errors import InputError, UnjudgedError, UsageError, spelled
from simdocs.model.artifact import Artifact, BandIndex, Shingles, Signatures
from simdocs.model.names import display_name, name_to_text
from simdocs.model.results import (
    ArtifactInfo,
    BuildResult,
    CheckResult,
    Deduplication,
    DryRun,
    Matches,
    SimilarPairs,
    Take,
)
from simdocs.model.skipped import Skipped
from simdocs.requests import (
    BuildRequest,
    DedupeRequest,
    IndexRequest,
    QueryRequest,
    Request,
    ShingleRequest,
    ShowRequest,
    SignatureRequest,
    SimilarityRequest,
)
from simdocs.values import Path

if TYPE_CHECKING:
    from simdocs.commands.build import Conclude
    from simdocs.commands.show import ShownText
    from simdocs.keywords import (
        DedupeKeywords,
        IndexKeywords,
        QueryKeywords,
        ShingleKeywords,
        ShowKeywords,
        SignatureKeywords,
        TokenKeywords,
    )

Answer = BuildResult | DryRun | Deduplication | SimilarPairs | Matches
"""What the door gives back for a request."""


Function = TypeVar("Function", bound=Callable[..., Any])


def _with_keywords_of(request: type[CheckedRequest], *arguments: str) -> Callable[[Function], Function]:
    """A decorator that makes help() show each keyword of a function, with its meaning and default."""
    named = [field.name for field in fields(request)]
    keywords = [*(name for name in ("texts", "names") if name in named), *request.parameters()]
    first = [Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in arguments]
    if "documents" in named:
        first.append(Parameter("documents", Parameter.VAR_POSITIONAL))
    signature = Signature([*first, *(Parameter(name, Parameter.KEYWORD_ONLY, default=None) for name in keywords)])

    def decorate(function: Function) -> Function:
        function.__signature__ = signature  # type: ignore[attr-defined]
        function.__doc__ = docstring(getdoc(function) or "", keywords, request.parameters())
        return function

    return decorate


@contextmanager
def running(jobs: int | None, progress: Progress = no_progress, skipped: Skipped | None = None) -> Iterator[Run]:
    """A run with this many processes. None: as many as there are cores that this process may use.

    skipped: where skips are recorded; None: all of them are kept.
    """
    with Local(jobs or cores()) as engine:
        yield Run(engine, Skipped() if skipped is None else skipped, progress)


def show_shingles(request: ShowRequest, take: Take | None = None) -> ShownText:
    """Answer a request for the shingles of one text. take: as of `ask`."""
    from simdocs.commands.show import show

    return show(request, take)


def list_changes(
    request: BuildRequest,
    run: Run,
    take: Take | None = None,
    outputs: Sequence[str | None] = (),
    *,
    unchanged: bool = False,
) -> DryRun:
    """Answer a request for a dry run. take, outputs, errors: as of `ask`. unchanged: list unchanged documents, too."""
    from simdocs.commands.dry_run import dry_run

    return dry_run(request, run, take, outputs, unchanged=unchanged)


def ask(
    request: Request,
    run: Run,
    take: Take | None = None,
    outputs: Sequence[str | None] = (),
    conclude: Conclude = lambda _: None,
) -> Answer:
    """Answer a request.

    take: is given the answer in blocks, in their final order; the result then has the counts alone where an answer may
    be larger than memory. outputs: files that are written, which must not be among the documents. conclude: is called
    with the result of a build before it is published.

    UsageError: what was asked makes no sense. UnjudgedError: with `strict`, a document could not be judged.
    """
    result = _answered(request, run, take, outputs, conclude)
    if request.strict and run.skipped.unjudged:
        raise UnjudgedError(run.skipped)
    return result


def _answered(
    request: Request, run: Run, take: Take | None, outputs: Sequence[str | None], conclude: Conclude
) -> Answer:
    # A question imports what it needs when it is asked: importing everything would double the start of the others.
    if isinstance(request, DedupeRequest):
        from simdocs.commands.dedupe import find_groups, find_pairs, plan_dedupe, read_documents

        plan = plan_dedupe(request, outputs)
        scope = read_documents(plan, run, linked=not request.pairs)
        if request.pairs:
            return find_pairs(plan, scope, run, all_copies=bool(request.all_copies), take=take)
        return find_groups(plan, scope, run, request.list, take)
    if isinstance(request, QueryRequest):
        from simdocs.commands.query import plan_query
        from simdocs.commands.query import query as look_up

        return look_up(plan_query(request, outputs), run, request.list, take)
    if isinstance(request, BuildRequest) and request.dry_run:
        return list_changes(request, run, take, outputs)
    if isinstance(request, BuildRequest):
        from simdocs.commands.build import build_onto_disk

        return build_onto_disk(request, run, outputs, conclude)
    raise TypeError(type(request).__name__)


def info(artifact: Path) -> ArtifactInfo:
    """Read what an artifact holds, and return it as an ArtifactInfo: parameters, arrays and counts.

    Raises ArtifactError or InputError if the artifact cannot be opened.
    """
    from simdocs.commands.info import info as facts_of

    return facts_of(opened(_path(artifact), tuple(FORMATS)))


def check(*artifacts: Path) -> CheckResult:
    """Read all of these artifacts and return a CheckResult, which lists everything that is wrong with them."""
    from simdocs.commands.check import check as check_paths

    return check_paths([_path(artifact) for artifact in artifacts])


def open(artifact: Path) -> Shingles | Signatures | BandIndex:  # noqa: A001  (simdocs.open, as gzip.open)
    """Open an artifact, check all of it, and return it with memory-mapped arrays.

    Raises ArtifactError if it is damaged, and InputError if it does not exist or cannot be read.
    """
    opened = checked(usable(open_artifact(_path(artifact)), FORMATS))
    return cast(Shingles | Signatures | BandIndex, opened)


@overload
def shingle(
    *documents: Path, dry_run: Literal[False] | None = ..., **keywords: Unpack[ShingleKeywords]
) -> Shingles: ...


@overload
def shingle(*documents: Path, dry_run: Literal[True], **keywords: Unpack[ShingleKeywords]) -> DryRun: ...


@_with_keywords_of(ShingleRequest)
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


@_with_keywords_of(SignatureRequest)
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


@_with_keywords_of(IndexRequest)
def index(*documents: Any, **keywords: Any) -> Any:
    """Build a BandIndex of documents, texts, token sets or signatures, or an index with other bands from an index.

    With dry_run=True, write nothing, and return a DryRun: what would change in the artifact at `output`.
    """
    return _built(IndexRequest(documents=documents, **keywords))


@overload
def query(
    index: Path | BandIndex,
    *documents: Path | Shingles | Signatures,
    list: None = ...,
    **keywords: Unpack[QueryKeywords],
) -> Matches: ...


@overload
def query(
    index: Path | BandIndex,
    *documents: Path | Shingles | Signatures,
    list: Literal["matches"],
    **keywords: Unpack[QueryKeywords],
) -> tuple[str, ...]: ...


@_with_keywords_of(QueryRequest, "index")
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


@_with_keywords_of(DedupeRequest)
def dedupe(*documents: Any, **keywords: Any) -> Any:
    """Find near-duplicates among documents or texts, and return a Deduplication.

    With pairs=True, return SimilarPairs: all pairs of near-duplicates. With list, return a tuple with the names of
    documents, or with lines of JSON Lines files.
    """
    return _asked(DedupeRequest(documents=documents, **keywords))


@_with_keywords_of(ShowRequest, "file")
def show(file: Path, **keywords: Unpack[ShowKeywords]) -> tuple[tuple[str, int], ...]:
    """Return a tuple with each shingle of the text in a file and its token, in the order of the text."""
    return show_shingles(ShowRequest(file=file, **keywords)).shingles


@_with_keywords_of(SimilarityRequest, "a", "b")
def similarity(a: str | bytes, b: str | bytes, **keywords: Unpack[TokenKeywords]) -> float:
    """Return the exact Jaccard similarity of two texts, from 0.0 to 1.0. A text without shingles has 0.0 with any.

    a, b: the texts themselves, not paths: use Path.read_bytes() for files.
    """
    from simdocs.commands.similarity import similarity_of

    return similarity_of(SimilarityRequest(**keywords), a, b)


def _asked(request: Any) -> Any:
    lines: list[Any] = []
    take: Take | None = lines.append if request.list is not None and request.list.endswith("-lines") else None
    with _running_for_python(request) as run:
        result: Any = ask(request, run, take)
    if request.list is None:
        return _spelled(result)
    if take is not None:
        return tuple(line for block in lines for line in block.lines)
    if request.list == "kept":
        return tuple(result.kept_names)
    _, first = np.unique(result.pairs.right, return_index=True)
    return tuple(name_to_text(result.names[1][at].tobytes()) for at in first.tolist())


@contextmanager
def _running_for_python(request: Request) -> Iterator[Run]:
    """A run whose warnings spell parameters as Python does when it is over."""
    with running(request.jobs or 1) as run:
        try:
            yield run
        finally:
            run.skipped.warnings[:] = map(spelled, run.skipped.warnings)


def _spelled(result: Any) -> Any:
    """The result with the parameters that its texts mention spelled as in Python."""
    return replace(result, advice=tuple(map(spelled, result.advice))) if hasattr(result, "advice") else result


def _built(request: BuildRequest) -> Artifact | DryRun:
    from simdocs.artifacts.memory_writer import MemoryWriter
    from simdocs.commands.build import build, plan_build

    with _running_for_python(request) as run:
        if request.dry_run:
            found = list_changes(request, run)
            return replace(found, built=_spelled(found.built))
        if request.output is None:
            memory = MemoryWriter(request.kind)
            build(plan_build(request), memory, run)
            return memory.artifact(run.skipped)
        result = cast(BuildResult, ask(request, run))
    made = open(request.output)
    # Texts cannot be read again from the disk.
    return replace(made, held=result.documents.held, skipped=result.skipped)


def _path(path: Path) -> bytes:
    try:
        encoded = os.fsencode(path)
    except TypeError:
        raise UsageError(f"{type(path).__name__} is no path") from None
    if b"\0" in encoded:
        raise InputError(f"{display_name(encoded)}: no path holds a NUL")
    return encoded
