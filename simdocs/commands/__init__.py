"""One file for each question: its options, its rules, and its answer; and files that serve several of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from simdocs.errors import UnjudgedError
from simdocs.options.declaration import Options

if TYPE_CHECKING:
    from simdocs.engines.engine import Run
    from simdocs.model.result import Result
    from simdocs.storage.atomic_file import OutputStream


QUESTIONS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "Find near-duplicates, and act on them": ("dedupe", "pairs", "passages", "query", "report", "act", "undo"),
        "Build artifacts, from documents or other artifacts": ("shingle", "signature", "index", "merge"),
        "Look closer": ("compare", "tune", "audit", "show", "info", "check"),
        "Work on a cluster": ("spark dedupe", "spark pairs", "spark signature"),
    }
)
"""The commands below the headings of the help. One of two words belongs to the group of the first."""


def question(name: str) -> tuple[type[Options], Callable[..., Any]]:
    """What a command is asked, and what answers it, imported now: importing all would double the time to start."""
    match name:
        case "dedupe":
            from simdocs.commands import dedupe

            return dedupe.Dedupe, dedupe.answer
        case "pairs" | "passages":
            from simdocs.commands import pairs

            return (pairs.Pairs, pairs.answer) if name == "pairs" else (pairs.Passages, pairs.passages)
        case "query":
            from simdocs.commands import query

            return query.Query, query.answer
        case "report":
            from simdocs.commands import report

            return report.Report, report.answer
        case "act" | "undo":
            from simdocs.commands import act

            return (act.Act, act.answer) if name == "act" else (act.Undo, act.undo)
        case "shingle" | "signature" | "index" | "merge":
            from simdocs.commands import build

            stages = {"shingle": build.Shingle, "signature": build.Signature, "index": build.Index}
            return (stages[name], build.answer) if name in stages else (build.Merge, build.merge)
        case "compare" | "similarity":
            from simdocs.commands import compare

            of_two = compare.Similarity, compare.similarity_of
            return (compare.Compare, compare.answer) if name == "compare" else of_two
        case "tune":
            from simdocs.commands import tune

            return tune.Tune, tune.answer
        case "audit":
            from simdocs.commands import audit

            return audit.Audit, audit.answer
        case "show" | "info" | "check":
            from simdocs.commands import info

            if name == "check":
                return info.Check, info.check
            return (info.Show, info.show) if name == "show" else (info.Info, info.answer)
        case "spark dedupe" | "spark pairs" | "spark signature":
            from simdocs.spark import commands

            of_cluster = {"dedupe": commands.Dedupe, "pairs": commands.Pairs, "signature": commands.Signature}
            return of_cluster[name.split()[1]], commands.answer
    raise KeyError(name)


def ask(options: Any, run: Run) -> Any:
    """The result that answers a question.

    UsageError: what was asked makes no sense, or kernels are wanted that are not installed. UnjudgedError: with
    --strict, a document could not be judged.
    """
    from simdocs.kernels.native import kernels_in_use

    kernels_in_use()
    _, answer = question(options.command)
    result = answer(options, run)
    if getattr(options, "strict", False) and run.skipped.unjudged:
        raise UnjudgedError(run.skipped)
    return result


def write_summary(file: OutputStream, result: Result, seconds: float) -> None:
    """Write the summary of a result as JSON, so that only publishing can still fail. seconds: what the result took."""
    import json

    facts = result.summary(round(seconds, 3))
    file.write(json.dumps(facts, indent=2, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n")
    file.prepare()
