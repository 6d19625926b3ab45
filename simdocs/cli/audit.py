"""simdocs audit: measure how many similar pairs are found."""

from __future__ import annotations

from typing import Any

import click

from simdocs.cli import exits, options
from simdocs.cli.help import Command
from simdocs.cli.output import is_explained, is_for_people, path_of, stream_of
from simdocs.cli.runner import hint_at_terminal, requests_of
from simdocs.requests.audit_request import AuditDrawRequest, AuditRequest


@click.command(
    cls=Command,
    never=(exits.LOCKED,),
    examples=(
        "simdocs audit docs.index",
        "simdocs audit docs/ --unit word --threshold 0.7",
        "simdocs audit docs/ --bands 20 --rows 5 --exit-code",
        "simdocs audit docs.index --sample 5000",
    ),
    usual=("unit", "k", "num_perm", "threshold", "recall", "bands", "rows", "jobs", "output", "format"),
)
@options.documents
@options.of(AuditRequest, AuditDrawRequest)
def audit(**given: Any) -> int:
    """Measure how many similar pairs the bands find.

    DOCS are files, directories (read recursively), - for standard input, or one artifact. Finds all pairs of similar
    documents by an exact join, and counts those that share a bucket. This is repeated with other hash functions, for
    the 95% interval of the recall. If the tokens do not fit in memory, or with --sample, documents are drawn and
    compared with all others, and the interval is about what these say.
    """
    request, drawn = requests_of(AuditRequest, AuditDrawRequest, given)
    hint_at_terminal(request, drawn)
    from simdocs.api.ask import ask
    from simdocs.cli.work import at_work
    from simdocs.model.answers import Block, Delivery
    from simdocs.views import summary
    from simdocs.views.choices import head_of_audit, rows_of_audit

    output = path_of(drawn.output)
    with at_work(request, drawn, output, stream_of(output)) as work:
        explained = is_explained(drawn)
        drawing = work.drawing(drawn)
        result = ask(request, work.run, Delivery(outputs=(output, path_of(drawn.summary_json))))
        work.name_skips()
        rows = rows_of_audit(result, explained=explained, for_people=is_for_people(drawn))
        drawing.take(Block(head_of_audit(explained=explained), rows))
        drawing.finish()
        work.write_summary(result)
        work.told.summary(summary.lines(result, work.seconds))
    work.told.written(output)
    return exits.FOUND if drawn.exit_code and result.is_below and work.status == exits.DONE else work.status
