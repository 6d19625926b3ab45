"""simdocs pairs: find all pairs of similar documents."""

from __future__ import annotations

from typing import Any

import click

from simdocs.cli import options
from simdocs.cli.help import Command
from simdocs.cli.runner import answer
from simdocs.requests.drawing import PairsDrawRequest
from simdocs.requests.searching import PairsRequest


@click.command(
    cls=Command,
    examples=(
        "simdocs pairs docs/",
        "simdocs pairs docs/ --unit word --threshold 0.6 -o pairs.tsv",
        "simdocs pairs docs.index --changed",
        "simdocs pairs docs/ --measure containment",
        "find . -name '*.txt' -print0 | simdocs pairs --files0-from - --format jsonl",
    ),
    usual=("threshold", "unit", "k", "include", "measure", "exact", "all_copies", "output", "format", "exit_code"),
)
@options.documents
@options.of(PairsRequest, PairsDrawRequest)
def pairs(**given: Any) -> int:
    """Find all pairs of similar documents.

    DOCS are files, directories (read recursively), s3:// names, or - for standard input. They may also be one artifact:
    X.shingles, X.signatures or X.index. Each pair is listed with its exact Jaccard similarity, and the similarity that
    the signatures suggest. Identical texts are listed as a chain: the first with the second, the second with the third.
    Only the first of them is paired with other texts, unless --all-copies is given. With --measure containment, the
    pairs are listed of which one document contains most of the other.
    """
    return answer(PairsRequest, PairsDrawRequest, given)
