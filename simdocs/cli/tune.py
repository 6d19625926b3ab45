"""simdocs tune: choose bands, and see what they find."""

from __future__ import annotations

from typing import Any

import click

from simdocs.cli import options
from simdocs.cli.help import Command
from simdocs.cli.runner import answer
from simdocs.requests.drawing import TuneDrawRequest
from simdocs.requests.studying import TuneRequest


@click.command(
    cls=Command,
    examples=(
        "simdocs tune --threshold 0.7 --recall 0.99",
        "simdocs tune --bands 20 --rows 5 --list curve --header",
        "simdocs tune docs/ --unit word",
        "simdocs tune docs.index -o curve.svg",
    ),
    usual=("unit", "k", "num_perm", "threshold", "recall", "bands", "rows", "list", "output", "format"),
)
@options.documents
@options.of(TuneRequest, TuneDrawRequest)
def tune(**given: Any) -> int:
    """Choose bands and rows, and show what they find.

    Without DOCS, shows the choices for a threshold and a recall, and with which probability they find a pair. DOCS are
    files, directories (read recursively), - for standard input, or one artifact. With DOCS, also estimates from a
    sample of them how similar they are to each other, how many pairs would be missed and how many false candidates
    compared. Then proposes options that suit their lengths, scripts and similarities, in a command for dedupe.
    """
    return answer(TuneRequest, TuneDrawRequest, given)
