"""simdocs report: look at groups of near-duplicates."""

from __future__ import annotations

from typing import Any

import click

from simdocs.cli import options
from simdocs.cli.help import Command
from simdocs.cli.runner import answer
from simdocs.requests.drawing import ReportDrawRequest
from simdocs.requests.searching import ReportRequest


@click.command(
    cls=Command,
    examples=(
        "simdocs report docs/ -o report.html",
        "simdocs report found.answer -o report.html",
        "simdocs report docs.index --report-size 100MB -o report.html",
        "simdocs report found.answer --figure similarities -o similarities.svg",
    ),
    usual=("threshold", "unit", "k", "include", "keep", "against", "figure", "report_size", "output"),
)
@options.documents
@options.of(ReportRequest, ReportDrawRequest)
def report(**given: Any) -> int:
    """Show groups of near-duplicates as a page for a web browser.

    DOCS are files, directories (read recursively), - for standard input, one artifact (X.shingles, X.signatures or
    X.index), or an answer that dedupe -o NAME.answer has saved. The page has figures, a list of all groups to search
    and sort, and the texts of pairs side by side with the words that differ. It is one file, and loads nothing from
    elsewhere.
    """
    return answer(ReportRequest, ReportDrawRequest, given)
