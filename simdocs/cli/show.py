"""simdocs show: show the shingles of one text and their tokens, or what an artifact holds."""

from __future__ import annotations

from typing import Any

import click

from simdocs.cli import exits, options
from simdocs.cli.help import Command
from simdocs.cli.output import Drawing, is_read_from, path_of, stream_of
from simdocs.cli.runner import hint_at_terminal, requests_of
from simdocs.cli.spelling import marked
from simdocs.errors import UsageError
from simdocs.requests.report_requests import ReportRequest, ShowDrawRequest
from simdocs.requests.text_requests import ShowRequest


@click.command(
    cls=Command,
    examples=(
        "printf abcdabd | simdocs show - -k 2",
        "simdocs show docs.index --candidates --header",
        "simdocs show letter.txt --unit word -k 3",
        "simdocs show docs.signatures docs/a.txt docs/b.txt",
    ),
    never=(exits.LOCKED,),
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
    request, drawn = requests_of(ShowRequest, ShowDrawRequest, given)
    output = path_of(drawn.output)
    if output is not None and is_read_from(request.file, output):
        raise UsageError("-o names the text that is shown, and would replace it: name another file")
    hint_at_terminal(request, drawn)
    from simdocs.api.ask import ask, running
    from simdocs.commands.resolve import is_artifact
    from simdocs.model.answers import Delivery
    from simdocs.views.messages import Teller

    exits.listen()
    with stream_of(output) as stream:
        drawing = Drawing(drawn, stream)
        with running(1) as run:
            shown = ask(request, run, Delivery(drawing.take))
            drawing.finish()
            Teller(ReportRequest(quiet=drawn.quiet), marked).skips(run.skipped)
    if not shown.count and not is_artifact(request.file):
        _say_that_nothing_is_shown(request, drawn)
    return exits.UNJUDGED if run.skipped.unjudged else exits.DONE


def _say_that_nothing_is_shown(request: ShowRequest, drawn: ShowDrawRequest) -> None:
    """Say at a terminal that the text has no shingles, because an answer without rows could also be an error."""
    from simdocs.model.names import display_name
    from simdocs.views.messages import on_terminal, say

    if on_terminal() and not drawn.quiet:
        assert isinstance(request.file, bytes)
        say(f"simdocs: {display_name(request.file)}: this text has no shingles")
