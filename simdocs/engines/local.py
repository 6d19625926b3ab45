"""Work on this machine: in this process, or in a pool of others; results in the order of the tasks either way."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from multiprocessing.connection import Connection
from types import TracebackType
from typing import Any, TypeVar

from simdocs.errors import WorkerError

Task = TypeVar("Task")
Result = TypeVar("Result")

FORKS = sys.platform == "linux"

_IN_FLIGHT = 2
"""Tasks that each worker has before it: one to work on, one to go on with."""


def cores() -> int:
    """The processor cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Local:
    """A place to work: `with Local(jobs) as engine: engine.map(function, tasks)`.

    With one job nothing is forked. Functions, tasks and results cross a pipe and so must be picklable. Workers are
    started at the first map, keep no other descriptor, and end when their pipe closes: when this process dies, they do.
    """

    def __init__(self, jobs: int) -> None:
        self.jobs = jobs
        self._pipes: list[Connection] = []
        self._workers: list[Any] = []

    def __enter__(self) -> Local:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for pipe in self._pipes:
            pipe.close()
        for worker in self._workers:
            if error is not None:
                worker.terminate()
            worker.join()
        self._pipes, self._workers = [], []

    def map(self, function: Callable[[Task], Result], tasks: Iterable[Task]) -> Iterator[Result]:
        """function(task) for each task, in order; a few tasks ahead of their consumer.

        What the function raises is raised here. WorkerError: a worker was killed.
        """
        if self.jobs == 1:
            yield from map(function, tasks)
            return
        self._start()
        waiting: deque[Connection] = deque()
        idle = deque(self._pipes * _IN_FLIGHT)
        for task in tasks:
            if not idle:
                yield self._receive(waiting, idle)
            pipe = idle.popleft()
            self._send(pipe, (function, task))
            waiting.append(pipe)
        while waiting:
            yield self._receive(waiting, idle)

    def _send(self, pipe: Connection, message: object) -> None:
        try:
            pipe.send(message)
        except OSError:
            raise WorkerError() from None

    def _receive(self, waiting: deque[Connection], idle: deque[Connection]) -> Any:
        """The result of the oldest task; its worker is free for another."""
        pipe = waiting.popleft()
        try:
            done, value = pipe.recv()
        except (EOFError, OSError):
            raise WorkerError() from None
        idle.append(pipe)
        if not done:
            raise value
        return value

    def _start(self) -> None:
        if self._workers:
            return
        # Forking spares each worker the import of NumPy; elsewhere than on Linux it is not safe.
        context = multiprocessing.get_context("fork") if FORKS else multiprocessing.get_context("spawn")
        for _ in range(self.jobs):
            ours, theirs = context.Pipe()
            worker = context.Process(target=_serve, args=(theirs,), daemon=True)
            worker.start()
            theirs.close()
            self._pipes.append(ours)
            self._workers.append(worker)


def _serve(pipe: Connection) -> None:
    """A worker's life: tasks in, results out, until the pipe closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent hears it, too, and closes the pipe
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    if FORKS:
        # A lock must not outlive the parent in a worker, nor a pipe of one worker be held open by another.
        os.closerange(3, pipe.fileno())
        os.closerange(pipe.fileno() + 1, 1 << 16)
    try:
        while True:
            function, task = pipe.recv()
            try:
                pipe.send((True, function(task)))
            except (OSError, EOFError):
                raise
            except Exception as error:  # crosses the pipe and is raised where the map is
                pipe.send((False, error))
    except (EOFError, OSError):
        return
