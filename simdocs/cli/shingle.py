"""simdocs shingle: token sets of documents."""

from __future__ import annotations

from typing import Any

import click

from simdocs.cli import options
from simdocs.cli.help import Command
from simdocs.cli.runner import build
from simdocs.errors import UsageError
from simdocs.report_requests import ReportRequest
from simdocs.requests import ShingleRequest


def _moved(_context: click.Context, _option: click.Parameter, given: str | None) -> None:
    if given is not None:
        raise UsageError(f"--show is a command now: simdocs show {given}")


@click.command(
    cls=Command,
    examples=(
        "simdocs shingle docs/ -o docs.shingles",
        "simdocs shingle docs/ --unit word -k 3 -o docs.shingles",
    ),
    usual=("include", "exclude", "unit", "k", "seed", "output", "jobs", "verbose"),
)
@options.documents
@options.of(ShingleRequest, ReportRequest)
@click.option("--show", hidden=True, expose_value=False, is_eager=True, callback=_moved)
def shingle(**given: Any) -> int:
    """Make the token sets by which documents are compared.

    DOCS are files, directories (read recursively), or - for standard input. The token sets are written to
    -o NAME.shingles: its file tokens.npy has each document's tokens, ascending. A shingle is k consecutive units of the
    normalised text; its token is the 4-byte number that stands for it, MurmurHash3 as mmh3 computes it.
    """
    return build(ShingleRequest, given)
