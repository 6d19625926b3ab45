"""simdocs dedupe: the near-duplicates of directories of texts."""

from __future__ import annotations

import time
from contextlib import ExitStack
from typing import Any

import click

from simdocs.cli import exits
from simdocs.cli import options as declared
from simdocs.cli.output import Output, to_file
from simdocs.cli.requests import (
    banding_of,
    check_asking,
    check_sources,
    grouping_of,
    hint_at_terminal,
    refuse,
    shingling_of,
    sketching_of,
    walking_of,
)
from simdocs.cli.sections import Command
from simdocs.errors import UnjudgedError

_EPILOG = "\b\nExamples:\n" + "\n".join(
    (
        "  simdocs dedupe docs/",
        "  simdocs dedupe docs/ --unit word --threshold .9 -o duplicates.tsv",
        "  simdocs dedupe docs/ --list duplicates -0 | xargs -0 -r ls -l",
        "  find . -name '*.txt' -print0 | simdocs dedupe --files0-from - --pairs --format jsonl",
        "",
        "\b",
        "Exit status:",
        *(f"  {status}  {meaning}" for status, meaning in exits.MEANINGS.items()),
    )
)


@click.command(cls=Command, epilog=_EPILOG)
@declared.documents
@declared.shingling
@declared.normalisation
@declared.signatures
@declared.grouping
@declared.asking
@declared.answer
@declared.running
def dedupe(**options: Any) -> int:
    """Find the documents that are nearly the same.

    DOCS are files, directories (walked), or - for standard input. Every duplicate is listed with the document kept in
    its stead, their exact Jaccard similarity, and what their signatures estimated it at.
    """
    refuse(check_sources(options) + check_asking(options))
    from simdocs.corpora.arguments import Sources
    from simdocs.engines.local import Local, cores
    from simdocs.stages.dedupe import Job, sketch
    from simdocs.views import messages, summary
    from simdocs.views.progress import Progress

    started = time.monotonic()
    listed = options["files_from"] or options["files0_from"]
    if (b"-" in options["docs"] or listed == b"-") and not options["quiet"]:
        hint_at_terminal()
    job = Job(
        Sources(options["docs"], listed, bool(options["files0_from"])),
        walking_of(options),
        shingling_of(options),
        sketching_of(options),
        banding_of(options),
        grouping_of(options),
    )
    output = Output(options["output"], options["form"], options["header"], options["color"], options["nul"])
    verbose = options["verbose"]
    with ExitStack() as stack:
        # What is entered first is published last: no summary without its answer.
        note = stack.enter_context(to_file(options["summary_json"]))
        sink = stack.enter_context(output.open())
        engine = stack.enter_context(Local(options["jobs"] or cores()))
        progress = Progress(quiet=options["quiet"])
        stack.callback(progress.close)
        work = sketch(job, engine, progress, (options["output"], options["summary_json"]))
        answer = work.pairs(options["all_copies"]) if options["pairs"] else work.groups(options["listed"])
        if options["strict"]:
            answer = answer.held()
        if not (options["strict"] and work.skipped.unjudged):
            for piece in output.draw(answer):
                sink.write(piece)
            sink.flush()
        progress.close()
        if not options["quiet"]:
            messages.skips(work.skipped, verbose=verbose)
        if options["strict"] and work.skipped.unjudged:
            raise UnjudgedError(summary.unjudged(work.skipped))
        facts = work.facts() | {"seconds": round(time.monotonic() - started, 3)}
        if note is not None:
            note.write(summary.as_json(facts))
        if verbose or (messages.on_terminal() and not options["quiet"]):
            messages.explain(summary.lines(facts))
    if work.skipped.unjudged:
        return exits.UNJUDGED
    return exits.FOUND if options["exit_code"] and work.found else exits.DONE
