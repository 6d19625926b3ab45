"""simdocs shingle: token sets of documents; or a look at what one text is compared by."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import click

from simdocs.cli import options as declared
from simdocs.cli.building import build
from simdocs.cli.help import Command, option
from simdocs.cli.output import Output
from simdocs.cli.requests import check_shingling, check_streams, given, hint_at_terminal, refuse, shingling_of, spelt
from simdocs.model.answers import NAME, NUMBER, Answer, Column, Row
from simdocs.parameters import Normalisation, Shingling

_AT_ONCE = 1 << 12

_OF_SHOWING = ("form", "header", "color")
"""Options that go with --show alone."""

_ALSO_OF_SHOWING = (
    "show",
    "output",
    "max_size",
    "quiet",
    "verbose",
    "debug",
    *(field.name for field in fields(Shingling) if field.name != "normalisation"),
    *Normalisation.__slots__,
)
"""Options that go with it, too; the others are about many documents, or about what is built of them."""


@click.command(
    cls=Command,
    examples=(
        "simdocs shingle docs/ -o docs.shingles",
        "printf abcdabd | simdocs shingle --show - -k 2",
        "simdocs shingle --show letter.txt --unit word -k 3",
    ),
)
@declared.documents
@declared.sequences
@option(
    "Documents",
    "--show",
    metavar="FILE|-",
    type=click.Path(readable=False, path_type=bytes),
    help="Print the shingles of one text instead.",
)
@declared.shingling
@declared.normalisation
@declared.answer
@declared.running
@declared.lock_wait
def shingle(**options: Any) -> int:
    """Make the token sets by which documents are compared; or print the shingles of one text (--show).

    DOCS are files, directories (walked), or - for standard input. The token sets are written to -o NAME.shingles:
    tokens.npy in it has each document's tokens, ascending. A shingle is k units in a row of the normalised text; its
    token is the 4-byte number that stands for it, MurmurHash3 as mmh3 computes it.
    """
    if options["show"] is None:
        refuse([f"{spelt(name)} goes with --show" for name in _OF_SHOWING if given(name)])
        return build("shingles", options)
    problems = check_streams(options) + check_shingling(options)
    problems += ["--show prints one text: it goes without DOCS"] if options["docs"] else []
    unfit = (name for name in options if name not in _OF_SHOWING + _ALSO_OF_SHOWING and name != "docs" and given(name))
    refuse(problems + [f"{spelt(name)} and --show do not go together" for name in unfit])
    if options["output"] and _is_read_from(options["show"], options["output"]):
        refuse(["-o names the text that --show reads, and would replace it: name another file"])
    return _show(options)


def _is_read_from(source: bytes, output: str) -> bool:
    """Whether the output is the file that the text is in."""
    try:
        there = os.stat(output)
        return stat.S_ISREG(there.st_mode) and os.path.samestat(there, os.stat(0 if source == b"-" else source))
    except OSError:
        return False


def _show(options: dict[str, Any]) -> int:
    from simdocs.corpora.discover import one
    from simdocs.pipeline.shingling import show

    if options["show"] == b"-" and not options["quiet"]:
        hint_at_terminal()
    rows = show(one(options["show"], options["max_size"]), shingling_of(options))
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
