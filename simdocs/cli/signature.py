"""simdocs signature: signatures of documents or of token sets."""

from __future__ import annotations

from typing import Any

import click

from simdocs.cli import options
from simdocs.cli.help import Command
from simdocs.cli.runner import build
from simdocs.report_requests import ReportRequest
from simdocs.requests import SignatureRequest


@click.command(
    cls=Command,
    examples=(
        "simdocs signature docs.shingles -o docs.signatures",
        "simdocs signature docs/ --unit word --num-perm 256 -o docs.signatures",
    ),
    usual=("include", "exclude", "unit", "k", "num_perm", "output", "jobs", "verbose"),
)
@options.documents
@options.of(SignatureRequest, ReportRequest)
def signature(**given: Any) -> int:
    """Make signatures, whose agreement estimates the similarity of documents.

    DOCS are files, directories (read recursively), or - for standard input; or one artifact X.shingles. The signatures
    are written to -o NAME.signatures: its file signatures.npy has one row of K numbers for each document.
    """
    return build(SignatureRequest, given)
