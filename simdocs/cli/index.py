"""simdocs index: an index, in which similar documents are found."""

from __future__ import annotations

from typing import Any

import click

from simdocs.cli import options
from simdocs.cli.help import Command
from simdocs.cli.runner import build
from simdocs.report_requests import ReportRequest
from simdocs.requests import IndexRequest


@click.command(
    cls=Command,
    examples=(
        "simdocs index docs/ -o docs.index && simdocs query docs.index new.txt",
        "simdocs index docs.signatures --threshold .9 -o docs.index",
        "simdocs index docs.index --threshold .6 -o looser.index",
    ),
    usual=("include", "exclude", "unit", "k", "threshold", "recall", "num_perm", "output", "jobs", "verbose"),
)
@options.documents
@options.of(IndexRequest, ReportRequest)
def index(**given: Any) -> int:
    """Make an index, in which documents similar to a given one are found at once.

    DOCS are files, directories (read recursively), or - for standard input; or one artifact X.shingles, X.signatures or
    X.index. The index is written to -o NAME.index. Its bands are chosen so that at least --recall of the pairs exactly
    at --threshold share a bucket. An index of an index has other bands for the same documents.
    """
    return build(IndexRequest, given)
