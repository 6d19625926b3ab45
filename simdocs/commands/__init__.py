"""One file for each question: its options, its rules, and its answer, from top to bottom."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

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


class Question(NamedTuple):
    """What a command is asked, and what answers it."""

    options: type[Options]
    answer: Callable[..., Any]


def question(name: str) -> Question:
    """The question of a command, imported now: importing all of them would double the time to start."""
    found: dict[str, tuple[type[Options], Callable[..., Any]]]
    match name:
        case "dedupe":
            from simdocs.commands import dedupe

            found = {"dedupe": (dedupe.Dedupe, dedupe.answer)}
        case "pairs" | "passages":
            from simdocs.commands import pairs

            found = {"pairs": (pairs.Pairs, pairs.answer), "passages": (pairs.Passages, pairs.passages)}
        case "query":
            from simdocs.commands import query

            found = {"query": (query.Query, query.answer)}
        case "report":
            from simdocs.commands import report

            found = {"report": (report.Report, report.answer)}
        case "act" | "undo":
            from simdocs.commands import act

            found = {"act": (act.Act, act.answer), "undo": (act.Undo, act.undo)}
        case "shingle" | "signature" | "index" | "merge":
            from simdocs.commands import build

            stages = {"shingle": build.Shingle, "signature": build.Signature, "index": build.Index}
            found = {stage: (options, build.answer) for stage, options in stages.items()}
            found["merge"] = (build.Merge, build.merge)
        case "compare" | "similarity":
            from simdocs.commands import compare

            found = {
                "compare": (compare.Compare, compare.answer),
                "similarity": (compare.Similarity, compare.similarity_of),
            }
        case "tune":
            from simdocs.commands import tune

            found = {"tune": (tune.Tune, tune.answer)}
        case "audit":
            from simdocs.commands import audit

            found = {"audit": (audit.Audit, audit.answer)}
        case "show" | "info" | "check":
            from simdocs.commands import info

            found = {
                "show": (info.Show, info.show),
                "info": (info.Info, info.answer),
                "check": (info.Check, info.check),
            }
        case "spark dedupe" | "spark pairs" | "spark signature":
            from simdocs.spark import commands

            of_cluster = {"dedupe": commands.Dedupe, "pairs": commands.Pairs, "signature": commands.Signature}
            found = {f"spark {each}": (options, commands.answer) for each, options in of_cluster.items()}
        case _:
            raise KeyError(name)
    return Question(*found[name])


def ask(options: Any, run: Run) -> Any:
    """The result that answers a question.

    UsageError: what was asked makes no sense, or kernels are wanted that are not installed. UnjudgedError: with
    --strict, a document could not be judged.
    """
    from simdocs.kernels.native import kernels_in_use

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
