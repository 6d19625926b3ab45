"""simdocs info: show what an artifact holds."""

from __future__ import annotations

from typing import Any

import click

from simdocs.cli import options
from simdocs.cli.help import Command
from simdocs.cli.runner import answer
from simdocs.requests.drawing import TableRequest
from simdocs.requests.studying import InfoRequest


@click.command(
    cls=Command,
    examples=("simdocs info docs.index", "simdocs info docs.signatures --format jsonl"),
    usual=("output", "format", "header", "color"),
)
@options.artifact("artifact", "ARTIFACT")
@options.of(TableRequest)
def info(**given: Any) -> int:
    """Show what an artifact holds.

    Prints its parameters, counts and arrays, its first and last documents and, for an index, the probability that a
    pair is found. Only what is printed is checked; `simdocs check` checks everything.
    """
    return answer(InfoRequest, TableRequest, given)
