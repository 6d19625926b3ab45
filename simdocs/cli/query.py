"""simdocs query: which documents of an index are nearly the same as these."""

from __future__ import annotations

from typing import Any

import click

from simdocs.cli import options
from simdocs.cli.help import Command
from simdocs.cli.runner import answer
from simdocs.report_requests import DrawRequest
from simdocs.requests import QueryRequest


@click.command(
    cls=Command,
    examples=(
        "simdocs query archive.index letter.txt",
        "simdocs query archive.index letter.txt --nearest 5",
        "simdocs query archive.index today/ --top 3 --header > matches.tsv",
        "simdocs query archive.index today/ --list matches -0 | xargs -0 -r ls -l",
    ),
    usual=("include", "exclude", "threshold", "nearest", "top", "list", "output", "format", "exit_code", "verbose"),
)
@options.artifact("index", "X.index")
@options.documents
@options.of(QueryRequest, DrawRequest)
def query(**given: Any) -> int:
    """Find the documents of an index that are nearly the same as DOCS.

    DOCS are files, directories (read recursively), or - for standard input; or one artifact X.shingles or X.signatures.
    The shingling options come from the index. Every document is listed with its matches, the most similar first. A
    document that is in the index does not match itself, but its copies do.
    """
    return answer(QueryRequest, given)
