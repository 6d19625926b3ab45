"""Runs of commands in this process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from simdocs.engines.local import Local
from simdocs.engines.run import Run


@contextmanager
def running(jobs: int = 1, **more: Any) -> Iterator[Run]:
    """Return a run with this many processes, which start even for a single task."""
    with Local(jobs, 1) as engine:
        yield Run(engine, **more)
