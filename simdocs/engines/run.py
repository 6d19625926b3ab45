"""A run of a command: the engine that does the work, and what a run reports and counts."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar

from simdocs.engines.engine import Returned, Task
from simdocs.errors import SimdocsError
from simdocs.model.result import Blocks, Look, Table, TableHead
from simdocs.model.skipped import Skipped
from simdocs.options.answers import Running

if TYPE_CHECKING:
    from concurrent.futures import Future

    from simdocs.engines.local import Local

Item = TypeVar("Item")

Draw = Callable[[Table], None]

Progress = Callable[[str, int, int], None]
"""Reports progress: the step that is running, how much of it is done, and how much there is (0: unknown)."""


def each_band(bands: Iterable[Item], count: int, progress: Progress) -> Iterator[Item]:
    """Yield an item for each of `count` bands, and report how many buckets were made."""
    for done, band in enumerate(bands):
        progress("making buckets", done, count)
        yield band


_MOST = 4
"""Each thread holds 48 bytes for each of the documents while it sorts them, so there are not many."""

_MANY = 1 << 15
"""Documents from which on threads save more time than it takes to start them."""


def threads_for(documents: int, engine: Local) -> int:
    """How many threads work on arrays with an entry for each of so many documents."""
    return min(engine.jobs, _MOST) if documents >= _MANY else 1


def in_threads(function: Callable[[Task], Returned], tasks: Iterable[Task], threads: int) -> Iterator[Returned]:
    """Yield function(task) for each task, in order. At most one result more than there are threads is held.

    This is for a few large pieces of work on arrays, in which NumPy and the kernels in C let other threads run.
    Documents go to worker processes: more than half of the work on them is Python, which runs in one thread at a time.

    threads: with 1, this thread does the work.
    Raises what the function raises, at the turn of its task.
    """
    if threads == 1:
        yield from map(function, tasks)
        return
    from concurrent.futures import ThreadPoolExecutor  # takes 10 ms, and few runs need it

    waiting: deque[Future[Returned]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        try:
            for task in tasks:
                waiting.append(pool.submit(function, task))
                if len(waiting) > threads:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for each in waiting:
                each.cancel()
    _return_memory()


def _return_memory() -> None:
    """Return to the system what threads have freed. The C library of Linux would keep it for threads to come."""
    import ctypes

    with suppress(OSError, AttributeError, TypeError):  # another C library or system
        ctypes.CDLL(None).malloc_trim(0)


Explain = Callable[..., None]
"""Says a line at once about what is being done, to people who want explanations; with `detail=True` only to those who
asked for every one."""


def no_explanation(_line: str, *, detail: bool = False) -> None:
    """Say nothing."""


def no_progress(_step: str, _done: int, _total: int) -> None:
    """Report nothing."""


class Tally:
    """Counts of verification.

    candidates: candidate pairs
    verified: pairs whose exact similarity was computed
    similar: similar pairs
    undecided: documents of a query that are too short for the sketch of an index, so that all of it was read
    lost: the names of documents that were reported as missing or changed, so that each is reported once
    outdated: how many of the lost documents are gone or have another text
    without_file: how many of the lost documents came from no file
    missing_from: the roots from which some were not found
    located: whether any document of an artifact was found in its place, changed or not
    watch: is called with these counts whenever further candidates have been compared
    """

    def __init__(self) -> None:
        self.candidates = self.verified = self.similar = self.undecided = 0
        self.lost = set[tuple[bytes, bytes]]()
        self.outdated = self.without_file = 0
        self.missing_from = set[bytes]()
        self.located = False
        self.watch: Callable[[Tally], None] | None = None


class Run:
    """A run of a command.

    look: how the answer is drawn; None: it is a value of Python.
    draw: draws a table while its blocks are made; None: the answer is held.
    conclude: is called with the result of a build before it is published. If it raises an exception, nothing is.
    errors: those that were found in what was examined.
    publishing: publishes what is written beside the answer, when it is left without an exception.
    """

    def __init__(
        self,
        engine: Local,
        skipped: Skipped | None = None,
        progress: Progress = no_progress,
        explain: Explain = no_explanation,
        *,
        look: Look | None = None,
        draw: Draw | None = None,
        conclude: Callable[[Any], None] = lambda _: None,
    ) -> None:
        self.engine, self.progress, self.explain = engine, progress, explain
        self.look, self.draw, self.conclude = look, draw, conclude
        self.skipped = Skipped() if skipped is None else skipped
        self.tally, self.publishing = Tally(), ExitStack()
        self.errors = list[SimdocsError]()

    def table(self, head: TableHead, blocks: Blocks) -> Table:
        """A table whose blocks are made now: they are drawn, and then it is empty; or it holds them."""
        with closing(blocks):
            if self.draw is None:
                return Table.of(head, chain.from_iterable(blocks))
            self.draw(Table(head, lambda: blocks))
        return Table.of(head, ())

    def again(self) -> Run:
        """A run with the same engine that reports to the same place, with nothing skipped and nothing counted."""
        return Run(self.engine, None, self.progress, self.explain)


@contextmanager
def running(
    options: Any,
    progress: Progress = no_progress,
    skipped: Skipped | None = None,
    explain: Explain = no_explanation,
    **more: Any,
) -> Iterator[Run]:
    """A run with the engine and the workers that were asked for, which are closed at the end.

    options: of a command; without --jobs, the run is in this process alone. skipped: records the skips; None: all of
    them are kept. more: see `Run`.
    """
    how = Running.of(options.fields()) if "jobs" in options.options else Running(jobs=1)
    from simdocs.engines.local import Local, cores

    with Local(how.jobs or cores()) as engine:
        run = Run(engine, skipped, progress, explain, **more)
        with run.publishing:
            yield run
