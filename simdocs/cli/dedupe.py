"""simdocs dedupe: the near-duplicates of directories of texts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from simdocs.cli import options as declared
from simdocs.cli.answering import answer
from simdocs.cli.help import Command
from simdocs.cli.inputs import contradictions, intake_of, opened, recipe_of
from simdocs.cli.output import Output
from simdocs.cli.requests import Options, check_asking, check_sources, given, grouping_of, refuse, sequences_beside
from simdocs.model.answers import Answer
from simdocs.model.names import shown
from simdocs.parameters import Sequences

if TYPE_CHECKING:
    from simdocs.commands.dedupe import Job, Sketched


@click.command(
    cls=Command,
    examples=(
        "simdocs dedupe docs/",
        "simdocs dedupe docs/ --unit word --threshold .9 -o duplicates.tsv",
        "simdocs dedupe docs/ --list duplicates -0 | xargs -0 -r ls -l",
        "simdocs dedupe data.jsonl --list kept -o kept.jsonl",
        "simdocs dedupe today/ --against archive.index --list kept",
        "find . -name '*.txt' -print0 | simdocs dedupe --files0-from - --pairs --format jsonl",
    ),
)
@declared.documents
@declared.sequences
@declared.shelves
@declared.shingling
@declared.normalisation
@declared.signing
@declared.banding
@declared.grouping
@declared.against
@declared.asking
@declared.answer
@declared.exit_code
@declared.running
def dedupe(**options: Any) -> int:
    """Find the documents that are nearly the same.

    DOCS are files, directories (walked), or - for standard input; or one artifact of theirs. Every duplicate is listed
    with the document kept in its stead, their exact Jaccard similarity, and what their signatures estimated it at.
    """
    refuse(check_sources(options) + check_asking(options))
    from simdocs.commands.dedupe import sketch
    from simdocs.views import summary

    job = _job(options)

    def ask(work: Sketched, output: Output) -> Answer:
        if options["pairs"]:
            return work.pairs(options["all_copies"])
        if options["listed"] and output.form_name == "jsonl" and len(work.not_lines) < len(work.prepared.documents):
            refuse(_not_lines(work))
            return work.lines(options["listed"])
        return work.names(options["listed"]) if options["listed"] else work.groups()

    return answer(options, lambda run: sketch(job, run), ask, summary.lines)


def _not_lines(work: Sketched) -> list[str]:
    """What is wrong with writing lines of sequences, if some documents are none."""
    others = work.not_lines
    if not len(others):
        return []
    such = f"{len(others)} of the documents are none, such as {shown(work.prepared.documents.name(int(others[0])))}"
    return [f"--list as JSON lines writes lines of sequences, and {such}: --format tsv has names"]


def _job(options: Options) -> Job:
    from simdocs.artifacts.formats import FORMATS
    from simdocs.artifacts.manifest import differences
    from simdocs.commands.dedupe import Job
    from simdocs.errors import ParametersError

    outputs = (options["output"], options["summary_json"])
    kept = opened(options["against"], ("index",)) if options["against"] else None
    # Beside --against they are about its documents: the new ones are at hand.
    shelves = {name: options.pop(name) for name in ("shingles", "root")} if kept is not None else {}
    intake = intake_of(options, ("shingles", "signatures", "index"), outputs)
    recipe = recipe_of(options, intake.shelf, ("threshold",))
    if kept is not None:
        refuse(contradictions(options, kept, ("threshold", *Sequences.__slots__)))
        shared = _shared(FORMATS[intake.shelf.kind].recipe) if intake.shelf else []
        if intake.shelf and (found := differences(intake.shelf.recipe, kept.recipe, shared)):
            raise ParametersError(intake.shelf.name, kept.name, found)
        sequences = recipe.sequences if intake.shelf else sequences_beside(options, kept.recipe.sequences)
        recipe = replace(kept.recipe, sequences=sequences)
    banding = kept.recipe.banding if kept is not None else recipe.banding
    threshold = options["threshold"] if given("threshold") or banding is None else banding.threshold
    sets = opened(shelves["shingles"], ("shingles",)) if shelves.get("shingles") else None
    return Job(intake, recipe, grouping_of(options), threshold, kept, sets, shelves.get("root"))


def _shared(groups: tuple[str, ...]) -> list[str]:
    """The groups of parameters that decide whether signatures can be compared."""
    return [group for group in groups if group in ("shingling", "sketching")]
