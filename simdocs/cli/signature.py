"""simdocs signature: turn documents or token sets into signatures."""

from __future__ import annotations

from typing import Any

import click

from simdocs.cli import options
from simdocs.cli.help import Command
from simdocs.cli.runner import build
from simdocs.requests.building import SignatureRequest
from simdocs.requests.drawing import BuildReportRequest


@click.command(
    cls=Command,
    examples=(
        "simdocs signature docs.shingles -o docs.signatures",
        "simdocs signature docs/ --unit word --num-perm 256 -o docs.signatures",
    ),
    usual=("unit", "k", "num_perm", "scheme", "seed", "include", "exclude", "output", "jobs", "verbose"),
)
@options.documents
@options.of(SignatureRequest, BuildReportRequest)
def signature(**given: Any) -> int:
    """Turn documents or token sets into signatures.

    DOCS are files, directories (read recursively), s3:// names, or - for standard input. They may also be one artifact:
    X.shingles. The fraction of places in which two signatures agree estimates how similar their documents are.
    NAME.signatures holds a row of K values for each document, in signatures.npy.
    """
    return build(SignatureRequest, given)
