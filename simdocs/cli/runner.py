"""The common part of commands: options become a request, which is answered, and the answer is drawn."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar, cast

from simdocs.cli import exits
from simdocs.cli.help import refuse
from simdocs.cli.options import given
from simdocs.cli.output import path_of, stream_of
from simdocs.cli.work import Work, at_work
from simdocs.errors import UsageError
from simdocs.model.names import display_name
from simdocs.requests.build_requests import BuildRequest
from simdocs.requests.checked_request import CheckedRequest
from simdocs.requests.read_request import Request
from simdocs.requests.report_requests import (
    BuildReportRequest,
    CompareDrawRequest,
    DebugRequest,
    DrawRequest,
    ReportRequest,
    ShowDrawRequest,
)

if TYPE_CHECKING:
    from simdocs.model.build_results import BuildResult, DryRun

Asked = TypeVar("Asked", bound=CheckedRequest)
Told = TypeVar("Told", bound=DebugRequest)


def requests_of(
    asked: type[Asked], told: type[Told], options: dict[str, Any], problems: Sequence[str] = ()
) -> tuple[Asked, Told]:
    """The request that options make, and the request that says what is done with its answer.

    UsageError: all problems of both, those that were found before, and all options with wrong values.
    """
    of_answer = {"listing": options.get("list"), "explained": options.get("explain")}
    listing = of_answer if issubclass(told, DrawRequest) else {}
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
    """Return what becomes of the answer of a command without other options. UsageError: see `requests_of`."""
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
    from simdocs.api.ask import ask
    from simdocs.model.answers import Delivery
    from simdocs.model.search_result import Matches
    from simdocs.views import summary

    output = path_of(drawn.output)
    with at_work(request, drawn, output, stream_of(output)) as work:
        drawing = work.drawing(drawn)
        outputs = (output, path_of(drawn.summary_json))
        result = ask(request, work.run, Delivery(drawing.take, outputs, diff=drawn.unit_of_difference))
        drawing.finish()
        work.name_skips()
        work.write_summary(result)
        work.told.summary(summary.lines(result, work.seconds, verbose=bool(drawn.verbose)))
        if work.told.is_loud and not drawn.nul:  # Names with NULs are for xargs -0: nobody takes them for lines.
            work.told.summary(summary.lines_meant(result, drawn.listing))
    work.told.written(output)
    similar = result.similar if isinstance(result, Matches) else result.found
    return exits.FOUND if drawn.exit_code and similar and work.status == exits.DONE else work.status


def build(asked: type[BuildRequest], options: dict[str, Any]) -> int:
    """Build an artifact, or print what a build would change. Return the exit status."""
    # The request itself complains about a dry run without an output.
    unnamed = (b"-",) if options["dry_run"] else (None, b"-")
    problems = list[str]()
    if options["output"] in unnamed:
        from simdocs.commands.artifact_hints import explain_no_output

        problems.append(explain_no_output(asked, options["documents"]))
    request, told_as = requests_of(asked, BuildReportRequest, options, problems)
    hint_at_terminal(request, told_as)
    from simdocs.views import summary

    work, result, advice = (_dry_run if request.dry_run else _build)(request, told_as)
    if work.told.is_loud:
        # Advice is not printed when nobody asks for it, or cron would mail the same advice every night.
        work.told.warnings(advice)
    target = display_name(os.fsencode(cast(bytes, request.output)))
    work.told.summary(summary.lines(result, work.seconds, target, verbose=bool(told_as.verbose)))
    return work.status


def _build(request: BuildRequest, report: BuildReportRequest) -> tuple[Work, BuildResult, Sequence[str]]:
    """Build an artifact. Return the work, the result, and advice."""
    from simdocs.api.ask import ask
    from simdocs.model.answers import Delivery

    with at_work(request, report, path_of(request.output)) as work:
        outputs = (path_of(report.summary_json),)
        result = ask(request, work.run, Delivery(outputs=outputs, conclude=work.write_summary))
        work.name_skips()
    return work, result, result.advice


def _dry_run(request: BuildRequest, drawn: BuildReportRequest) -> tuple[Work, DryRun, Sequence[str]]:
    """Print what a build would change. Return the work, the result, and advice."""
    from simdocs.api.ask import ask
    from simdocs.model.answers import Delivery

    with at_work(request, drawn, None, stream_of(None)) as work:
        drawing = work.drawing(drawn)
        outputs = (path_of(drawn.summary_json),)
        result = ask(request, work.run, Delivery(drawing.take, outputs, unchanged=bool(drawn.verbose)))
        drawing.finish()
        work.name_skips()
        work.write_summary(result)
    return work, result, result.built.advice


def hint_at_terminal(request: CheckedRequest, told: ReportRequest | ShowDrawRequest | CompareDrawRequest) -> None:
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
