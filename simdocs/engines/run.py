"""A run of a command: the engine that does the work, what was skipped, progress, and counts."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, TypeVar

from simdocs.engines.worker_state import WorkerState
from simdocs.model.skipped import Skipped

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
    """Yield what there is about each band of so many, and report how far the making of buckets is."""
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


@dataclass(slots=True)
class Tally:
    """Counts of verification: candidate pairs, pairs whose exact similarity was computed, and similar pairs.

    undecided: documents asked about that are too short for the sketch of an index, so that all of it was read.
    lost: the names of documents that were reported as missing or changed, so that each is reported once. outdated: how
    many of them are gone or have another text. without_file: how many of them came from no file. missing_from: the
    roots from which some were not found. located: whether any document of an artifact was found where it was looked
    for, changed or not. watch: is called with these counts whenever further candidates have been compared.
    """

    candidates: int = 0
    verified: int = 0
    similar: int = 0
    undecided: int = 0
    lost: set[tuple[bytes, bytes]] = field(default_factory=set)
    outdated: int = 0
    without_file: int = 0
    missing_from: set[bytes] = field(default_factory=set)
    located: bool = False
    watch: Callable[[Tally], None] | None = None


@dataclass(frozen=True, slots=True)
class Run:
    """A run of a command: its engine, what it skipped, where it reports progress and explains, and what it counted."""

    engine: Engine
    skipped: Skipped = field(default_factory=Skipped)
    progress: Progress = no_progress
    explain: Explain = no_explanation
    tally: Tally = field(default_factory=Tally)


_UNLIMITED = 1 << 60
"""Control groups without a limit have `max`, or a number near 2^63, as their limit."""


def available_memory(top: Path = Path("/")) -> int | None:
    """Bytes that this process can still take: the least that the system, a control group and a limit leave; or None.

    None: nothing says it. top: the directory that has proc and sys.
    """
    return min((*_of_system(top), *_of_groups(top), *_of_process(top)), default=None)


def _of_system(top: Path) -> Iterator[int]:
    """What Linux can give without swapping, or else all memory of the machine."""
    if (meant := _field(_text(top / "proc/meminfo"), "MemAvailable:")) is not None:
        yield meant << 10
    elif "SC_PHYS_PAGES" in os.sysconf_names:
        yield os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def _of_groups(top: Path) -> Iterator[int]:
    """What is left of the limits of the control groups that this process is in, and of those above them."""
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
    """What `ulimit -v` leaves."""
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
