"""Every command, as it may be run where conftest's `built` has laid things out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from simdocs.cli.program import simdocs

DECLARED = simdocs.commands
"""The commands as Click knows them."""

BUILDING: Mapping[str, Sequence[str]] = {
    "shingle": ("shingle", "docs", "-o", "new.shingles"),
    "signature": ("signature", "docs", "-o", "new.signatures"),
    "index": ("index", "docs", "-o", "new.index"),
}
"""Commands that read documents and write an artifact."""

MERGING: Mapping[str, Sequence[str]] = {"merge": ("merge", "x.index", "-o", "new.index")}
"""Commands that only read artifacts, and write one."""

ANSWERING: Mapping[str, Sequence[str]] = {
    "query": ("query", "x.index", "more"),
    "dedupe": ("dedupe", "docs"),
    "tune": ("tune", "docs", "-q"),
    "audit": ("audit", "docs"),
    "pairs": ("pairs", "docs"),
    "passages": ("passages", "docs"),
    "dedupe --against": ("dedupe", "more", "--against", "x.index"),
}
"""Commands that compare documents and answer."""

DRAWING: Mapping[str, Sequence[str]] = {"report": ("report", "x.answer")}
"""Commands that draw an answer in a form of their own."""

TELLING: Mapping[str, Sequence[str]] = {
    "show": ("show", "docs/a.txt"),
    "compare": ("compare", "docs/a.txt", "docs/b.txt"),
    "info": ("info", "x.index"),
    "act": ("act", "x.answer", "--move", "away", "-q"),
}
"""Commands that tell what is there."""

PLANNING: Mapping[str, Sequence[str]] = {"index --dry-run": ("index", "more", "-o", "y.index", "--dry-run")}
"""Commands that tell what another would write."""

CHECKING: Mapping[str, Sequence[str]] = {
    "check": ("check", "x.index", "x.shingles", "x.signatures"),
    "undo": ("undo", "x.answer.journal.jsonl", "-q"),
}
"""Commands that print nothing there."""

READING = {**BUILDING, **ANSWERING, **PLANNING}
"""Commands that read documents."""

TABULATING = {**ANSWERING, **TELLING}
"""Commands that write a table to standard output or to a file."""

WRITING = {**TABULATING, **DRAWING, **PLANNING}
"""Commands that write to standard output."""

EVERY = {**READING, **MERGING, **TELLING, **DRAWING, **PLANNING, **CHECKING}

OPENED = (
    dict.fromkeys(EVERY, ".txt")
    | dict.fromkeys(("merge", "info", "check"), "manifest.json")
    | {"undo": "journal.jsonl"}
)
"""A file that the command opens in the midst of its work."""
