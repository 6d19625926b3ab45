"""simdocs check: find damage in artifacts."""

from __future__ import annotations

from typing import Any

import click

from simdocs.cli import exits, options
from simdocs.cli.help import Command
from simdocs.requests.report_requests import DebugRequest


@click.command(cls=Command, examples=("simdocs check docs.index", "simdocs check *.index *.shingles"))
@options.artifact("artifacts", "ARTIFACT...", nargs=-1, required=True)
@options.of(DebugRequest)
def check(**given: Any) -> int:
    """Check that artifacts are undamaged.

    Reads everything, compares the checksums, and checks all internal rules. Prints nothing if all is well. Otherwise
    prints one line for each problem and exits with status 4. Checksums find accidental damage, not forgery.
    """
    from simdocs.api import building
    from simdocs.views import messages

    found = set[int]()
    for artifact in given["artifacts"]:
        result = building.check(artifact)
        for line in (*result.damages, *result.unreadable):
            messages.error(line)
        found |= {exits.DAMAGED} if result.damages else set()
        found |= {exits.FAILED} if result.unreadable else set()
    return min(found, default=exits.DONE)
