"""The entry point of the command line and of Python: what was asked goes in, and the result comes out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from simdocs.commands import question
from simdocs.engines.run import Run
from simdocs.errors import UnjudgedError
from simdocs.kernels.native import kernels_in_use

if TYPE_CHECKING:
    from simdocs.model.result import Result
    from simdocs.storage.output_stream import OutputStream


def ask(options: Any, run: Run) -> Any:
    """The result that answers a question.

    UsageError: what was asked makes no sense, or kernels are wanted that are not installed. UnjudgedError: with
    --strict, a document could not be judged.
    """
    kernels_in_use()
    result = question(options.command).answer(options, run)
    if getattr(options, "strict", False) and run.skipped.unjudged:
        raise UnjudgedError(run.skipped)
    return result


def write_summary(file: OutputStream, result: Result, seconds: float) -> None:
    """Write the summary of a result as JSON, so that only publishing can still fail. seconds: what the result took."""
    import json

    facts = result.summary(round(seconds, 3))
    file.write(json.dumps(facts, indent=2, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n")
    file.prepare()
