"""simdocs audit: measure how many similar pairs are found."""

from __future__ import annotations

from typing import Any

import click

from simdocs.cli import options
from simdocs.cli.help import Command
from simdocs.cli.runner import answer
from simdocs.requests.drawing import AuditDrawRequest
from simdocs.requests.studying import AuditRequest


@click.command(
    cls=Command,
    examples=(
        "simdocs audit docs.index",
        "simdocs audit docs/ --unit word --threshold 0.7",
        "simdocs audit docs/ --bands 20 --rows 5 --exit-code",
        "simdocs audit docs.index --sample 5000",
    ),
    usual=("unit", "k", "num_perm", "threshold", "recall", "bands", "rows", "jobs", "output", "format"),
)
@options.documents
@options.of(AuditRequest, AuditDrawRequest)
def audit(**given: Any) -> int:
    """Measure how many similar pairs the bands find.

    DOCS are files, directories (read recursively), - for standard input, or one artifact. Finds all pairs of similar
    documents by an exact join, and counts those that share a bucket. This is repeated with other hash functions, for
    the 95% interval of the recall. If the tokens do not fit in memory, or with --sample, documents are drawn and
    compared with all others, and the interval is about what these say.
    """
    return answer(AuditRequest, AuditDrawRequest, given)
