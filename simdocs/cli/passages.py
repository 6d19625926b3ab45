"""simdocs passages: find the passages that occur in several documents."""

from __future__ import annotations

from typing import Any

import click

from simdocs.cli import options
from simdocs.cli.help import Command
from simdocs.cli.runner import answer
from simdocs.requests.drawing import PassagesDrawRequest
from simdocs.requests.searching import PassagesRequest


@click.command(
    cls=Command,
    examples=(
        "simdocs passages docs/",
        "simdocs passages docs/ --unit word --min-passage 30",
        "simdocs passages docs/ --unit line -o passages.tsv",
        "simdocs passages docs/ --template form.txt",
    ),
    usual=("unit", "k", "include", "min_passage", "template", "output", "format", "exit_code", "verbose"),
)
@options.documents
@options.of(PassagesRequest, PassagesDrawRequest)
def passages(**given: Any) -> int:
    """Find passages that occur in several documents.

    DOCS are files, directories (read recursively), s3:// names, or - for standard input. Such passages are boilerplate,
    or quotes that went from one to another. Each place of each passage is listed. First come the passages that take
    most text beside their first place. Texts are compared after they were normalised.
    """
    return answer(PassagesRequest, PassagesDrawRequest, given)
