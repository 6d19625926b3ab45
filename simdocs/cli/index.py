"""simdocs index: make an index, which finds similar documents."""

from __future__ import annotations

from typing import Any

import click

from simdocs.cli import options
from simdocs.cli.help import Command
from simdocs.cli.runner import build
from simdocs.requests.building import IndexRequest
from simdocs.requests.drawing import BuildReportRequest


@click.command(
    cls=Command,
    examples=(
        "simdocs index docs/ -o docs.index && simdocs query docs.index new.txt",
        "simdocs index docs.signatures --threshold 0.9 -o docs.index",
        "simdocs index docs.index --threshold 0.6 -o looser.index",
    ),
    usual=("threshold", "recall", "num_perm", "unit", "k", "include", "exclude", "output", "jobs", "verbose"),
)
@options.documents
@options.of(IndexRequest, BuildReportRequest)
def index(**given: Any) -> int:
    """Build an index for finding similar documents.

    DOCS are files, directories (read recursively), s3:// names, or - for standard input. They may also be one artifact:
    X.shingles, X.signatures or X.index. The bands of NAME.index are chosen so that at least --recall of the pairs
    exactly at --threshold share a bucket. An index with other bands is built from X.index without reading the documents
    again.
    """
    return build(IndexRequest, given)
