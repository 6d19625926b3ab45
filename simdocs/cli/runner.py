"""The common part of commands: a question is answered, the answer is drawn, and messages are printed."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from simdocs.cli import exits
from simdocs.errors import ShrunkError, UnjudgedError
from simdocs.model.result import Result, lines_of
from simdocs.options.answers import ROW_OUTPUTS
from simdocs.options.declaration import Options
from simdocs.views.messages import ProgressBar, Teller, say
from simdocs.views.output import Drawing, file_of, path_of, stream_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from simdocs.engines.run import Run


def answered(options: Any) -> int:
    """Answer a question, draw the answer, and print messages. Return the exit status."""
    from simdocs.commands import ask, write_summary
    from simdocs.engines.run import running

    if _waits(options) and not options.quiet:
        say("simdocs: reading standard input: type, then Ctrl-D")
    exits.listen()
    began, told, progress = time.monotonic(), Teller(options), ProgressBar(quiet=options.quiet)
    draws, summary_json = not options.publishes_itself, path_of(getattr(options, "summary_json", None))
    output = options.path if draws else path_of(options.output)
    is_build = not draws or getattr(options, "dry_run", False)
    says_last = is_build or options.command == "tune"  # the summary ends with what to do next
    replaced = _existing(output, options) if draws else set()
    with _interruption_told(options, told), ExitStack() as stack:
        # The file that is opened first is published last, so there is no summary without its answer.
        published = "the answer was printed" if output is None else f"{output} was published"
        note = None if summary_json is None else stack.enter_context(file_of(summary_json, published))
        drawing = None
        if draws and options.is_wanted:
            drawing = Drawing(options, stack.enter_context(stream_of(output, options)), progress)

        def conclude(result: Result) -> None:
            """Write the summary. If that fails, it does so before the answer or the artifact is published."""
            progress.close()
            if note is not None:
                write_summary(note, result, time.monotonic() - began)

        look = None if drawing is None else drawing.look
        draw = drawing.draw if drawing is not None and options.file_format is None else None
        skipped, explain = told.skipped(progress.close), told.explain(progress.close)
        begun = running(options, progress, skipped, explain, look=look, draw=draw, conclude=conclude)
        run = stack.enter_context(begun)
        stack.callback(progress.close)
        try:
            result: Result = ask(options, run)
        except (ShrunkError, UnjudgedError):
            progress.close()
            told.skips(skipped)
            raise
        if drawing is not None and drawing.has_begun:
            drawing.finish()
        progress.close()
        told.skips(skipped)
        if drawing is not None:
            drawing.complete(result)
        if draws:
            conclude(result)
        if not says_last:
            _say_in_the_end(result, options, told, time.monotonic() - began, result.advice if is_build else ())
        told.is_done = True
    told.written(replaced | ({output} if draws and "summary_json" in options.options else set()), replaced)
    if says_last:
        _say_in_the_end(result, options, told, time.monotonic() - began, result.advice if is_build else ())
    told.notes(result.notes)
    return _status(result, run, options)


@contextmanager
def _interruption_told(options: Any, told: Teller) -> Iterator[None]:
    """Say at a terminal what Ctrl-C has left, after all drafts were removed. Actions are in their journal."""
    try:
        yield
    except exits.Ended as ended:
        if ended.number == signal.SIGINT and told.is_loud and not told.is_done and not getattr(options, "yes", False):
            to_stdout = not options.publishes_itself and options.is_wanted and options.path is None
            say(f"simdocs: interrupted: {'the answer is incomplete' if to_stdout else 'nothing was written'}")
        raise


def _existing(output: str | None, options: Any) -> set[str | None]:
    """The outputs that will be replaced, because they exist."""
    named = (output, *(path_of(getattr(options, name, None)) for name in ROW_OUTPUTS))
    return {path for path in named if path is not None and (os.path.isfile(path) or os.path.isdir(path))}


def _status(result: Result, run: Run, options: Any) -> int:
    """The exit status of a question that was answered."""
    if run.errors:
        return exits.reported(run.errors)
    if run.skipped.unjudged:
        return exits.UNJUDGED
    return exits.FOUND if getattr(options, "exit_code", False) and result.is_found else exits.DONE


def _say_in_the_end(result: Result, options: Any, told: Teller, seconds: float, advice: Iterable[str]) -> None:
    """Say what was done, for people who look."""
    if told.is_loud:
        # Advice is not printed when nobody asks for it, or cron would mail the same advice every night.
        told.warnings(advice)
    told.summary(lines_of(result, seconds, verbose=options.verbose))


def _waits(options: Options) -> bool:
    """Whether the program reads standard input, and that is a terminal."""
    named = [getattr(options, "file", None), *getattr(options, "documents", ())]
    named += [getattr(options, name, None) for name in ("files_from", "files0_from")]
    return b"-" in named and sys.stdin is not None and sys.stdin.isatty()
