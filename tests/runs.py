"""Runs of commands in this process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from simdocs.commands import ask
from simdocs.engines.engine import Run
from simdocs.engines.local import Local
from simdocs.storage import syscalls


@contextmanager
def running(jobs: int = 1, **more: Any) -> Iterator[Run]:
    """Return a run with this many processes, which start even for a single task."""
    with Local(jobs, 1) as engine:
        yield Run(engine, **more)


def answered(options: Any, jobs: int = 1, **more: Any) -> Any:
    """Return the result that answers a question."""
    with running(jobs, **more) as run:
        return ask(options, run)


def eager_workers(patch: pytest.MonkeyPatch) -> None:
    """Start workers even for a single task, whoever makes the engine."""
    patch.setattr(Local.__init__, "__defaults__", (1,))


def without_sync(patch: Any) -> None:
    """Do not wait for the disk, where nothing about it is tested."""
    patch.setattr(syscalls, "sync", lambda descriptor: None)
