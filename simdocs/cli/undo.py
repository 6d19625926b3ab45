"""simdocs undo: put back what simdocs act has done."""

from __future__ import annotations

from typing import Any

import click

from simdocs.cli import options
from simdocs.cli.help import Command
from simdocs.cli.runner import answer
from simdocs.requests.acting import UndoRequest
from simdocs.requests.drawing import RunDrawRequest


@click.command(
    cls=Command,
    examples=("simdocs undo x.answer.journal.jsonl", "simdocs undo x.answer.journal.jsonl --yes"),
    usual=("yes", "quiet", "verbose", "output"),
)
@click.argument("journal", metavar="JOURNAL", type=click.Path(readable=False, path_type=bytes))
@options.of(UndoRequest, RunDrawRequest)
def undo(**given: Any) -> int:
    """Put back what simdocs act has done.

    JOURNAL is the file that simdocs act has written, NAME.answer.journal.jsonl. By default, nothing is changed: what
    would be put back is only printed. Nothing is ever overwritten. A file that cannot be put back is named with the
    place where it is. After a run of act or undo that was interrupted, undo puts back what that has done.
    """
    return answer(UndoRequest, RunDrawRequest, given)
