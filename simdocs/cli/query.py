"""simdocs query: which documents of an index are nearly the same as these."""

from __future__ import annotations

from typing import Any

import click

from simdocs.cli import options as declared
from simdocs.cli.answering import answer
from simdocs.cli.help import Command
from simdocs.cli.inputs import intake_of, opened
from simdocs.cli.output import Output
from simdocs.cli.param_types import Directory
from simdocs.cli.requests import check_sources, check_streams, given, refuse, sequences_beside
from simdocs.model.answers import Answer


@click.command(
    cls=Command,
    examples=(
        "simdocs query archive.index letter.txt",
        "simdocs query archive.index today/ --top 3 --header > matches.tsv",
        "simdocs query archive.index today/ --list matches -0 | xargs -0 -r ls -l",
    ),
)
@click.argument("index", metavar="X.index", type=Directory())
@declared.documents
@declared.sequences
@declared.shelves
@declared.threshold
@declared.verify
@declared.questions
@declared.answer
@declared.exit_code
@declared.running
def query(**options: Any) -> int:
    """Find the documents of an index that are nearly the same as DOCS.

    Everything about shingles and signatures is read from the index. Every document is listed with its matches, the most
    similar first; a document that is in the index does not match itself, but its copies do.
    """
    refuse(check_sources(options) + check_streams(options))
    from simdocs.commands.query import Query, Question
    from simdocs.views import summary

    index = opened(options["index"], ("index",))
    shelves = {name: options.pop(name) for name in ("shingles", "root")}
    intake = intake_of(options, (), (options["output"], options["summary_json"]))
    banding = index.recipe.banding
    question = Question(
        index,
        intake,
        sequences_beside(options, index.recipe.sequences),
        options["threshold"] if given("threshold") or banding is None else banding.threshold,
        options["verify"] == "exact",
        options["top"] or 0,
        options["itself"],
        opened(shelves["shingles"], ("shingles",)) if shelves["shingles"] else None,
        shelves["root"],
    )

    def ask(work: Query, _output: Output) -> Answer:
        return work.matches() if options["listed"] else work.answer()

    return answer(options, lambda run: Query(question, run), ask, summary.queried)
