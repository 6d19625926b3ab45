"""simdocs info: what an artifact is."""

from __future__ import annotations

from typing import Any

import click

from simdocs.cli import options as declared
from simdocs.cli.help import Command
from simdocs.cli.inputs import opened
from simdocs.cli.output import Output
from simdocs.cli.param_types import Directory


@click.command(cls=Command, examples=("simdocs info docs.index", "simdocs info docs.signatures --format jsonl"))
@click.argument("artifact", metavar="ARTIFACT", type=Directory())
@declared.answer
@declared.debug
def info(**options: Any) -> int:
    """Tell what an artifact is: parameters, arrays, counts, the first and last documents; of an index its S-curve.

    Only what is shown is checked; `simdocs check` reads all of it.
    """
    from simdocs.artifacts.formats import FORMATS
    from simdocs.commands.info import info as facts_of
    from simdocs.kernels.lsh.banding import candidate_probability
    from simdocs.views.curve import curve

    shelf = opened(options["artifact"], tuple(FORMATS))
    answer, expected = facts_of(shelf)
    output = Output(options["output"], options["form"], options["header"], options["color"])
    banding = shelf.recipe.banding
    with output.open() as sink:
        for piece in output.draw(answer):
            sink.write(piece)
        if output.form_name == "table" and expected is not None and banding is not None:
            bands, rows = banding.bands or 1, banding.rows or 1
            drawn = curve(lambda s: candidate_probability(s, bands, rows), banding.threshold, colored=output.colored)
            sink.write(b"\n" + drawn)
    return 0
