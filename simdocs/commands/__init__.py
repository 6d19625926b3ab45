"""One file for each question: its options, its rules, and its answer, from top to bottom."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from simdocs.errors import UnjudgedError
from simdocs.options.declaration import Options

if TYPE_CHECKING:
    from simdocs.engines.run import Run
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


def question(name: str) -> Question:  # noqa: PLR0912  (a case for each command)
    """The question of a command, imported now: importing all of them would double the time to start."""
    match name:
        case "dedupe":
            from simdocs.commands import dedupe

            return Question(dedupe.Dedupe, dedupe.answer)
        case "pairs":
            from simdocs.commands import pairs

            return Question(pairs.Pairs, pairs.answer)
        case "passages":
            from simdocs.commands import pairs

            return Question(pairs.Passages, pairs.passages)
        case "query":
            from simdocs.commands import query

            return Question(query.Query, query.answer)
        case "report":
            from simdocs.commands import report

            return Question(report.Report, report.answer)
        case "act":
            from simdocs.commands import act

            return Question(act.Act, act.answer)
        case "undo":
            from simdocs.commands import act

            return Question(act.Undo, act.undo)
        case "shingle" | "signature" | "index":
            from simdocs.commands import build

            stages = {"shingle": build.Shingle, "signature": build.Signature, "index": build.Index}
            return Question(stages[name], build.answer)
        case "merge":
            from simdocs.commands import build

            return Question(build.Merge, build.merge)
        case "compare":
            from simdocs.commands import compare

            return Question(compare.Compare, compare.answer)
        case "similarity":
            from simdocs.commands import compare

            return Question(compare.Similarity, compare.similarity_of)
        case "tune":
            from simdocs.commands import tune

            return Question(tune.Tune, tune.answer)
        case "audit":
            from simdocs.commands import audit

            return Question(audit.Audit, audit.answer)
        case "show":
            from simdocs.commands import info

            return Question(info.Show, info.show)
        case "info":
            from simdocs.commands import info

            return Question(info.Info, info.answer)
        case "check":
            from simdocs.commands import info

            return Question(info.Check, info.check)
        case "spark dedupe":
            from simdocs.spark import commands as of_cluster

            return Question(of_cluster.Dedupe, of_cluster.answer)
        case "spark pairs":
            from simdocs.spark import commands as of_cluster

            return Question(of_cluster.Pairs, of_cluster.answer)
        case "spark signature":
            from simdocs.spark import commands as of_cluster

            return Question(of_cluster.Signature, of_cluster.answer)
    raise KeyError(name)


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
