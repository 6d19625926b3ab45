"""A run of a command: its progress, what it says on standard error, and its summary."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from simdocs.cli import exits
from simdocs.cli.output import Drawing, path_of, summary_of
from simdocs.cli.spelling import marked, spelled
from simdocs.errors import ShrunkError, UnjudgedError
from simdocs.requests.read_request import Request
from simdocs.requests.report_requests import FormatRequest, ReportRequest

if TYPE_CHECKING:
    from simdocs.engines.run import Run
    from simdocs.storage.output_stream import OutputStream
    from simdocs.views.messages import Teller
    from simdocs.views.progress import ProgressBar


@dataclass(frozen=True, slots=True)
class Work:
    """A run that is going on. stream: the answer is written to it. note: takes the summary, if a file was named."""

    request: Request
    run: Run
    told: Teller
    progress: ProgressBar
    stream: OutputStream | None
    note: OutputStream | None
    started: float

    @property
    def seconds(self) -> float:
        """How long it has taken so far."""
        return time.monotonic() - self.started

    @property
    def status(self) -> int:
        """The exit status."""
        return exits.UNJUDGED if self.run.skipped.unjudged else exits.DONE

    def drawing(self, drawn: FormatRequest) -> Drawing:
        """What draws the answer. Nothing is drawn before it is complete if an error may still forbid it."""
        assert self.stream is not None
        return Drawing(
            drawn,
            self.stream,
            before=self.progress.close,
            announce=lambda: self.progress("drawing", 0, 0),
            hold=bool(self.request.strict),
        )

    def name_skips(self) -> None:
        """Name what was skipped."""
        self.progress.close()
        self.told.skips(self.run.skipped)

    def write_summary(self, result: Any) -> None:
        """Write the summary. If that fails, it does so before the answer or the artifact is published."""
        from simdocs.views.summary_json import as_json

        self.progress.close()
        if self.note is not None:
            self.note.write(as_json(result, self.seconds, spelled))
            self.note.prepare()


@contextmanager
def at_work(
    request: Request,
    report: ReportRequest,
    published: str | None = None,
    stream: AbstractContextManager[OutputStream] | None = None,
) -> Iterator[Work]:
    """Do the work of a request. published: the file that the summary is about; None: the answer is printed."""
    from simdocs.api.ask import running
    from simdocs.views.messages import Teller
    from simdocs.views.progress import ProgressBar

    exits.listen()
    started = time.monotonic()
    told, progress = Teller(report, marked), ProgressBar(quiet=bool(report.quiet))
    with ExitStack() as stack:
        # The stream that is entered first is published last, so there is no summary without its answer.
        note = stack.enter_context(summary_of(published, path_of(report.summary_json)))
        opened = None if stream is None else stack.enter_context(stream)
        skipped, explain = told.skipped(progress.close), told.explain(progress.close)
        run = stack.enter_context(running(request.jobs, progress, skipped, explain))
        stack.callback(progress.close)
        work = Work(request, run, told, progress, opened, note, started)
        try:
            yield work
        except (ShrunkError, UnjudgedError):
            work.name_skips()
            raise
