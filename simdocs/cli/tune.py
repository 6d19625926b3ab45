"""simdocs tune: choose bands, and see what they find."""

from __future__ import annotations

from typing import Any

import click

from simdocs.cli import exits, options
from simdocs.cli.help import Command
from simdocs.cli.output import colored, is_for_people, path_of, stream_of
from simdocs.cli.runner import hint_at_terminal, requests_of
from simdocs.requests.audit_request import TuneRequest
from simdocs.requests.report_requests import TuneDrawRequest


@click.command(
    cls=Command,
    never=(exits.LOCKED,),
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
    request, drawn = requests_of(TuneRequest, TuneDrawRequest, given)
    hint_at_terminal(request, drawn)
    from simdocs.api.ask import ask
    from simdocs.cli.work import at_work
    from simdocs.model.answers import Block, Delivery
    from simdocs.model.tuning import CHOICES, CURVE
    from simdocs.views import choices, summary

    output = path_of(drawn.output)
    with at_work(request, drawn, output, stream_of(output)) as work:
        result = ask(request, work.run, Delivery(outputs=(output, path_of(drawn.summary_json))))
        work.name_skips()
        assert work.stream is not None
        if drawn.file_format is not None:
            work.stream.write(drawn.file_format.load()(result))
        elif is_for_people(drawn):
            work.stream.write(choices.drawn(result, colored=colored(drawn)))
        else:
            of_curve = drawn.list == "curve"
            drawing = work.drawing(drawn)
            rows = result.curve_rows() if of_curve else result.rows()
            drawing.take(Block(CURVE if of_curve else CHOICES, list(rows)))
            drawing.finish()
        work.stream.flush()
        work.write_summary(result)
    work.told.written(output)
    work.told.summary(summary.lines(result, work.seconds))  # Its last line is the command that comes next.
    return work.status
