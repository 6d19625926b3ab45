"""simdocs show: show the shingles of one text and their tokens, or what an artifact holds."""

from __future__ import annotations

from typing import Any

import click

from simdocs.cli import options
from simdocs.cli.help import Command
from simdocs.cli.runner import answer
from simdocs.requests.drawing import ShowDrawRequest
from simdocs.requests.studying import ShowRequest


@click.command(
    cls=Command,
    examples=(
        "printf abcdabd | simdocs show - -k 2",
        "simdocs show docs.index --candidates --header",
        "simdocs show letter.txt --unit word -k 3",
        "simdocs show docs.signatures docs/a.txt docs/b.txt",
    ),
    usual=("unit", "k", "nfkc", "keep_case", "mask_digits", "matrix", "buckets", "candidates", "output", "header"),
)
@click.argument("file", metavar="FILE|-|ARTIFACT", required=False, type=click.Path(readable=False, path_type=bytes))
@click.argument("documents", metavar="[NAME]...", nargs=-1, type=click.Path(readable=False, path_type=bytes))
@options.of(ShowRequest, ShowDrawRequest)
def show(**given: Any) -> int:
    """Show the shingles of one text, or what an artifact holds.

    FILE is a text; - is standard input. The shingles are listed with their tokens in the order of the text, with
    repeats. Documents are compared by the sets of their shingles. Of X.shingles, the numbers of tokens are shown, or
    the tokens of the documents that are named; of X.signatures and X.index the signatures, for two documents with the
    places that agree; of X.index also the buckets, the candidate pairs, and the sketch for containment.
    """
    return answer(ShowRequest, ShowDrawRequest, given)
