"""The common part of commands: options become a request, which is answered, and the answer is drawn."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any, TypeVar, cast

from simdocs.checked_request import CheckedRequest
from simdocs.cli import exits
from simdocs.cli.help import refuse
from simdocs.cli.options import given
from simdocs.cli.output import Drawing, path_of, stream_of, summary_of
from simdocs.cli.spelling import spelled
from simdocs.errors import UnjudgedError, UsageError, mention
from simdocs.model.names import display_name
from simdocs.report_requests import BuildReportRequest, DebugRequest, DrawRequest, ReportRequest, ShowDrawRequest
from simdocs.requests import BuildRequest, Request

Asked = TypeVar("Asked", bound=CheckedRequest)
Told = TypeVar("Told", bound=DebugRequest)


def requests_of(
    asked: type[Asked], told: type[Told], options: dict[str, Any], problems: Sequence[str] = ()
) -> tuple[Asked, Told]:
    """The request that options make, and the request that says what is done with its answer.

    UsageError: all problems of both, those that were found before, and all options with wrong values.
    """
    listing = {"listing": options.get("list")} if issubclass(told, DrawRequest) else {}
    problems = list(problems)
    made: list[Any] = []
    for kind, more in ((asked, {}), (told, listing)):
        try:
            made.append(kind(**given(kind, options), **more))
        except UsageError as error:
            problems += error.messages
    refuse(problems)
    return cast(Asked, made[0]), cast(Told, made[1])


def request_of(told: type[Told], options: dict[str, Any]) -> Told:
    """What shall become of the answer of a command that has no other options. UsageError: see `requests_of`."""
    made: Told | None = None
    problems: Sequence[str] = ()
    try:
        made = told(**given(told, options))
    except UsageError as error:
        problems = error.messages
    refuse(problems)
    return cast(Told, made)


def answer(asked: type[Request], options: dict[str, Any]) -> int:
    """Answer a request, draw the answer, and print messages. Return the exit status."""
    request, drawn = requests_of(asked, DrawRequest, options)
    hint_at_terminal(request, drawn)
    from simdocs import api
    from simdocs.model.results import Matches
    from simdocs.views import messages, summary
    from simdocs.views.answer_tables import head_of
    from simdocs.views.progress import ProgressBar
    from simdocs.views.warnings import lines_meant

    exits.listen()
    started = time.monotonic()
    output, note_path = path_of(drawn.output), path_of(drawn.summary_json)
    with ExitStack() as stack:
        # The stream that is entered first is published last, so there is no summary without its answer.
        note = stack.enter_context(summary_of(output, note_path))
        stream = stack.enter_context(stream_of(output))
        progress = ProgressBar(quiet=bool(drawn.quiet))
        told = messages.Teller(drawn, spelled)
        run = stack.enter_context(api.running(request.jobs, progress, told.skipped(progress.close)))
        stack.callback(progress.close)
        drawing = Drawing(drawn, head_of(request), stream, before=progress.close, hold=bool(request.strict))
        try:
            result: Any = api.ask(request, run, drawing.take, (output, note_path))
        except UnjudgedError:
            progress.close()
            told.skips(run.skipped)
            raise
        drawing.finish()
        progress.close()
        told.skips(run.skipped)
        seconds = time.monotonic() - started
        if note is not None:
            note.write(summary.as_json(result, seconds, spelled))
            note.prepare()  # if the summary cannot be written, this fails before the answer is published
        told.summary(summary.lines(result, seconds))
        if told.is_loud and not drawn.nul:  # Names with NULs are for xargs -0: nobody takes them for lines.
            told.summary(lines_meant(result, drawn.listing))
    told.written(output)
    if run.skipped.unjudged:
        return exits.UNJUDGED
    similar = result.similar if isinstance(result, Matches) else result.found
    return exits.FOUND if drawn.exit_code and similar else exits.DONE


def build(asked: type[BuildRequest], options: dict[str, Any]) -> int:
    """Build an artifact. Return the exit status."""
    # The request itself complains about a dry run without an output.
    unnamed = (b"-",) if options["dry_run"] else (None, b"-")
    nowhere = _explain_no_output(asked, options["documents"]) if options["output"] in unnamed else ""
    request, told_as = requests_of(asked, BuildReportRequest, options, (nowhere,) if nowhere else ())
    hint_at_terminal(request, told_as)
    if request.dry_run:
        return _dry_run(request, told_as)
    from simdocs import api
    from simdocs.model.results import BuildResult
    from simdocs.views import messages, summary
    from simdocs.views.progress import ProgressBar

    exits.listen()
    started = time.monotonic()
    note_path = path_of(told_as.summary_json)
    told = messages.Teller(told_as, spelled)
    with ExitStack() as stack:
        note = stack.enter_context(summary_of(path_of(request.output), note_path))
        progress = ProgressBar(quiet=bool(told_as.quiet))
        run = stack.enter_context(api.running(request.jobs, progress, told.skipped(progress.close)))
        stack.callback(progress.close)

        def conclude(result: BuildResult) -> None:
            progress.close()
            if note is not None:
                note.write(summary.as_json(result, time.monotonic() - started, spelled))
                note.prepare()  # if the summary cannot be written, this fails before the artifact is published

        try:
            result = cast(BuildResult, api.ask(request, run, None, (note_path,), conclude))
        except UnjudgedError:
            progress.close()
            told.skips(run.skipped)
            raise
        told.skips(run.skipped)
    if told.is_loud:
        # Advice is not printed when nobody asks for it, or cron would mail the same advice every night.
        told.warnings(result.advice)
    target = display_name(os.fsencode(cast(bytes, request.output)))
    told.summary(summary.lines(result, time.monotonic() - started, target))
    return exits.UNJUDGED if run.skipped.unjudged else exits.DONE


def _dry_run(request: BuildRequest, drawn: BuildReportRequest) -> int:
    """Print what a build would change. Return the exit status."""
    from simdocs import api
    from simdocs.views import messages, summary
    from simdocs.views.answer_tables import CHANGES
    from simdocs.views.progress import ProgressBar

    exits.listen()
    started = time.monotonic()
    note_path = path_of(drawn.summary_json)
    with ExitStack() as stack:
        note = stack.enter_context(summary_of(None, note_path))
        stream = stack.enter_context(stream_of(None))
        progress = ProgressBar(quiet=bool(drawn.quiet))
        told = messages.Teller(drawn, spelled)
        run = stack.enter_context(api.running(request.jobs, progress, told.skipped(progress.close)))
        stack.callback(progress.close)
        drawing = Drawing(drawn, CHANGES, stream, before=progress.close, hold=bool(request.strict))
        try:
            result = api.list_changes(request, run, drawing.take, (note_path,), unchanged=bool(drawn.verbose))
        except UnjudgedError:
            progress.close()
            told.skips(run.skipped)
            raise
        drawing.finish()
        progress.close()
        told.skips(run.skipped)
        seconds = time.monotonic() - started
        if note is not None:
            note.write(summary.as_json(result, seconds, spelled))
            note.prepare()
    if told.is_loud:
        told.warnings(result.built.advice)
    target = display_name(os.fsencode(cast(bytes, request.output)))
    told.summary(summary.lines(result, seconds, target))
    return exits.UNJUDGED if run.skipped.unjudged else exits.DONE


def _explain_no_output(asked: type[BuildRequest], documents: Sequence[object]) -> str:
    """The error about a missing output, or about an attempt to add documents, as in `index docs.index new/`."""
    from simdocs.commands.artifact_hints import explain_adding

    missing = f"{mention('output')} NAME.{asked.kind} is missing: name the artifact to write, which is a directory"
    return explain_adding(asked, documents) or missing


def hint_at_terminal(request: CheckedRequest, told: ReportRequest | ShowDrawRequest) -> None:
    """Say that the program reads standard input, if that is a terminal."""
    named = (
        getattr(request, "documents", ()),
        getattr(request, "files_from", None),
        getattr(request, "files0_from", None),
    )
    waits = b"-" in named[0] or b"-" in named[1:] or getattr(request, "file", None) == b"-"
    if waits and not told.quiet and sys.stdin is not None and sys.stdin.isatty():
        from simdocs.views import messages

        messages.say("simdocs: reading standard input: type, then Ctrl-D")
