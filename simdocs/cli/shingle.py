"""simdocs shingle: see what a text is compared by."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from simdocs.cli import options as declared
from simdocs.cli.output import Output
from simdocs.cli.requests import hint_at_terminal, shingling_of
from simdocs.cli.sections import Command, option
from simdocs.model.answers import NAME, NUMBER, Answer, Column, Row
from simdocs.parameters import Walking

_AT_ONCE = 1 << 12

_EPILOG = """\b
Examples:
  printf abcdabd | simdocs shingle --show - -k 2
  simdocs shingle --show letter.txt --unit word -k 3
"""


@click.command(cls=Command, epilog=_EPILOG)
@option(
    "Documents",
    "--show",
    metavar="FILE|-",
    required=True,
    type=click.Path(readable=False, path_type=bytes),
    help="The text whose shingles to print.",
)
@declared.shingling
@declared.normalisation
@declared.answer
@declared.debug
def shingle(**options: Any) -> int:
    """Print the shingles of one text, in text order, each with its token.

    A shingle is k units in a row of the normalised text; its token is the 4-byte number that stands for it,
    MurmurHash3 as mmh3 computes it.
    """
    from simdocs.corpora.arguments import one
    from simdocs.stages.shingle import show

    if options["show"] == b"-":
        hint_at_terminal()
    rows = show(one(options["show"], Walking().max_size), shingling_of(options))
    answer = Answer((Column("shingle", NAME), Column("token", NUMBER)), _blocks(rows))
    output = Output(options["output"], options["form"], options["header"], options["color"])
    with output.open() as sink:
        for piece in output.draw(answer):
            sink.write(piece)
    return 0


def _blocks(rows: Iterator[tuple[str, int]]) -> Iterator[list[Row]]:
    block: list[Row] = []
    for shingle, token in rows:
        block.append((shingle.encode("utf-8", "surrogateescape"), token))
        if len(block) == _AT_ONCE:
            yield block
            block = []
    yield block
