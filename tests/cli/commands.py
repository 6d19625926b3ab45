"""Every command that reads documents, asked about the same ones."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from tests.cli.corpus import lay
from tests.cli.program import Argument, simdocs
from tests.commands.building import built

OTHER = b"A text like none of the others: of carpenters and kings, and whether pigs have wings, it says nothing."

ASKED: dict[str, tuple[str, ...]] = {
    "dedupe": ("dedupe", "-o", "answer"),
    "shingle": ("shingle", "-o", "new.shingles"),
    "signature": ("signature", "-o", "new.signatures"),
    "index": ("index", "-o", "new.index"),
    "query": ("query", "other.index", "-o", "answer"),
    "--against": ("dedupe", "--against", "other.index", "-o", "answer"),
}
"""The commands, and what comes before the names of documents."""


class Read(NamedTuple):
    """How a command ended: status, what it wrote to standard error, and of how many documents it knows."""

    status: int
    err: str
    documents: int | None
    skipped: dict[str, int] | None


def reading(
    command: str, here: Path, *arguments: Argument, before: Callable[[], object] | None = None, **how: Any
) -> Read:
    """Run one of the commands in directory `here`, where an index of another text is made for it if need be."""
    if "other.index" in ASKED[command] and not (here / "other.index").exists():
        lay(here, {"other": OTHER})
        built(here / "other.index", [here / "other"])
    note = here / "note"
    done = simdocs(*ASKED[command], "--summary-json", note, *arguments, cwd=here, before=before, **how)
    facts = json.loads(note.read_bytes()) if note.exists() else {}
    note.unlink(missing_ok=True)
    return Read(done.status, done.err, facts.get("documents"), facts.get("skipped"))
