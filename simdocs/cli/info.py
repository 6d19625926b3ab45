"""simdocs info: show what an artifact holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from simdocs.cli import exits, options
from simdocs.cli.help import Command
from simdocs.cli.output import Drawing, colored, is_for_people, path_of, stream_of
from simdocs.cli.runner import request_of
from simdocs.requests.report_requests import TableRequest

if TYPE_CHECKING:
    from simdocs.model.build_results import FactValue


@click.command(
    cls=Command,
    examples=("simdocs info docs.index", "simdocs info docs.signatures --format jsonl"),
    usual=("output", "format", "header", "color"),
)
@options.artifact("artifact", "ARTIFACT")
@options.of(TableRequest)
def info(**given: Any) -> int:
    """Show what an artifact holds.

    Prints its parameters, counts and arrays, its first and last documents and, for an index, the probability that a
    pair is found. Only what is printed is checked; `simdocs check` checks everything.
    """
    drawn = request_of(TableRequest, given)
    from simdocs.api import building
    from simdocs.model.answers import FACTS, Block
    from simdocs.views.curve import curve_of

    told = building.info(given["artifact"])
    exits.listen()
    with stream_of(path_of(drawn.output)) as stream:
        drawing = Drawing(drawn, stream)
        shown = (_for_people(*fact) if is_for_people(drawn) else fact for fact in told.facts)
        drawing.take(Block(FACTS, [(key, None if value == "" else value) for key, value in shown]))
        drawing.finish()
        if is_for_people(drawn) and told.banding is not None:
            stream.write(b"\n" + curve_of(told.banding, colored=colored(drawn)))
    return exits.DONE


_LONG = 80
"""Characters of a list of stop words that a table shows whole."""


def _for_people(key: str, value: FactValue) -> tuple[str, FactValue]:
    """A fact as a table shows it: of a long list of stop words only the number."""
    if key == "stop_word_list" and isinstance(value, str) and len(value) > _LONG:
        return key, f"{len(value.split()):,} words"
    return key, value
