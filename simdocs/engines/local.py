"""The engine that runs tasks on this machine: in this process or in a pool of worker processes."""

from __future__ import annotations

import contextlib
import mmap
import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import chain, islice, repeat
from types import ModuleType, TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np

from simdocs.engines.engine import Returned, SharedRows, Task, WorkerState, untold
from simdocs.errors import WorkerError
from simdocs.storage.syscalls import signals_deferred

if TYPE_CHECKING:
    from multiprocessing.connection import Connection


FORKS = sys.platform == "linux"

_NO_MORE = object()

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

WORTH_WORKERS = 2
"""Tasks from which on workers are started. With a single one, a worker could only do what this process waits for."""

_AHEAD = 3
"""Tasks for each worker that may be running or done before the oldest one is."""

_ROOM_FOR_ROWS, _ROOM_OF_WORKER = 64 << 20, 8 << 20
"""Bytes for rows that workers share, and by how much they are fewer for each worker after the first."""

_LEFT = 1 << 16
"""Bytes that are read at once to be thrown away."""

_WATCHED = 0.1
"""Seconds between two looks at how far a task is, and whether a signal came. One that comes just before the system is
asked to wait would be noticed only after the wait."""


def cores() -> int:
    """The number of processor cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Local:
    """An engine on this machine: `with Local(jobs) as engine: engine.map(function, tasks)`.

    With one job, tasks run in this process, and so does a single task if there are no workers yet. Otherwise functions,
    tasks and results cross a pipe, and so must be picklable. A worker starts when a task finds no idle one. It closes
    all other descriptors, and ends when its pipe closes, so that no worker outlives this process.
    """

    def __init__(self, jobs: int, worth_workers: int = WORTH_WORKERS) -> None:
        self.jobs, self._worth_workers = jobs, worth_workers
        self.state = WorkerState(shared=_shared_rows(jobs))
        self._pipes: list[Connection] = []
        self._workers: list[Any] = []
        self._shares: dict[Connection, memoryview[float]] = {}
        """The share of its task that each worker has done: one number in memory that both processes see."""
        self._room = 0
        """The bytes of a task that can certainly wait in a pipe."""

    def __enter__(self) -> Local:
        reuse_memory()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for pipe in self._pipes:
            pipe.close()
        for worker in self._workers:
            if error is not None:
                worker.kill()  # it has nothing to clean up, and may ignore gentler signals
            worker.join()
        self._pipes, self._workers, self._shares = [], [], {}
        self.state.close()

    def start(self) -> None:
        """Start all workers now, before much is in memory. With one job there are none."""
        while self.jobs > 1 and len(self._pipes) < self.jobs:
            self._start()

    def map(
        self,
        function: Callable[[Task, WorkerState], Returned],
        tasks: Iterable[Task],
        watch: Callable[[float], None] | None = None,
    ) -> Iterator[Returned]:
        """Yield function(task, state) for each task, in order, with the state of the worker that runs it.

        At most a few tasks run ahead of the results that were taken. Raises what the function raises. WorkerError: a
        worker was killed. watch: is called now and then with the share of the task of the next result that is done.
        """
        coming = iter(tasks)
        here = self.jobs == 1
        if not here and not self._pipes:
            first = list(islice(coming, self._worth_workers))
            here = len(first) < self._worth_workers
            coming = chain(_let_go(first), coming)
        if here:
            self.state.tell = watch or untold
            # map lets go of a task when it is done; a loop variable would hold it while the result is used.
            yield from map(function, coming, repeat(self.state))
            return
        from multiprocessing import connection  # takes 10 ms, and few documents need no workers
        from multiprocessing.reduction import ForkingPickler

        working = {pipe: deque[int]() for pipe in self._pipes}
        """The numbers of the tasks that each worker has."""
        done: dict[int, tuple[bool, Any]] = {}
        sent = turn = 0
        message, is_small = None, True
        while True:
            while sent < turn + _AHEAD * self.jobs and self._has_place(working, is_small):
                if message is None:
                    task = next(coming, _NO_MORE)
                    if task is _NO_MORE:
                        break
                    message = ForkingPickler.dumps((function, task))
                    del task
                    is_small = len(message) <= self._room
                    continue  # a large one may have no place
                pipe = self._least_busy(working)
                with _or_killed():
                    pipe.send_bytes(message)
                message = None
                working[pipe].append(sent)
                sent += 1
            if turn in done:
                yield _value(done.pop(turn))
                turn += 1
            elif busy := [pipe for pipe, numbers in working.items() if numbers]:
                ready = set(connection.wait(busy, _WATCHED))
                for pipe in [pipe for pipe in busy if pipe in ready]:
                    with _or_killed():
                        done[working[pipe].popleft()] = pipe.recv()
                    self._shares[pipe][0] = 0.0
                if watch is not None and turn not in done:
                    watch(next(self._shares[pipe][0] for pipe in busy if turn in working[pipe]))
            else:
                return

    def _has_place(self, working: Mapping[Connection, deque[int]], is_small: bool) -> bool:
        """Whether a task can be sent to a worker, none of which has more than two.

        A small one may wait in the pipe of a worker that has another one, so that workers do not wait for this process.
        With a large one, both sides might be writing, and would wait for each other.
        """
        return len(working) < self.jobs or min(map(len, working.values())) < (2 if is_small else 1)

    def _least_busy(self, working: dict[Connection, deque[int]]) -> Connection:
        """The pipe to an idle worker, which may be started for it, or to the one whose task was sent first."""
        pipe = min(working, key=lambda pipe: (len(working[pipe]), *working[pipe]), default=None)
        if pipe is None or (working[pipe] and len(working) < self.jobs):
            pipe = self._start()
            working[pipe] = deque()
        return pipe

    def _start(self) -> Connection:
        """Start a worker, and return the pipe to it."""
        import multiprocessing

        from simdocs.reading.stores import has_threads

        # Forking saves each worker the import of NumPy. It is safe only on Linux, and while no library has threads
        # that the worker would lack.
        forks = FORKS and not has_threads()
        context = multiprocessing.get_context("fork") if forks else multiprocessing.get_context("spawn")
        try:
            ours, theirs = context.Pipe()
            share = memoryview(mmap.mmap(-1, mmap.PAGESIZE)).cast("d")
            shared = self.state.shared and self.state.shared.of_worker(len(self._pipes))
            seen = (share, shared) if forks else (None, None)
            worker = context.Process(target=_serve, args=(theirs, *seen), daemon=True)
            # Until the worker has set its own handlers, a signal would reach ours and print a traceback. And until the
            # worker is in the list, nobody would stop it.
            with signals_deferred(), contextlib.nullcontext() if forks else _without_main():
                worker.start()
                self._pipes.append(ours)
                self._workers.append(worker)
                self._shares[ours] = share
        except OSError as error:
            raise WorkerError(f"a worker process cannot be started: {error.strerror}") from None
        theirs.close()
        self._room = _room_in(ours)
        return ours


@contextlib.contextmanager
def _or_killed() -> Iterator[None]:
    """Raise WorkerError if a pipe has no other end any more."""
    try:
        yield
    except (EOFError, OSError):
        raise WorkerError("a worker process was killed, perhaps because memory ran out") from None


def _room_in(pipe: Connection) -> int:
    """The bytes of a message that can wait in a pipe behind another one: what waits takes up to twice its bytes."""
    import socket

    end = socket.socket(fileno=pipe.fileno())
    try:
        return end.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF) // 4
    finally:
        end.detach()


@contextlib.contextmanager
def _without_main() -> Iterator[None]:
    """While a new process starts, hide the script that runs, which the process would otherwise run, too.

    Workers need nothing of it. So a script of a caller need not ask whether it is the main one.
    """
    main, sys.modules["__main__"] = sys.modules["__main__"], ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


def _shared_rows(jobs: int) -> SharedRows | None:
    """Room for rows that all workers share, or None if there is none. Memory is taken when rows are put into it.

    With many workers there is none, because a worker itself takes 8 MB and more.
    """
    size = (_ROOM_FOR_ROWS - (jobs - 1) * _ROOM_OF_WORKER) // jobs // mmap.PAGESIZE * mmap.PAGESIZE
    if size <= 0:
        return None
    with contextlib.suppress(OSError, ValueError):  # a limit of memory
        # The pages of one process are cleared in two thirds of the time.
        kind = mmap.MAP_SHARED if jobs > 1 else mmap.MAP_PRIVATE
        return SharedRows(mmap.mmap(-1, jobs * size, flags=kind | mmap.MAP_ANONYMOUS), jobs)
    return None


def reuse_memory() -> None:
    """Let the arrays of a batch reuse the memory of the batch before.

    For arrays of more than 128 KiB the C library of Linux asks the system for fresh memory, which is cleared page by
    page, until an array of that size has been freed once (mallopt(3), M_MMAP_THRESHOLD). So an array larger than any
    that a batch needs is freed first. It is never touched, so it takes no memory, and a run takes 10 to 30% less time.
    Forked workers inherit the effect.
    """
    np.empty(8 << 20, np.uint8)


def _let_go(tasks: list[Task]) -> Iterator[Task]:
    """Yield the tasks in order, and hold none that was yielded."""
    while tasks:
        yield tasks.pop(0)


def _value(answer: tuple[bool, Any]) -> Any:
    """The result of a task. Raises the error if there was one."""
    well, value = answer
    if not well:
        raise value
    return value


def _serve(pipe: Connection, share: memoryview[float] | None, shared: SharedRows | None) -> None:
    """Run tasks in a worker, until its pipe closes.

    share: where it says how much of a task is done; None if it was not forked.
    shared: rows that all workers hold together, with the part of this one.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent gets it, too, and closes the pipe
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:  # as under nohup
            signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
    if share is not None:  # it was forked
        # A worker must not keep a lock of its parent, nor the pipe of another worker.
        os.closerange(3, pipe.fileno())
        os.closerange(pipe.fileno() + 1, 1 << 16)
    state = WorkerState(None if share is None else partial(share.__setitem__, 0), shared=shared)
    with contextlib.suppress(EOFError, OSError):  # the process that wants the result is gone
        while True:
            _answer(pipe, _result_of(pipe, state))
    state.close()


def _result_of(pipe: Connection, state: WorkerState) -> tuple[bool, Any]:
    """Run the next task. Return whether it succeeded, and its result or the error, which may be one in receiving it."""
    try:
        function, task = pipe.recv()
    except (EOFError, OSError):
        raise
    except Exception as error:  # for example, no memory to receive it
        _answer(pipe, (False, error))
        # The rest of it, in which a stranger may have written something, must not be taken for the next message.
        while os.read(pipe.fileno(), _LEFT):
            pass
        raise EOFError from None
    try:
        return True, function(task, state)
    except Exception as error:  # raised in the parent, by map
        return False, error


def _answer(pipe: Connection, answer: tuple[bool, Any]) -> None:
    try:
        pipe.send(answer)
    except OSError:
        raise
    except Exception as error:  # for example, no memory to pickle it; nothing was sent yet
        pipe.send((False, error))
