"""simdocs check: find damage in artifacts."""

from __future__ import annotations

from typing import Any

import click

from simdocs.cli import options
from simdocs.cli.help import Command
from simdocs.cli.runner import answer
from simdocs.requests.drawing import DrawnRequest
from simdocs.requests.studying import CheckRequest


@click.command(cls=Command, examples=("simdocs check docs.index", "simdocs check *.index *.shingles"))
@options.artifact("artifacts", "ARTIFACT...", nargs=-1, required=True)
@options.of(DrawnRequest)
def check(**given: Any) -> int:
    """Check that artifacts are undamaged.

    Reads everything, compares the checksums, and checks all internal rules. Prints nothing if all is well. Otherwise
    prints one line for each problem and exits with status 4. Checksums find accidental damage, not forgery.
    """
    return answer(CheckRequest, DrawnRequest, given)
