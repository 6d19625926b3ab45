"""The entry point: a request in, a result out. The command line and Python callers both go through it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from types import MappingProxyType
from typing import Any

from simdocs.engines.local import Local, cores
from simdocs.engines.run import Explain, Progress, Run, no_explanation, no_progress
from simdocs.errors import InputError, UnjudgedError, UsageError, spelled
from simdocs.model.answers import AS_A_WHOLE, Delivery
from simdocs.model.names import display_name
from simdocs.model.skipped import Skipped
from simdocs.parameters.values import Path
from simdocs.requests.checked_request import CheckedRequest
from simdocs.requests.read_request import Request

ANSWERED_BY: Mapping[str, str] = MappingProxyType(
    {
        "shingle": "build",
        "signature": "build",
        "index": "build",
        "dedupe": "dedupe",
        "query": "query",
        "compare": "compare",
        "tune": "tune",
        "audit": "audit",
        "show": "show",
        "info": "info",
        "check": "check",
    }
)
"""The module of simdocs.commands whose `answer` answers each question.

It is imported when the question is asked: importing all of them would double the start of each.
"""


@contextmanager
def running(
    jobs: int | None,
    progress: Progress = no_progress,
    skipped: Skipped | None = None,
    explain: Explain | None = None,
) -> Iterator[Run]:
    """A run with this many processes. None: as many as there are cores that this process may use.

    skipped: where skips are recorded; None: all of them are kept.
    """
    with Local(jobs or cores()) as engine:
        yield Run(engine, skipped, progress, explain or no_explanation)


def ask(request: CheckedRequest, run: Run | None = None, delivery: Delivery = AS_A_WHOLE) -> Any:
    """Return the result that answers a request. run: None suits questions about single texts.

    UsageError: what was asked makes no sense. UnjudgedError: with `strict`, a document could not be judged.
    """
    module = "dry_run" if getattr(request, "dry_run", None) else ANSWERED_BY[request.question]
    result = import_module(f"simdocs.commands.{module}").answer(request, run, delivery)
    if run is not None and getattr(request, "strict", None) and run.skipped.unjudged:
        raise UnjudgedError(run.skipped)
    return result


@contextmanager
def running_for_python(request: Request) -> Iterator[Run]:
    """A run whose warnings spell parameters as Python does when it is over."""
    with running(request.jobs or 1) as run:
        try:
            yield run
        finally:
            run.skipped.warnings[:] = map(spelled, run.skipped.warnings)


def encoded_path(path: Path) -> bytes:
    """The bytes of a path. UsageError, InputError: it is none."""
    try:
        encoded = os.fsencode(path)
    except TypeError:
        raise UsageError(f"{type(path).__name__} is not a path") from None
    if b"\0" in encoded:
        raise InputError(f"{display_name(encoded)}: a path cannot contain NUL")
    return encoded
