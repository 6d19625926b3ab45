"""The entry point: a request in, a result out. The command line and Python callers both go through it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib import import_module
from typing import Any

from simdocs.engines.run import Explain, Progress, Run, no_explanation, no_progress
from simdocs.errors import InputError, UnjudgedError, UsageError, spelled
from simdocs.kernels.native import kernels_in_use
from simdocs.model.answers import AS_A_WHOLE, Delivery
from simdocs.model.names import display_name
from simdocs.model.skipped import Skipped
from simdocs.parameters.answers import Running
from simdocs.parameters.families import ENGINES
from simdocs.parameters.values import Path
from simdocs.requests.building import BuildRequest, MergeRequest
from simdocs.requests.request import Request
from simdocs.requests.searching import DedupeRequest, QueryRequest, ReportRequest
from simdocs.requests.sources import ReadRequest
from simdocs.requests.studying import (
    AuditRequest,
    CheckRequest,
    CompareRequest,
    InfoRequest,
    ShowRequest,
    TuneRequest,
)

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


def _answer(request: Request, run: Any, delivery: Delivery) -> Any:
    """The answer of the module that answers this question. Importing all of them would double the start of each."""
    if isinstance(request, DedupeRequest):
        from simdocs.commands import dedupe

        return dedupe.answer(request, run, delivery)
    if isinstance(request, QueryRequest):
        from simdocs.commands import query

        return query.answer(request, run, delivery)
    if isinstance(request, ReportRequest):
        from simdocs.commands import report

        return report.answer(request, run, delivery)
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
    if request.question in ("act", "undo"):  # whose requests are not imported, because few runs need them
        return import_module(f"simdocs.commands.{request.question}").answer(request, run, delivery)
    from simdocs.commands import info

    if isinstance(request, InfoRequest):
        return info.answer(request, run, delivery)
    assert isinstance(request, CheckRequest)
    return info.check(request, run, delivery)


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
