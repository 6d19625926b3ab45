"""What differs for Python callers: one process unless they ask for more, and messages that name keywords."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from simdocs.api.ask import running
from simdocs.engines.run import Run
from simdocs.errors import InputError, UsageError, spelled
from simdocs.model.names import display_name
from simdocs.requests.read_request import Request
from simdocs.values import Path


@contextmanager
def running_for_python(request: Request) -> Iterator[Run]:
    """A run whose warnings spell parameters as Python does when it is over."""
    with running(request.jobs or 1) as run:
        try:
            yield run
        finally:
            run.skipped.warnings[:] = map(spelled, run.skipped.warnings)


def as_in_python(result: Any) -> Any:
    """The result with the parameters that its texts mention spelled as in Python."""
    texts: dict[str, Any] = {}
    if hasattr(result, "advice"):
        texts["advice"] = tuple(map(spelled, result.advice))
    if hasattr(result, "next"):
        texts["next"] = spelled(result.next)
    if hasattr(result, "update"):
        texts["update"] = replace(result.update, note=spelled(result.update.note))
    return replace(result, **texts) if texts else result


def encoded_path(path: Path) -> bytes:
    """The bytes of a path. UsageError, InputError: it is none."""
    try:
        encoded = os.fsencode(path)
    except TypeError:
        raise UsageError(f"{type(path).__name__} is not a path") from None
    if b"\0" in encoded:
        raise InputError(f"{display_name(encoded)}: a path cannot contain NUL")
    return encoded
