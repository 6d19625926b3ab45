"""A run of a command: its workers' state, the rows that they share, the memory that is left, and what it reports."""

from __future__ import annotations

import mmap
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from simdocs.errors import SimdocsError
from simdocs.model.ragged import Bytes, Keys, Ragged
from simdocs.model.result import Blocks, Look, Table, TableHead
from simdocs.model.skipped import Skipped
from simdocs.options.answers import Running

if TYPE_CHECKING:
    from concurrent.futures import Future

    from simdocs.engines.local import Local


_HEADER = 24
"""The bytes before the rows in the part of a worker: how many rows it has, their bytes, and 1 if it is closed."""

_ENTRY = np.dtype([("key", "<u8", (2,)), ("begin", "<i8"), ("size", "<i8")])
"""Where the row of a key begins, and its bytes. Entries grow from the end of a part."""

_ROOM_ALONE = 8 << 20
"""Bytes for a cache of a worker that shares no memory with others."""

_MOST_ROWS = 1 << 17
"""When all workers have met more rows than this, nothing is held. Of so many documents, too few would be found, and
what the program holds of each of them needs the memory."""


class SharedRows:
    """Rows of bytes that any worker of an engine puts, and all of them get by their keys.

    They are held in memory of a fixed size, and what has no room is not held. Each worker has a part of the memory, to
    which it alone writes. What its rows leave, it may use for a cache of its own.
    """

    def __init__(self, memory: mmap.mmap, parts: int, own: int = 0) -> None:
        """memory: zeros, as many whole pages for each part. own: the number of the part to write to."""
        self._memory, self._own = memory, own
        self._size = len(memory) // parts
        self._parts = np.frombuffer(memory, np.uint8, parts * self._size).reshape(parts, -1)
        self._heads = self._parts[:, :_HEADER].view(np.int64)
        self._met = 0
        self._counts: list[int] = []
        """How many rows each part had when these were looked up, in the order of their keys:"""
        self._entries, self._owners = np.empty(0, _ENTRY), np.empty(0, np.int64)

    def of_worker(self, own: int) -> SharedRows:
        """The same rows, for the worker that writes to this part."""
        return SharedRows(self._memory, len(self._parts), own)

    def put(self, keys: Keys, rows: Ragged) -> None:
        """Hold the first of these rows, as many as there is room for. keys: (n, 2). rows: Ragged uint8."""
        self.pass_by(len(rows))
        if not (room := self.spare):
            return
        part, head = self._parts[self._own], self._heads[self._own]
        count, used, _ = head.tolist()
        ends = rows.offsets[1:]
        some = int(np.searchsorted(ends + _ENTRY.itemsize * np.arange(1, len(ends) + 1), room, side="right"))
        begin, size = _HEADER + used, int(ends[some - 1]) if some else 0
        part[begin : begin + size] = rows.values[:size]
        entries = np.empty(some, _ENTRY)
        entries["key"], entries["begin"] = keys[:some], begin + rows.offsets[:some]
        entries["size"] = rows.lengths[:some]
        end = self._size - _ENTRY.itemsize * count
        part[end - entries.nbytes : end] = entries.view(np.uint8)
        head[:2] = count + some, used + size

    def pass_by(self, rows: int) -> None:
        """Count rows that are too large to be held."""
        self._met += rows
        if self._met > _MOST_ROWS // len(self._parts):
            self._close()

    @property
    def spare(self) -> int:
        """The bytes of the own part that no row takes; none if there were too many rows."""
        count, used, closed = self._heads[self._own].tolist()
        return 0 if closed else int(self._size - _HEADER - used - _ENTRY.itemsize * count)

    def get(self, keys: Keys) -> list[Bytes | None]:
        """The row of each of these keys, (n, 2), to be read only; None if it is not held."""
        counts = self._heads[:, 0].tolist()
        if counts != self._counts:
            self._counts = counts
            self._look_up(counts)
        if not len(self._entries):
            return [None] * len(keys)
        place = np.minimum(np.searchsorted(self._entries["key"][:, 0], keys[:, 0]), len(self._entries) - 1)
        found = self._entries[place]
        held = (found["key"] == keys).all(axis=1)
        ends = found["begin"] + found["size"]
        each = zip(*(column.tolist() for column in (held, self._owners[place], found["begin"], ends)), strict=True)
        return [self._parts[part, begin:end] if there else None for there, part, begin, end in each]

    def _look_up(self, counts: list[int]) -> None:
        """Order the entries of all parts by the first halves of their keys, of which one of two equal ones is found."""
        each = [part[self._size - _ENTRY.itemsize * count :] for part, count in zip(self._parts, counts, strict=True)]
        entries = np.concatenate(each).view(_ENTRY)
        order = np.argsort(entries["key"][:, 0])
        self._entries, self._owners = entries[order], np.repeat(np.arange(len(counts)), counts)[order]

    def _close(self) -> None:
        """Give the memory of the own part back, unless the system cannot take it before the run ends."""
        head = self._heads[self._own]
        if head[2]:
            return
        head[0] = 0
        advice = getattr(mmap, "MADV_REMOVE" if len(self._parts) > 1 else "MADV_DONTNEED", None)
        if advice is not None:
            self._memory.madvise(advice, self._own * self._size, self._size)
        head[:] = 0, 0, 1


Kept = TypeVar("Kept")


def untold(_share: float) -> None:
    """Ignore how much of a task is done."""


class WorkerState:
    """The objects that one worker keeps, at most one of each type, which have a method `close`.

    An engine makes one for its own process and one for each of its workers, and closes it with the worker. A worker may
    last as long as the engine, or for a few tasks. Nothing in it crosses to another process: a function that needs it
    receives it beside its task.
    """

    def __init__(self, tell: Callable[[float], None] | None = None, shared: SharedRows | None = None) -> None:
        self.tell = tell or untold
        """A function calls this as it works on a large task: the share of the task that is done, from 0 to 1."""
        self.shared = shared
        """Rows that all workers hold together; None if they share no memory."""
        self._kept: dict[type[Any], Any] = {}

    @property
    def spare(self) -> int:
        """The bytes that a cache may take: what rows leave of the worker's part of the memory for them."""
        return _ROOM_ALONE if self.shared is None else self.shared.spare

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
Returned = TypeVar("Returned")


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
    """The memory left by the limits of the control group of version 2 that this process is in, and those above it."""
    for line in _text(top / "proc/self/cgroup").splitlines():
        _, controllers, name = line.split(":", 2)
        for group in (Path(name), *Path(name).parents) if not controllers else ():
            directory = top / "sys/fs/cgroup" / str(group).lstrip("/")
            most, used = (_text(directory / file).strip() for file in ("memory.max", "memory.current"))
            if most.isdecimal() and used.isdecimal():  # `max` is no limit
                cached = _field(_text(directory / "memory.stat"), "inactive_file") or 0
                yield max(int(most) - int(used) + cached, 0)


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
    import ctypes

    # What threads have freed goes back to the system. The C library of Linux would keep it for threads to come.
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
