"""The commands that look closer: compare, tune, audit, show, info and check."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from simdocs.cli import options
from simdocs.cli.help import Command
from simdocs.cli.runner import answer
from simdocs.cli.spelling import declarations, spelling
from simdocs.requests.drawing import (
    AuditDrawRequest,
    CompareDrawRequest,
    DrawnRequest,
    ShowDrawRequest,
    TableRequest,
    TuneDrawRequest,
)
from simdocs.requests.studying import AuditRequest, CheckRequest, CompareRequest, InfoRequest, ShowRequest, TuneRequest


def _explain_option(option: str, _: Sequence[str]) -> str:
    """How two texts are compared without the tokens that are common in a collection."""
    if option not in declarations("ignore_common"):
        return ""
    remedy = "compare X.index A B leaves out the tokens that the index leaves out"
    return f"two texts do not show what is common: {remedy}, and {spelling('template')} FILE those of a template"


@click.command(
    cls=Command,
    explain=_explain_option,
    examples=(
        "simdocs compare draft.txt final.txt",
        "simdocs compare draft.txt final.txt --diff unified",
        "simdocs compare letter.txt licence.txt --passages",
        "simdocs compare draft.txt final.txt --unit char,word -k 3,5,9",
        "simdocs compare docs.index docs/a.txt docs/b.txt",
        "simdocs compare 'data.jsonl#17' 'data.jsonl#18' --format jsonl",
        "simdocs compare draft.txt final.txt -o difference.html",
        "simdocs compare essays/*.txt -o similarity.npy",
        "simdocs compare a.txt b.txt -k 2 --scheme permutation --num-perm 4 --trace",
    ),
    usual=("diff", "passages", "unit", "k", "threshold", "exit_code", "output", "format", "verbose", "nfkc"),
)
@click.argument("documents", metavar="A B [C]...", nargs=-1, type=click.Path(readable=False, path_type=bytes))
@options.of(CompareRequest, CompareDrawRequest)
def compare(**given: Any) -> int:
    """Show how similar two texts are, and why.

    A and B are files, - for standard input, or lines of JSON Lines files as PATH#ID. After an artifact
    (X.shingles, X.signatures or X.index), they are names of its documents, which are compared as it was built. On a
    terminal, one sentence says how alike they are. Then come the texts with their differences marked, and the main
    measures, with -v all of them. Elsewhere, all measures are printed, or with --diff the difference instead. With
    --passages, the passages that both have are listed, the longest first, with their places: characters from 0 to the
    one after the last, and lines from 1. Three texts or more give the matrix of their similarities.
    """
    return answer(CompareRequest, CompareDrawRequest, given)


@click.command(
    cls=Command,
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
    return answer(TuneRequest, TuneDrawRequest, given)


@click.command(
    cls=Command,
    examples=(
        "simdocs audit docs.index",
        "simdocs audit docs/ --unit word --threshold 0.7",
        "simdocs audit docs/ --bands 20 --rows 5 --exit-code",
        "simdocs audit docs.index --sample 5000",
    ),
    usual=("unit", "k", "num_perm", "threshold", "recall", "bands", "rows", "jobs", "output", "format"),
)
@options.documents
@options.of(AuditRequest, AuditDrawRequest)
def audit(**given: Any) -> int:
    """Measure how many similar pairs the bands find.

    DOCS are files, directories (read recursively), - for standard input, or one artifact. Finds all pairs of similar
    documents by an exact join, and counts those that share a bucket. This is repeated with other hash functions, for
    the 95% interval of the recall. If the tokens do not fit in memory, or with --sample, documents are drawn and
    compared with all others, and the interval is about what these say.
    """
    return answer(AuditRequest, AuditDrawRequest, given)


@click.command(
    cls=Command,
    examples=(
        "printf abcdabd | simdocs show - -k 2",
        "simdocs show docs.index --candidates --header",
        "simdocs show letter.txt --unit word -k 3",
        "simdocs show docs.signatures docs/a.txt docs/b.txt",
    ),
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
    places that agree; of X.index also the buckets and the candidate pairs.
    """
    return answer(ShowRequest, ShowDrawRequest, given)


@click.command(
    cls=Command,
    examples=("simdocs info docs.index", "simdocs info docs.signatures --format jsonl"),
    usual=("output", "format", "header"),
)
@options.artifact("artifact", "ARTIFACT")
@options.of(TableRequest)
def info(**given: Any) -> int:
    """Show what an artifact holds.

    Prints its parameters, counts and arrays, its first and last documents and, for an index, the probability that a
    pair is found. Only what is printed is checked; `simdocs check` checks everything.
    """
    return answer(InfoRequest, TableRequest, given)


@click.command(cls=Command, examples=("simdocs check docs.index", "simdocs check *.index *.shingles"))
@options.artifact("artifacts", "ARTIFACT...", nargs=-1, required=True)
@options.of(DrawnRequest)
def check(**given: Any) -> int:
    """Check that artifacts are undamaged.

    Reads everything, compares the checksums, and checks all internal rules. Prints nothing if all is well. Otherwise
    prints one line for each problem and exits with status 4. Checksums find accidental damage, not forgery.
    """
    return answer(CheckRequest, DrawnRequest, given)
