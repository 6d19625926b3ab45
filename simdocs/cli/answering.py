"""What the commands that answer have in common: from work to an answer that is drawn, and an exit status."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from simdocs.cli import exits
from simdocs.cli.output import Output, to_file
from simdocs.cli.requests import Options
from simdocs.errors import UnjudgedError
from simdocs.model.answers import Answer
from simdocs.model.skipped import Skipped

if TYPE_CHECKING:
    from simdocs.engines.run import Run


class Work(Protocol):
    """Documents ready to be compared, and a tally of what came of it."""

    found: int

    @property
    def skipped(self) -> Skipped:
        """The documents that were not compared."""

    def facts(self) -> dict[str, Any]:
        """What was done, in numbers and parameters."""

    def warnings(self) -> Iterable[str]:
        """What is to be said in any case."""


Working = TypeVar("Working", bound=Work)


def answer(
    options: Options,
    begin: Callable[[Run], Working],
    ask: Callable[[Working, Output], Answer],
    explain: Callable[[Mapping[str, Any]], Iterator[str]],
) -> int:
    """Begin the work, draw its answer, and tell of it: the exit status."""
    from simdocs.engines.local import Local, cores
    from simdocs.engines.run import Run
    from simdocs.views import messages, summary
    from simdocs.views.progress import Progress

    started = time.monotonic()
    output = Output(options["output"], options["form"], options["header"], options["color"], options["nul"])
    verbose = options["verbose"]
    with ExitStack() as stack:
        # What is entered first is published last: no summary without its answer.
        note = stack.enter_context(to_file(options["summary_json"]))
        sink = stack.enter_context(output.open())
        engine = stack.enter_context(Local(options["jobs"] or cores()))
        progress = Progress(quiet=options["quiet"])
        stack.callback(progress.close)
        work = begin(Run(engine, progress=progress))
        found = ask(work, output)
        if options["strict"]:
            found = found.held()
        if not (options["strict"] and work.skipped.unjudged):
            for piece in output.draw(found):
                sink.write(piece)
            sink.flush()
        progress.close()
        if not options["quiet"]:
            messages.skips(work.skipped, verbose=verbose)
            messages.warn(work.warnings())
        if options["strict"] and work.skipped.unjudged:
            raise UnjudgedError(summary.unjudged(work.skipped))
        facts = work.facts() | {"seconds": round(time.monotonic() - started, 3)}
        if note is not None:
            note.write(summary.as_json(facts))
            note.flush()  # fails, where it cannot be written, before the answer is published
        if verbose or (messages.on_terminal() and not options["quiet"]):
            messages.explain(explain(facts))
    if work.skipped.unjudged:
        return exits.UNJUDGED
    return exits.FOUND if options["exit_code"] and work.found else exits.DONE
