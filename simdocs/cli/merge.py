"""simdocs merge: make one artifact of several."""

from __future__ import annotations

from typing import Any

import click

from simdocs.cli import options
from simdocs.cli.help import Command
from simdocs.cli.runner import build
from simdocs.requests.building import MergeRequest
from simdocs.requests.drawing import MergeReportRequest


@click.command(
    cls=Command,
    examples=(
        "simdocs merge 1.index 2.index 3.index -o docs.index",
        "simdocs merge jobs/*.signatures -o docs.signatures && simdocs index docs.signatures -o docs.index",
    ),
    usual=("root", "allow_shrink", "output", "verbose"),
)
@options.artifact("artifacts", "ARTIFACT...", nargs=-1)
@options.of(MergeRequest, MergeReportRequest)
def merge(**given: Any) -> int:
    """Merge artifacts of one kind into one, without reading documents.

    The result has the same bytes as the artifact that one run over the arguments of all of them, in this order, would
    have built (except run.json). So several machines or jobs can each build a part, with the same options. No two
    ARTIFACTs may have a document of the same name. An existing PATH is replaced.
    """
    return build(MergeRequest, given, MergeReportRequest)
