"""simdocs shingle: turn documents into token sets."""

from __future__ import annotations

from typing import Any

import click

from simdocs.cli import options
from simdocs.cli.help import Command
from simdocs.cli.runner import build
from simdocs.errors import UsageError
from simdocs.requests.building import ShingleRequest
from simdocs.requests.drawing import BuildReportRequest


def _moved(_context: click.Context, _option: click.Parameter, given: str | None) -> None:
    if given is not None:
        raise UsageError(f"--show is a command now: simdocs show {given}")


@click.command(
    cls=Command,
    examples=(
        "simdocs shingle docs/ -o docs.shingles",
        "simdocs shingle docs/ --unit word -k 3 -o docs.shingles",
    ),
    usual=("unit", "k", "seed", "nfkc", "strip_accents", "include", "exclude", "output", "jobs", "verbose"),
)
@options.documents
@options.of(ShingleRequest, BuildReportRequest)
@click.option("--show", hidden=True, expose_value=False, is_eager=True, callback=_moved)
def shingle(**given: Any) -> int:
    """Turn documents into token sets.

    DOCS are files, directories (read recursively), s3:// names, or - for standard input. A shingle is k consecutive
    units of the normalised text. Its token is a 4-byte number, the MurmurHash3 of the shingle (as mmh3 computes it).
    NAME.shingles holds the tokens of each document in ascending order, in tokens.npy.
    """
    return build(ShingleRequest, given)
