"""A run of a command: the engine that does the work, the state of a worker, and what a run reports and counts."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Protocol, TypeVar

from simdocs.model.skipped import Skipped


class Closable(Protocol):
    """An object that is released when its worker ends."""

    def close(self) -> None:
        """Release everything that is held. The object is not used afterwards."""


Kept = TypeVar("Kept", bound=Closable)


def untold(_share: float) -> None:
    """Ignore how much of a task is done."""


class WorkerState:
    """The objects that one worker keeps, at most one of each type.

    An engine makes one for its own process and one for each of its workers, and closes it with the worker. Nothing in
    it crosses to another process: a function that needs it receives it beside its task.
    """

    def __init__(self, tell: Callable[[float], None] | None = None) -> None:
        self.tell = tell or untold
        """A function calls this as it works on a large task: the share of the task that is done, from 0 to 1."""
        self._kept: dict[type[Any], Any] = {}

    def get(self, kind: type[Kept]) -> Kept:
        """The object of this type. The first call makes it, by kind()."""
        if kind not in self._kept:
            self._kept[kind] = kind()
        kept: Kept = self._kept[kind]
        return kept

    def close(self) -> None:
        """Close all objects and forget them."""
        while self._kept:
            self._kept.popitem()[1].close()


Task = TypeVar("Task")
Result = TypeVar("Result")


class Engine(Protocol):
    """Runs a function on many tasks, possibly several at a time."""

    @property
    def jobs(self) -> int:
        """The number of tasks that run at a time."""

    @property
    def state(self) -> WorkerState:
        """The objects that the calling process keeps for as long as the engine is open."""

    def start(self) -> None:
        """Start all workers now, before much is in memory.

        A worker that is forked later keeps the memory that this process had then, even what it frees afterwards.
        """

    def map(self, function: Callable[[Task], Result], tasks: Iterable[Task]) -> Iterator[Result]:
        """Yield function(task) for each task, in the order of the tasks.

        Raises what the function raises, at the turn of its task. WorkerError: a worker process was killed.
        """

    def map_with_state(
        self,
        function: Callable[[Task, WorkerState], Result],
        tasks: Iterable[Task],
        watch: Callable[[float], None] | None = None,
    ) -> Iterator[Result]:
        """Yield function(task, state) for each task, with the state of the worker that runs it. Otherwise like map.

        A result must not depend on what the state holds: any worker may run any task. watch: is called now and
        then while the next result is waited for, with the share of its task that the function says is done.
        """


Item = TypeVar("Item")

Progress = Callable[[str, int, int], None]
"""Reports progress: the step that is running, how much of it is done, and how much there is (0: unknown)."""


def each_band(bands: Iterable[Item], count: int, progress: Progress) -> Iterator[Item]:
    """Yield an item for each of `count` bands, and report how many buckets were made."""
    for done, band in enumerate(bands):
        progress("making buckets", done, count)
        yield band


class Explain(Protocol):
    """Says at once what is being done, to people who want explanations."""

    def __call__(self, line: str, /, *, detail: bool = False) -> None:
        """Say a line. detail: only to those who asked for every explanation."""


def no_explanation(_line: str, /, *, detail: bool = False) -> None:
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
    """A run of a command: its engine, skipped documents, reports of progress, explanations, and counts."""

    def __init__(
        self,
        engine: Engine,
        skipped: Skipped | None = None,
        progress: Progress = no_progress,
        explain: Explain = no_explanation,
    ) -> None:
        self.engine, self.progress, self.explain = engine, progress, explain
        self.skipped = Skipped() if skipped is None else skipped
        self.tally = Tally()

    def again(self) -> Run:
        """A run with the same engine that reports to the same place, with nothing skipped and nothing counted."""
        return Run(self.engine, None, self.progress, self.explain)


_UNLIMITED = 1 << 60
"""Control groups without a limit have `max`, or a number near 2^63, as their limit."""


def available_memory(top: Path = Path("/")) -> int | None:
    """The bytes that this process can still take, or None if the system does not say it.

    This is the least that the system, a control group and a limit leave. top: the directory that has proc and sys.
    """
    return min((*_of_system(top), *_of_groups(top), *_of_process(top)), default=None)


def _of_system(top: Path) -> Iterator[int]:
    """The memory that Linux can give without swapping, or else all memory of the machine."""
    if (meant := _field(_text(top / "proc/meminfo"), "MemAvailable:")) is not None:
        yield meant << 10
    elif "SC_PHYS_PAGES" in os.sysconf_names:
        yield os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def _of_groups(top: Path) -> Iterator[int]:
    """The memory left by the limits of the control groups that this process is in, and of those above them."""
    for line in _text(top / "proc/self/cgroup").splitlines():
        _, controllers, name = line.split(":", 2)
        if controllers in ("", "memory"):
            mount, files = ("", _FILES_OF_2) if not controllers else ("memory", _FILES_OF_1)
            group = Path(name)
            for one in (group, *group.parents):
                yield from _of_group(top / "sys/fs/cgroup" / mount / str(one).lstrip("/"), *files)


_FILES_OF_1 = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
_FILES_OF_2 = ("memory.max", "memory.current", "inactive_file")
"""In a control group of version 1 or 2: the file of its limit, that of its use, and what counts as used but is a cache
of files."""


def _of_group(directory: Path, limit: str, usage: str, cached: str) -> Iterator[int]:
    most, used = _text(directory / limit).strip(), _text(directory / usage).strip()
    if most.isdecimal() and used.isdecimal() and int(most) < _UNLIMITED:
        cache = _field(_text(directory / "memory.stat"), cached) or 0
        yield max(int(most) - int(used) + cache, 0)


def _of_process(top: Path) -> Iterator[int]:
    """The memory that `ulimit -v` leaves."""
    import resource

    most, _ = resource.getrlimit(resource.RLIMIT_AS)
    pages = _text(top / "proc/self/statm").split()
    if most != resource.RLIM_INFINITY and pages:
        yield max(most - int(pages[0]) * os.sysconf("SC_PAGE_SIZE"), 0)


def _text(path: Path) -> str:
    """The contents of a file, or nothing if it cannot be read."""
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""


def _field(text: str, name: str) -> int | None:
    """The number that follows a name at the beginning of a line."""
    for line in text.splitlines():
        words = line.split()
        if len(words) > 1 and words[0] == name and words[1].isdecimal():
            return int(words[1])
    return None
