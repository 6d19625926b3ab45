"""simdocs dedupe: find near-duplicates in directories of texts."""

from __future__ import annotations

from typing import Any

import click

from simdocs.cli import options
from simdocs.cli.help import Command
from simdocs.cli.runner import answer
from simdocs.requests.drawing import DedupeDrawRequest
from simdocs.requests.searching import DedupeRequest


@click.command(
    cls=Command,
    examples=(
        "simdocs dedupe docs/",
        "simdocs dedupe docs/ --list duplicates -0 | xargs -0 -r ls -l",
        "simdocs dedupe docs/ --unit word --threshold 0.9 -o duplicates.tsv",
        "simdocs dedupe data/ --kept-rows clean/",
        "simdocs dedupe today/ --against archive.index --list kept",
        "find . -name '*.txt' -print0 | simdocs dedupe --files0-from - --format jsonl",
    ),
    usual=("threshold", "unit", "k", "include", "keep", "against", "list", "output", "kept_rows"),
)
@options.documents
@options.of(DedupeRequest, DedupeDrawRequest)
def dedupe(**given: Any) -> int:
    """Find near-duplicates among documents.

    DOCS are files, directories (read recursively), s3:// names, or - for standard input. They may also be one artifact:
    X.shingles, X.signatures or X.index. Of each group of near-duplicates one document is kept. Every other one is
    listed with the kept document, their exact Jaccard similarity, and the similarity that their signatures suggest.
    Documents without near-duplicates are not listed. The guide (simdocs help guide) helps to choose the options.
    """
    return answer(DedupeRequest, DedupeDrawRequest, given)
