"""What the commands that build artifacts have in common: from options to a published artifact, and an exit status."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Collection
from contextlib import ExitStack

from simdocs.cli import exits
from simdocs.cli.inputs import intake_of, recipe_of
from simdocs.cli.output import to_file
from simdocs.cli.requests import Options, check_sources, check_streams, refuse
from simdocs.errors import UnjudgedError
from simdocs.model.names import shown, text_of

BUILT_FROM = {"shingles": (), "signatures": ("shingles",), "index": ("shingles", "signatures")}
"""Which artifacts each kind can be built from, beside documents."""


def build(kind: str, options: Options) -> int:
    """Build an artifact of this kind: the exit status."""
    problems = check_sources(options) + check_streams(options)
    if not options["output"]:
        problems.append(f"-o NAME.{kind} is missing: where to write")
    refuse(problems)
    from simdocs.artifacts.writer import write_artifact
    from simdocs.commands import build as stages
    from simdocs.engines.local import Local, cores
    from simdocs.engines.run import Run
    from simdocs.views import messages, summary
    from simdocs.views.progress import Progress

    started = time.monotonic()
    upstream: Collection[str] = BUILT_FROM[kind]
    intake = intake_of(options, upstream, (options["summary_json"],))
    recipe = recipe_of(options, intake.shelf)
    work = {"shingles": stages.build_shingles, "signatures": stages.build_signatures, "index": stages.build_index}[kind]
    with ExitStack() as stack:
        note = stack.enter_context(to_file(options["summary_json"]))
        shelf = stack.enter_context(write_artifact(options["output"], kind, options["lock_wait"]))
        engine = stack.enter_context(Local(options["jobs"] or cores()))
        progress = Progress(quiet=options["quiet"])
        stack.callback(progress.close)
        command = ["simdocs", *(text_of(os.fsencode(word)) for word in sys.argv[1:])]
        order = stages.Order(intake, recipe, shelf, command, options["strict"])
        built = work(order, Run(engine, progress=progress))
        progress.close()
        if not options["quiet"]:
            messages.skips(built.skipped, verbose=options["verbose"])
        if options["strict"] and built.skipped.unjudged:
            raise UnjudgedError(summary.unjudged(built.skipped))
        facts = built.facts | {"kind": kind, "advice": built.advice, "seconds": round(time.monotonic() - started, 3)}
        if note is not None:
            note.write(summary.as_json(facts))
            note.flush()  # fails, where it cannot be written, before the artifact is published
    if options["verbose"] or (messages.on_terminal() and not options["quiet"]):
        # Not into a cron mail every night: whoever chose k has seen it.
        messages.warn(built.advice)
        messages.explain(summary.built(facts, shown(os.fsencode(options["output"]))))
    return exits.UNJUDGED if built.skipped.unjudged else exits.DONE
