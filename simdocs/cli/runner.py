"""The common part of commands: options become a request, which is answered, and the answer is drawn."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any, TypeVar, cast

from simdocs.cli import exits
from simdocs.cli.help import refuse
from simdocs.cli.options import given
from simdocs.cli.spelling import marked, spelled
from simdocs.errors import Problem, ShrunkError, UnjudgedError, UsageError
from simdocs.parameters.answers import RowOutputs
from simdocs.requests.drawing import BuildReportRequest, DrawnRequest, DrawRequest
from simdocs.requests.request import Request
from simdocs.requests.sources import ReadRequest
from simdocs.views.output import Drawing, path_of, stream_of, summary_of

if TYPE_CHECKING:
    from simdocs.engines.run import Run
    from simdocs.model.answers import Answer
    from simdocs.requests.building import BuildRequest, MergeRequest
    from simdocs.storage.output_stream import OutputStream
    from simdocs.views.messages import ProgressBar, Teller


Asked = TypeVar("Asked", bound=Request)
Told = TypeVar("Told", bound=DrawnRequest)


def requests_of(
    asked: type[Asked], told: type[Told], options: dict[str, Any], problems: Sequence[Problem] = ()
) -> tuple[Asked, Told]:
    """The request that options make, and the request that says what is done with its answer.

    UsageError: all problems of both, those that were found before, and all options with wrong values.
    """
    rows = tuple(options[name] for name in RowOutputs.parameters if options.get(name) is not None)
    of_answer = {"listing": options.get("list"), "row_paths": rows}
    listing = of_answer if issubclass(told, DrawRequest) else {}
    problems = list(problems)
    made: list[Any] = []
    for kind, more in ((asked, {}), (told, listing)):
        try:
            made.append(kind(**given(kind, options), **more))
        except UsageError as error:
            problems += error.found
    refuse(problems)
    return cast(Asked, made[0]), cast(Told, made[1])


def answer(asked: type[Request], told: type[DrawnRequest], options: dict[str, Any]) -> int:
    """Answer a request, draw the answer, and print messages. Return the exit status.

    asked: the class of the request. told: the class of its output options.
    """
    request, drawn = requests_of(asked, told, options)
    output = path_of(drawn.output)
    return _answered(request, drawn, output, (output, path_of(drawn.summary_json)))


def build(
    asked: type[BuildRequest | MergeRequest], options: dict[str, Any], told: type[DrawnRequest] = BuildReportRequest
) -> int:
    """Build an artifact, or print what a build would change. Return the exit status."""
    # The request itself complains about a dry run without an output.
    unnamed = (b"-",) if options.get("dry_run") else (None, b"-")
    problems = list[Problem]()
    if options["output"] in unnamed:
        from simdocs.commands.artifact_hints import explain_no_output

        documents = options.get("documents") or options.get("artifacts") or ()
        problems.append(Problem(explain_no_output(asked, documents), "output"))
    request, report = requests_of(asked, told, options, problems)
    outputs = (path_of(report.summary_json),)
    if request.target.dry_run:
        return _answered(request, report, None, outputs)
    _hint_at_terminal(request, report)
    from simdocs.api.ask import ask
    from simdocs.model.answers import Delivery

    with at_work(request, report, path_of(request.target.output), None) as (work, _):
        result = ask(request, work.run, Delivery(outputs=outputs, conclude=work.write_summary))
        work.name_skips()
    _say_in_the_end(result, work, report)
    return work.status


def _answered(request: Request, drawn: DrawnRequest, output: str | None, outputs: tuple[str | None, ...]) -> int:
    """Answer a request, draw the answer, and print messages. Return the exit status.

    output: where the answer is written. outputs: all files that are written.
    """
    _hint_at_terminal(request, drawn)
    from simdocs.api.ask import ask
    from simdocs.model.answers import Delivery

    with at_work(request, drawn, output, stream_of(output, drawn) if drawn.is_wanted else None) as (work, stream):
        delivery = Delivery(
            outputs=outputs,
            is_wanted=stream is not None,
            publishing=work.publishing,
        )
        if stream is None:
            result: Answer = ask(request, work.run, delivery)
            work.name_skips()
        else:
            drawing = work.drawing(request, drawn, stream)
            take = None if drawing.look.as_file else drawing.take
            result = ask(request, work.run, delivery._replace(take=take, look=drawing.look))
            if drawing.has_begun:
                drawing.finish()
                work.name_skips()
            else:
                work.name_skips()
                drawing.draw(result)
            stream.prepare()
        work.write_summary(result)
        if not result.SUMMARY_LAST:
            _say_in_the_end(result, work, drawn)
    if drawn.has_report:
        work.told.written(output)
    if result.SUMMARY_LAST:
        _say_in_the_end(result, work, drawn)
    work.told.notes(result.notes)
    if result.errors:
        return exits.reported(result.errors)
    wanted = drawn.exit_code and result.is_found
    return exits.FOUND if wanted and work.status == exits.DONE else work.status


def _say_in_the_end(result: Answer, work: Work, drawn: DrawnRequest) -> None:
    """Say what was done, for people who look."""
    if work.told.is_loud:
        # Advice is not printed when nobody asks for it, or cron would mail the same advice every night.
        work.told.warnings(result.warned_of)
    work.told.summary(result.lines(work.seconds, verbose=drawn.verbose))


def _hint_at_terminal(request: Request, told: DrawnRequest) -> None:
    """Say that the program reads standard input, if that is a terminal."""
    named = (*getattr(request, "documents", ()), getattr(request, "file", None))
    waits = b"-" in (*named, request.given.get("files_from"), request.given.get("files0_from"))
    if waits and not told.quiet and sys.stdin is not None and sys.stdin.isatty():
        from simdocs.views import messages

        messages.say("simdocs: reading standard input: type, then Ctrl-D")


class Work:
    """A run of a command, with its messages.

    run: the engine, the skips and the counts.
    told: prints messages on standard error.
    progress: the progress bar, which is closed before anything else is written to a terminal.
    note: the file for the summary, if one was named.
    publishing: publishes what is written beside the answer, before the answer.
    """

    def __init__(
        self,
        run: Run,
        *,
        told: Teller,
        progress: ProgressBar,
        note: OutputStream | None,
        publishing: ExitStack,
    ) -> None:
        self.run, self.told, self._progress, self._note, self.publishing = run, told, progress, note, publishing
        self._started = time.monotonic()

    @property
    def seconds(self) -> float:
        """The seconds that it has taken so far."""
        return time.monotonic() - self._started

    @property
    def status(self) -> int:
        """The exit status."""
        return exits.UNJUDGED if self.run.skipped.unjudged else exits.DONE

    def drawing(self, request: Request, drawn: DrawnRequest, stream: OutputStream) -> Drawing:
        """An object that draws the answer. If an error may still forbid the answer, it draws nothing before the end."""
        hold = isinstance(request, ReadRequest) and request.running.strict
        progress = self._progress
        announce = lambda: progress("drawing", 0, 0)  # noqa: E731
        return Drawing(drawn, stream, spelling=spelled, before=progress.close, announce=announce, hold=hold)

    def name_skips(self) -> None:
        """Name what was skipped."""
        self._progress.close()
        self.told.skips(self.run.skipped)

    def write_summary(self, result: Answer) -> None:
        """Write the summary. If that fails, it does so before the answer or the artifact is published."""
        self._progress.close()
        if self._note is not None:
            from simdocs.api.ask import summary_in_json

            self._note.write(summary_in_json(result, self.seconds, spelled))
            self._note.prepare()


@contextmanager
def at_work(
    request: Request,
    report: DrawnRequest,
    published: str | None,
    stream: AbstractContextManager[OutputStream] | None,
) -> Iterator[tuple[Work, OutputStream | None]]:
    """Do the work of a request, and write the answer to the stream, if there is one.

    published: the file that the summary is about; None: the answer is printed.
    """
    from simdocs.api.ask import ALONE, running
    from simdocs.views.messages import ProgressBar, Teller

    exits.listen()
    quiet = report.quiet
    told, progress = Teller(report, marked), ProgressBar(quiet=quiet)
    with ExitStack() as stack:
        # The stream that is entered first is published last, so there is no summary without its answer.
        explain = None
        note: AbstractContextManager[OutputStream | None] = nullcontext()
        if report.has_report:
            note, explain = summary_of(published, path_of(report.summary_json)), told.explain(progress.close)
        entered = stack.enter_context(note)
        opened = None if stream is None else stack.enter_context(stream)
        how = request.running if isinstance(request, ReadRequest) else ALONE
        run = stack.enter_context(running(how, progress, told.skipped(progress.close), explain, quiet=quiet))
        stack.callback(progress.close)
        work = Work(run, told=told, progress=progress, note=entered, publishing=stack)
        try:
            yield work, opened
        except (ShrunkError, UnjudgedError):
            work.name_skips()
            raise
