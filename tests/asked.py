"""Requests to be made in tests: their arguments, and for each parameter a value and what it needs beside it."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from simdocs import requests
from simdocs.errors import UsageError
from simdocs.requests.drawing import BuildReportRequest, DrawnRequest, DrawRequest
from simdocs.requests.request import Request

REQUESTS: Mapping[str, type[Any]] = {
    kind.question: kind
    for found in iter_modules(requests.__path__, f"{requests.__name__}.")
    for kind in vars(import_module(found.name)).values()
    if isinstance(kind, type) and issubclass(kind, Request) and not issubclass(kind, DrawnRequest)
    if kind.question and kind.accepts
}
"""The class of the requests of each question that has parameters."""

ARGUMENTS: Mapping[str, Mapping[str, Any]] = {
    **{question: {"documents": ("docs",)} for question, kind in REQUESTS.items() if "documents" in kind.arguments},
    "act": {"answer": "x.answer"},
    "report": {"answer": "x.answer"},
    "undo": {"journal": "x.answer.journal.jsonl"},
    "query": {"index": "docs.index", "documents": ("docs",)},
    "show": {"file": "text"},
    "merge": {"artifacts": ("a.index", "b.index")},
    "compare": {"documents": ("a.txt", "b.txt")},
}
"""What is asked about, by question."""

VALUES: Mapping[str, Any] = {
    **dict.fromkeys(("files_from", "files0_from", "root", "output", "text_field", "id_field", "summary_json"), "x"),
    "figure": "sizes",
    **dict.fromkeys(("kept_rows", "removed_rows", "flagged_rows"), "x"),
    **dict.fromkeys(
        ("k", "num_perm", "bands", "rows", "max_candidates", "top", "nearest", "jobs", "seed", "sample", "group"), 3
    ),
    "min_passage": 30,
    **dict.fromkeys(("threshold", "recall", "lock_wait", "ignore_common"), 0.5),
    "template": (b"x",),
    "move": "x",
    "max_removed": 0.4,
    "stop_words": b"x",
    "functions": "(x+1) mod 5",
    "permutation_file": b"x",
    **dict.fromkeys(("include", "exclude", "protect", "only"), ("*.txt",)),
    **dict.fromkeys(("max_size", "max_memory", "report_size"), 10),
    "shingles": "x.shingles",
    "against": "x.index",
    "unit": "stopword",
    "language": "de",
    "scheme": "permutation",
    "rule": "nearest",
    "measure": "containment",
    "verify": "estimate",
    "cluster": "components",
    "keep": "newest",
    "input_format": "jsonl",
    "delimiter": ";",
    "list": "kept",
    "diff": "words",
    "listing": "kept",
    "format": "csv",
    "engine": "spark",
    "spark_master": "yarn",
    "spark_conf": ("spark.ui.enabled=true",),
}
"""A value of each parameter that is not a flag."""


def value_of(request: type[Any], name: str) -> Any:
    """A value of a parameter."""
    if (request.question, name) == ("report_report", "output"):
        return "x.html"
    if name == "list":
        return {"query": "matches", "tune_report": "curve"}.get(request.question, VALUES["list"])
    return VALUES.get(name, True)


def asked(request: str | type[Any], **given: Any) -> Any:
    """A request about the usual arguments: a question, or a class."""
    request = REQUESTS[request] if isinstance(request, str) else request
    return request(**ARGUMENTS.get(request.question, {}) | given)


def problems_of(request: str | type[Any], **given: Any) -> tuple[str, ...]:
    """What is wrong with a request."""
    try:
        asked(request, **given)
    except UsageError as error:
        return error.problems
    return ()


def names_of(request: type[Any]) -> list[str]:
    """What can be given to a request beside its arguments."""
    return [
        *request.accepts,
        *(name for name in ("listing",) if request is DrawRequest),
    ]


_NEEDED: Mapping[str, Mapping[str, Any]] = {
    "files_from": {"documents": ()},
    "files0_from": {"documents": ()},
    "jsonl": {"documents": ("-",)},
    "min_passage": {"passages": True},
    "max_memory": {"exact": True},
    "group": {"figure": "matrix"},
    "language": {"unit": "stopword"},
    "ignore_stop_words": {"unit": "word"},
    "stop_words": {"unit": "word"},
    "nul": {"listing": "kept"},
    "dry_run": {"output": "x"},
    "spark_master": {"engine": "spark"},
    "spark_conf": {"engine": "spark"},
}
"""What a parameter needs beside it."""


def needed(request: type[Any], name: str) -> Mapping[str, Any]:
    """What a parameter needs beside it."""
    if request.question == "show" and name in ("shingles", "root"):
        return {"candidates": True}
    if request.question == "act":
        return {}
    if request is BuildReportRequest:
        return {"dry_run": True} if name in ("format", "header") else {}
    if (request.question, name) in (("audit", "max_memory"), ("passages", "min_passage")):
        return {}
    if (request.question, name) == ("query", "all_copies"):
        return {"nearest": 3}
    return {"documents": ()} if (request.question, name) == ("query", "changed") else _NEEDED.get(name, {})
