"""simdocs show: show the shingles of one text and their tokens."""

from __future__ import annotations

from typing import Any

import click

from simdocs.cli import exits, options
from simdocs.cli.help import Command
from simdocs.cli.output import Drawing, is_read_from, path_of, stream_of
from simdocs.cli.runner import hint_at_terminal, requests_of
from simdocs.errors import UsageError
from simdocs.requests.report_requests import ShowDrawRequest
from simdocs.requests.text_requests import ShowRequest


@click.command(
    cls=Command,
    examples=(
        "printf abcdabd | simdocs show - -k 2",
        "simdocs show letter.txt --unit word -k 3",
    ),
    never=(exits.DAMAGED,),
    usual=("unit", "k", "nfkc", "keep_case", "strip_accents", "mask_digits", "seed", "output", "format", "header"),
)
@click.argument("file", metavar="FILE|-", required=False, type=click.Path(readable=False, path_type=bytes))
@options.of(ShowRequest, ShowDrawRequest)
def show(**given: Any) -> int:
    """Show the shingles of one text and their tokens.

    FILE is a text; - is standard input. The shingles are listed in the order of the text, with repeats. Documents are
    compared by the sets of their shingles.
    """
    request, drawn = requests_of(ShowRequest, ShowDrawRequest, given)
    output = path_of(drawn.output)
    if output is not None and is_read_from(request.file, output):
        raise UsageError("-o names the text that is shown, and would replace it: name another file")
    hint_at_terminal(request, drawn)
    from simdocs.api.ask import ask
    from simdocs.model.delivery import Delivery
    from simdocs.views.answer_tables import SHINGLES

    exits.listen()
    with stream_of(output) as stream:
        drawing = Drawing(drawn, SHINGLES, stream)
        ask(request, delivery=Delivery(drawing.take))
        drawing.finish()
    return exits.DONE
