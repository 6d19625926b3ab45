"""simdocs index: bucket tables, in which similar documents are found."""

from __future__ import annotations

from typing import Any

import click

from simdocs.cli import options as declared
from simdocs.cli.building import build
from simdocs.cli.help import Command


@click.command(
    cls=Command,
    examples=(
        "simdocs index docs.signatures --threshold .9 -o docs.index",
        "simdocs index docs/ -o docs.index && simdocs query docs.index new.txt",
    ),
)
@declared.documents
@declared.sequences
@declared.shingling
@declared.normalisation
@declared.signing
@declared.banding
@declared.output
@declared.running
@declared.lock_wait
def index(**options: Any) -> int:
    """Make an index, in which documents similar to a given one are found at once.

    DOCS are files, directories (walked), or - for standard input; or one artifact X.shingles or X.signatures. The index
    is written to -o NAME.index. Its bands are chosen so that --recall of the pairs exactly at --threshold share a
    bucket.
    """
    return build("index", options)
