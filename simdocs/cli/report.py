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
        "simdocs dedupe docs/ -o found.answer && simdocs report found.answer -o report.html",
        "simdocs report found.answer --report-size 100MB -o report.html",
        "simdocs report found.answer --figure similarities -o similarities.svg",
    ),
    usual=("figure", "group", "report_size", "output"),
)
@click.argument("answer_file", metavar="NAME.answer", type=click.Path(readable=False, path_type=bytes))
@options.of(ReportRequest, ReportDrawRequest)
def report(answer_file: bytes, **given: Any) -> int:
    """Show groups of near-duplicates as a page for a web browser.

    NAME.answer was written by simdocs dedupe -o NAME.answer. The page has figures, a list of all groups to search and
    sort, and the texts of pairs side by side with the words that differ. It is one file, and loads nothing from
    elsewhere.
    """
    return answer(ReportRequest, ReportDrawRequest, {"answer": answer_file, **given})
