"""simdocs query: find the documents of an index that are nearly the same as given ones."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import click

from simdocs.cli import options
from simdocs.cli.help import Command
from simdocs.cli.runner import answer
from simdocs.cli.spelling import declarations
from simdocs.parameters import PARAMETERS
from simdocs.parameters.declaration import RUN, UPDATE
from simdocs.requests.building import IndexRequest
from simdocs.requests.drawing import DrawRequest
from simdocs.requests.searching import QueryRequest


def _explain_option(option: str, words: Sequence[str]) -> str:
    """The explanation that the index decides an option, with the value with which the index was built.

    How a build is carried out, such as how long it waits for a lock, is nothing that the index decides.
    """
    decided = (name for name in IndexRequest.accepts if PARAMETERS[name].section not in (UPDATE, RUN))
    fixed = {spelling: name for name in decided for spelling in declarations(name)}
    return _explain_fixed(option, fixed[option], words) if option in fixed else ""


def _explain_fixed(option: str, parameter: str, words: Sequence[str]) -> str:
    """The explanation with the value of an option from the index among these words; empty if it does not say."""
    from simdocs.api.functions import info
    from simdocs.commands.resolve import is_artifact

    for word in words:
        if is_artifact(os.fsencode(word)):
            value = dict(info(word).facts).get(parameter)
            if value is None:
                return ""
            unset = parameter == "ignore_common" and value == PARAMETERS[parameter].default
            built = {"yes": f"with {option}", "no": f"without {option}"}.get("no" if unset else str(value))
            told = built or f"with {option} {value}"
            return f"{word} was built {told}, and queries follow the index: leave the option out"
    return f"queries follow the index in {option}: leave the option out, or build an index with it"


@click.command(
    cls=Command,
    explain=_explain_option,
    examples=(
        "simdocs query archive.index letter.txt",
        "simdocs query archive.index excerpt.txt --measure containment",
        "simdocs query archive.index letter.txt --passages",
        "simdocs query archive.index letter.txt --nearest 5",
        "simdocs query archive.index today/ --top 3 --header > matches.tsv",
        "simdocs query archive.index today/ --list matches -0 | xargs -0 -r ls -l",
    ),
    usual=("threshold", "nearest", "top", "list", "passages", "include", "output", "format", "exit_code", "verbose"),
)
@options.artifact("index", "X.index")
@options.documents
@options.of(QueryRequest, DrawRequest)
def query(**given: Any) -> int:
    """Find the documents of an index that are similar to DOCS.

    DOCS are files, directories (read recursively), s3:// names, or - for standard input. They may also be one artifact:
    X.shingles or X.signatures. The index sets how they are cut into shingles. Each document is listed with its matches,
    the most similar first. A document that is in the index does not match itself, but its copies do. With --passages,
    the passages are listed that DOCS have in common with documents of the index. If the index has a sketch for
    containment, it misses few quotes of 50 words, or of 200 if the unit is words. Without a sketch, or with --exact,
    none is missed, and every document is read again.
    """
    return answer(QueryRequest, DrawRequest, given)
