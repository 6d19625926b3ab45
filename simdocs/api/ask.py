"""The entry point: a request in, a result out. The command line and Python callers both go through it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from importlib import import_module
from typing import TYPE_CHECKING, Any

from simdocs.engines.run import Explain, Progress, Run, no_explanation, no_progress
from simdocs.errors import InputError, Problem, UnjudgedError, UsageError, mention, spelled
from simdocs.kernels.native import kernels_in_use
from simdocs.model.answers import AS_A_WHOLE, Answer, Delivery
from simdocs.model.names import display_name
from simdocs.model.skipped import Skipped
from simdocs.parameters.answers import Running
from simdocs.parameters.families import ENGINES
from simdocs.parameters.values import Path
from simdocs.requests.building import BuildRequest, MergeRequest
from simdocs.requests.request import Request
from simdocs.requests.searching import DedupeRequest, QueryRequest
from simdocs.requests.sources import ReadRequest
from simdocs.requests.studying import (
    AuditRequest,
    CheckRequest,
    CompareRequest,
    InfoRequest,
    ShowRequest,
    TuneRequest,
)

if TYPE_CHECKING:
    from simdocs.storage.output_stream import OutputStream

ALONE = Running(jobs=1)
"""A run in this process alone."""


@contextmanager
def running(
    how: Running = ALONE,
    progress: Progress = no_progress,
    skipped: Skipped | None = None,
    explain: Explain | None = None,
    *,
    quiet: bool = False,
) -> Iterator[Run]:
    """A run that is closed at the end.

    how: the engine, and the number of its workers; by default there are none but this process.
    skipped: records the skips; None: all of them are kept.
    quiet: no software that the engine needs may print its log.
    """
    explain = explain or no_explanation
    with ENGINES[how.engine].load()(how, progress, explain, quiet=quiet) as engine:
        yield Run(engine, skipped, progress, explain)


def ask(request: Request, run: Run | None = None, delivery: Delivery = AS_A_WHOLE) -> Any:
    """Return the result that answers a request.

    UsageError: the request makes no sense, or kernels are wanted that are not installed.
    UnjudgedError: with `strict`, a document could not be judged.
    run: may be None for compare, info and check.
    """
    kernels_in_use()
    with ExitStack() as publishing:
        if delivery.publishing is None:
            delivery = delivery._replace(publishing=publishing)
        result = _answer(request, run, delivery)
        if run is not None and isinstance(request, ReadRequest) and request.running.strict and run.skipped.unjudged:
            raise UnjudgedError(run.skipped)
    return result


_MODULES = {"pairs": "pairs", "passages": "repeats", "report": "report", "act": "act", "undo": "undo"}
"""The modules that answer questions whose requests need not be told apart here."""


def _answer(request: Request, run: Any, delivery: Delivery) -> Any:
    """The answer of the module that answers this question. Importing all of them would double the start of each."""
    if isinstance(request, DedupeRequest):
        from simdocs.commands import dedupe

        return dedupe.answer(request, run, delivery)
    if isinstance(request, QueryRequest):
        from simdocs.commands import query

        return query.answer(request, run, delivery)
    if isinstance(request, BuildRequest):
        if request.target.dry_run:
            from simdocs.commands import dry_run

            return dry_run.answer(request, run, delivery)
        from simdocs.commands import build

        return build.answer(request, run, delivery)
    if isinstance(request, MergeRequest):
        from simdocs.commands import merge

        return merge.answer(request, run, delivery)
    if isinstance(request, CompareRequest):
        from simdocs.commands import compare

        return compare.answer(request, run, delivery)
    if isinstance(request, TuneRequest):
        from simdocs.commands import tune

        return tune.answer(request, run, delivery)
    if isinstance(request, AuditRequest):
        from simdocs.commands import audit

        return audit.answer(request, run, delivery)
    if isinstance(request, ShowRequest):
        from simdocs.commands import show

        return show.answer(request, run, delivery)
    if request.question in _MODULES:
        return import_module(f"simdocs.commands.{_MODULES[request.question]}").answer(request, run, delivery)
    from simdocs.commands import info

    if isinstance(request, InfoRequest):
        return info.answer(request, run, delivery)
    assert isinstance(request, CheckRequest)
    return info.check(request, run, delivery)


def ask_for_python(request: Request, delivery: Delivery = AS_A_WHOLE, build: Build | None = None) -> Any:
    """Return the result that answers a request of a Python caller, and write its summary if that was asked for.

    Errors: see `ask`. OutputError: the summary cannot be written; then nothing else is published.
    build: makes the result instead of `ask`, and keeps it in memory.
    """
    began = time.monotonic()
    with ExitStack() as stack:
        # The file that is opened first is published last, so there is no summary without its answer.
        note = stack.enter_context(_summary_of(request))
        run = stack.enter_context(running_for_python(request))

        def conclude(result: Answer) -> None:
            if note is not None:
                note.write(summary_in_json(result, time.monotonic() - began))
                note.prepare()

        path = request.given.get("summary_json")
        outputs = () if path is None else (os.fsdecode(path),)
        asked = delivery._replace(outputs=outputs, publishing=stack, conclude=conclude)
        result = ask(request, run, asked) if build is None else build(run, asked)
        if build is not None or not isinstance(request, BuildRequest | MergeRequest) or request.target.dry_run:
            conclude(result)
    return result


Build = Callable[[Run, Delivery], Answer]
"""Builds an artifact in memory, and returns the facts about it."""


def summary_in_json(result: Answer, seconds: float, spelling: Callable[[str], str] = spelled) -> bytes:
    """The summary of a result as a file of JSON. seconds: how long the result took."""
    import json

    facts = result.spelled(spelling).summary(round(seconds, 3))
    if "warnings" in facts:  # those of a run, which is not over yet
        facts["warnings"] = list(map(spelling, facts["warnings"]))
    return json.dumps(facts, indent=2, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"


def _summary_of(request: Request) -> AbstractContextManager[OutputStream | None]:
    """A stream that becomes the summary of a run, after everything else was published; None if none is wanted."""
    path = request.given.get("summary_json")
    if path is None:
        return nullcontext()
    if path == b"-":
        text = f"{mention('summary_json')} must be a file, not -: use /dev/stdout for standard output"
        raise UsageError(Problem(text, "summary_json"))
    from simdocs.artifacts.recognise import is_artifact
    from simdocs.storage.atomic_file import atomic_file

    return atomic_file(os.fsdecode(path), is_artifact)


@contextmanager
def running_for_python(request: Request) -> Iterator[Run]:
    """A run whose warnings, when it is over, spell parameters as in Python."""
    how = request.running if isinstance(request, ReadRequest) else ALONE
    if how.jobs is None and ENGINES[how.engine].by_processes:
        how = how.but(jobs=1)
    with running(how) as run:
        try:
            yield run
        finally:
            run.skipped.warnings[:] = map(spelled, run.skipped.warnings)


def encoded_path(path: Path) -> bytes:
    """A path as bytes. UsageError: not a path. InputError: it contains NUL."""
    try:
        encoded = os.fsencode(path)
    except TypeError:
        raise UsageError(f"{type(path).__name__} is not a path") from None
    if b"\0" in encoded:
        raise InputError(f"{display_name(encoded)}: a path cannot contain NUL")
    return encoded
