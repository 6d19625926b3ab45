"""A run of a command: its progress, what it says on standard error, and its summary."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from typing import TYPE_CHECKING

from simdocs.cli import exits
from simdocs.cli.output import Drawing, path_of, stream_of, summary_of
from simdocs.cli.spelling import marked, spelled
from simdocs.errors import ShrunkError, UnjudgedError
from simdocs.parameters.file_formats import FILE_FORMATS
from simdocs.requests.drawing import DrawnRequest
from simdocs.requests.request import Request
from simdocs.requests.sources import ReadRequest

if TYPE_CHECKING:
    from simdocs.engines.run import Run
    from simdocs.model.answers import Answer
    from simdocs.storage.output_stream import OutputStream
    from simdocs.views.messages import Teller
    from simdocs.views.progress import ProgressBar


class Work:
    """A run of a command, with its messages.

    run: the engine, the skips and the counts.
    told: prints messages on standard error.
    progress: the progress bar, which is closed before anything else is written to a terminal.
    note: the file for the summary, if one was named. page: the file for a report beside the answer, if one was named.
    publishing: publishes what is written beside the answer, before the answer.
    """

    def __init__(
        self,
        run: Run,
        *,
        told: Teller,
        progress: ProgressBar,
        note: OutputStream | None,
        page: OutputStream | None,
        publishing: ExitStack,
    ) -> None:
        self.run, self.told, self._progress, self._note, self.publishing = run, told, progress, note, publishing
        self._page = page
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
        return Drawing(drawn, stream, before=progress.close, announce=lambda: progress("drawing", 0, 0), hold=hold)

    def name_skips(self) -> None:
        """Name what was skipped."""
        self._progress.close()
        self.told.skips(self.run.skipped)

    def write_report(self, result: Answer) -> None:
        """Write the report beside the answer, if one was asked for, and say what it lacks."""
        report = getattr(result, "report", None)
        if self._page is not None and report is not None:
            self._progress.close()
            self._page.write(report.html())
            self._page.prepare()
            self.told.notes(report.notes)

    def write_summary(self, result: Answer) -> None:
        """Write the summary. If that fails, it does so before the answer or the artifact is published."""
        self._progress.close()
        if self._note is not None:
            facts = result.spelled(spelled).summary(round(self.seconds, 3))
            import json

            text = json.dumps(facts, indent=2, ensure_ascii=False)
            self._note.write(text.encode("utf-8", "backslashreplace") + b"\n")
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
    from simdocs.views.messages import Teller
    from simdocs.views.progress import ProgressBar

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
        page = None
        if report.report is not None:
            FILE_FORMATS["report.html"].ready()
            page = stack.enter_context(stream_of(path_of(report.report)))
        how = request.running if isinstance(request, ReadRequest) else ALONE
        run = stack.enter_context(running(how, progress, told.skipped(progress.close), explain))
        stack.callback(progress.close)
        work = Work(run, told=told, progress=progress, note=entered, page=page, publishing=stack)
        try:
            yield work, opened
        except (ShrunkError, UnjudgedError):
            work.name_skips()
            raise
