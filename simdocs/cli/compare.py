"""simdocs compare: how similar texts are, and why."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from simdocs.cli import options
from simdocs.cli.help import Command
from simdocs.cli.runner import answer
from simdocs.cli.spelling import declarations, spelling
from simdocs.requests.drawing import CompareDrawRequest
from simdocs.requests.studying import CompareRequest


def _explain_option(option: str, _: Sequence[str]) -> str:
    """How two texts are compared without the tokens that are common in a collection."""
    if option not in declarations("ignore_common"):
        return ""
    remedy = "compare X.index A B leaves out the tokens that the index leaves out"
    return f"two texts do not show what is common: {remedy}, and {spelling('template')} FILE those of a template"


@click.command(
    cls=Command,
    explain=_explain_option,
    examples=(
        "simdocs compare draft.txt final.txt",
        "simdocs compare draft.txt final.txt --diff unified",
        "simdocs compare draft.txt final.txt --unit char,word -k 3,5,9",
        "simdocs compare docs.index docs/a.txt docs/b.txt",
        "simdocs compare 'data.jsonl#17' 'data.jsonl#18' --format jsonl",
        "simdocs compare draft.txt final.txt -o difference.html",
        "simdocs compare essays/*.txt -o similarity.npy",
        "simdocs compare a.txt b.txt -k 2 --scheme permutation --num-perm 4 --trace",
    ),
    usual=("diff", "unit", "k", "threshold", "exit_code", "output", "format", "verbose", "nfkc", "keep_case"),
)
@click.argument("documents", metavar="A B [C]...", nargs=-1, type=click.Path(readable=False, path_type=bytes))
@options.of(CompareRequest, CompareDrawRequest)
def compare(**given: Any) -> int:
    """Show how similar two texts are, and why.

    A and B are files, - for standard input, or lines of JSON Lines files as PATH#ID. After an artifact
    (X.shingles, X.signatures or X.index), they are names of its documents, which are compared as it was built. On a
    terminal, one sentence says how alike they are. Then come the texts with their differences marked, and the main
    measures, with -v all of them. Elsewhere, all measures are printed, or with --diff the difference instead. Three
    texts or more give the matrix of their similarities.
    """
    return answer(CompareRequest, CompareDrawRequest, given)
