"""The commands that build artifacts: shingle, signature, index and merge."""

from __future__ import annotations

from typing import Any

import click

from simdocs.cli import options
from simdocs.cli.help import Command
from simdocs.cli.runner import build
from simdocs.errors import UsageError
from simdocs.requests.building import IndexRequest, MergeRequest, ShingleRequest, SignatureRequest
from simdocs.requests.drawing import BuildReportRequest, MergeReportRequest


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


@click.command(
    cls=Command,
    examples=(
        "simdocs signature docs.shingles -o docs.signatures",
        "simdocs signature docs/ --unit word --num-perm 256 -o docs.signatures",
        "simdocs signature sets/ --unit line --functions '(x+1) mod 5, (3*x+1) mod 5' -o sets.signatures",
    ),
    usual=("unit", "k", "num_perm", "scheme", "seed", "include", "exclude", "output", "jobs", "verbose"),
)
@options.documents
@options.of(SignatureRequest, BuildReportRequest)
def signature(**given: Any) -> int:
    """Turn documents or token sets into signatures.

    DOCS are files, directories (read recursively), s3:// names, or - for standard input. They may also be one artifact:
    X.shingles. The fraction of places in which two signatures agree estimates how similar their documents are.
    NAME.signatures holds a row of K values for each document, in signatures.npy.
    """
    return build(SignatureRequest, given)


@click.command(
    cls=Command,
    examples=(
        "simdocs index docs/ -o docs.index && simdocs query docs.index new.txt",
        "simdocs index docs.signatures --threshold 0.9 -o docs.index",
        "simdocs index docs.index --threshold 0.6 -o looser.index",
    ),
    usual=("threshold", "recall", "num_perm", "unit", "k", "include", "exclude", "output", "jobs", "verbose"),
)
@options.documents
@options.of(IndexRequest, BuildReportRequest)
def index(**given: Any) -> int:
    """Build an index for finding similar documents.

    DOCS are files, directories (read recursively), s3:// names, or - for standard input. They may also be one artifact:
    X.shingles, X.signatures or X.index. The bands of NAME.index are chosen so that at least --recall of the pairs
    exactly at --threshold share a bucket. An index with other bands is built from X.index without reading the documents
    again.
    """
    return build(IndexRequest, given)


@click.command(
    cls=Command,
    examples=(
        "simdocs merge 1.index 2.index 3.index -o docs.index",
        "simdocs merge jobs/*.signatures -o docs.signatures && simdocs index docs.signatures -o docs.index",
    ),
    usual=("root", "allow_shrink", "output", "verbose"),
)
@options.artifact("artifacts", "ARTIFACT...", nargs=-1)
@options.of(MergeRequest, MergeReportRequest)
def merge(**given: Any) -> int:
    """Merge artifacts of one kind into one, without reading documents.

    The result has the same bytes as the artifact that one run over the arguments of all of them, in this order, would
    have built (except run.json). So several machines or jobs can each build a part, with the same options. No two
    ARTIFACTs may have a document of the same name. An existing PATH is replaced.
    """
    return build(MergeRequest, given, MergeReportRequest)
