"""simdocs act: move duplicates away, or link them to the kept documents."""

from __future__ import annotations

from typing import Any

import click

from simdocs.cli import options
from simdocs.cli.help import Command
from simdocs.cli.runner import answer
from simdocs.requests.acting import ActRequest
from simdocs.requests.drawing import RunDrawRequest


@click.command(
    cls=Command,
    examples=(
        "simdocs act x.answer --move duplicates",
        "simdocs act x.answer --move duplicates --yes",
        "simdocs act x.answer --move duplicates --protect 'docs/final' --yes",
        "simdocs act x.answer --hardlink --yes",
    ),
    usual=("move", "hardlink", "yes", "protect", "only", "max_removed"),
)
@click.argument("answer_file", metavar="NAME.answer", type=click.Path(readable=False, path_type=bytes))
@options.of(ActRequest, RunDrawRequest)
def act(answer_file: bytes, **given: Any) -> int:
    """Move duplicates away, or link them to what is kept.

    NAME.answer was written by simdocs dedupe -o NAME.answer. By default, nothing is changed: each action is only
    printed, with the size of the file. Right before each action, both files are read again: they must have the
    contents of the answer, and still be similar. Otherwise the file is left as it is, and named. Each step is written
    to a journal first, NAME.answer.journal.jsonl, with which simdocs undo puts everything back.
    """
    return answer(ActRequest, RunDrawRequest, {"answer": answer_file, **given})
