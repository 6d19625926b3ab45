"""What an engine promises: results in order, and errors in the parent. A pool of processes never deadlocks."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from multiprocessing import connection
from multiprocessing.context import ForkProcess
from pathlib import Path
from typing import Any, NoReturn
from unittest.mock import Mock
from uuid import uuid4

import pytest

import simdocs
from simdocs.engines import engine as run
from simdocs.engines.engine import Run, WorkerState
from simdocs.engines.local import Local
from simdocs.model.skipped import Skip


def doubled(number: int, _state: WorkerState) -> int:
    return 2 * number


def picky(number: int, _state: WorkerState) -> int:
    if number == 7:
        raise ValueError("not seven")
    return number


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_results_come_in_the_order_of_their_tasks(jobs):
    with Local(jobs) as engine:
        assert engine.jobs == jobs
        assert list(engine.map(doubled, range(100))) == list(range(0, 200, 2))
        engine.start()
        assert list(engine.map(doubled, [])) == []
        assert list(engine.map(doubled, range(3))) == [0, 2, 4]


def half_done(number: int, state: WorkerState) -> None:
    if number < 2:
        state.tell(0.5)
    else:
        time.sleep(0.3)


def test_a_task_does_not_begin_with_what_the_one_before_had_done():
    shares = list[float]()
    with Local(2) as engine:
        results = engine.map(half_done, range(4), shares.append)
        next(results), next(results)
        shares.clear()
        list(results)
    assert set(shares) == {0.0}


def test_a_task_tells_nothing_to_those_who_watched_the_ones_before():
    shares = list[float]()
    with Local(1) as engine:
        list(engine.map(half_done, [0], shares.append))
        list(engine.map(half_done, [1]))
    assert shares == [0.5]


def test_another_run_reports_to_the_same_place_and_counts_from_nothing():
    run = Run(Local(1), progress=Mock(), explain=Mock())
    run.tally.candidates = 1
    run.skipped.add(Skip("hidden", b"x"))
    again = run.again()
    assert (again.engine, again.progress, again.explain) == (run.engine, run.progress, run.explain)
    assert (again.tally.candidates, again.skipped.unjudged) == (0, 0)


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_error_in_a_task_is_raised_by_map(jobs):
    taken = []
    with pytest.raises(ValueError, match="not seven"), Local(jobs) as engine:
        taken.extend(engine.map(picky, range(20)))
    assert taken == list(range(7))


@pytest.mark.reliability("more pairs than memory holds")
@pytest.mark.parametrize("jobs", [1, 2])
def test_tasks_are_taken_a_few_ahead_of_their_results(jobs):
    taken = []

    def tasks():
        for number in range(1000):
            taken.append(number)
            yield number

    with Local(jobs) as engine:
        results = engine.map(doubled, tasks())
        next(results)
        assert len(taken) <= 3 * jobs + 1
        results.close()


class Seen:
    """Counts the tasks that its worker has run, and writes into a directory which workers began and ended."""

    def __init__(self) -> None:
        self.name, self.tasks = f"{os.getpid()}-{threading.get_ident()}-{uuid4().hex}", 0
        self.directory: Path | None = None

    def close(self) -> None:
        assert self.directory is not None
        (self.directory / f"{self.name}.ended").touch()


def counted(directory: Path, state: Any) -> tuple[str, int]:
    seen = state.get(Seen)
    if seen.directory is None:
        seen.directory = directory
        (directory / f"{seen.name}.begun").touch()
    seen.tasks += 1
    return seen.name, seen.tasks


@pytest.mark.parametrize("jobs", [1, 2])
def test_each_worker_keeps_its_own_state_between_tasks(jobs, tmp_path: Path):
    with Local(jobs) as engine:
        results = [*engine.map(counted, [tmp_path] * 20), *engine.map(counted, [tmp_path] * 20)]
    workers = {worker for worker, _ in results}
    assert len(workers) <= jobs
    for worker in workers:
        tasks = [number for name, number in results if name == worker]
        assert sorted(tasks) == list(range(1, len(tasks) + 1))
    assert {path.name for path in tmp_path.iterdir()} == {
        f"{name}.{end}" for name in workers for end in ("begun", "ended")
    }


@pytest.mark.reliability("ctrl-C, SIGTERM or SIGHUP")
def test_no_wait_for_workers_is_without_end(monkeypatch):
    """Python runs the handler of a signal that comes just before the system call only after that call."""
    patience = []

    def wait(pipes, timeout):
        patience.append(timeout)
        return waits(pipes, timeout)

    waits = connection.wait
    monkeypatch.setattr(connection, "wait", wait)
    with Local(2) as engine:
        assert list(engine.map(doubled, range(9))) == list(range(0, 18, 2))
    assert patience and all(timeout is not None and timeout <= 1 for timeout in patience)


class Ended(BaseException):
    """A signal came."""


def end(_number: int, _frame: object) -> NoReturn:
    raise Ended


@pytest.mark.reliability("ctrl-C, SIGTERM or SIGHUP")
def test_a_worker_that_was_started_when_a_signal_came_is_stopped(monkeypatch):
    started = []

    def start(process: ForkProcess) -> None:
        signal.raise_signal(signal.SIGTERM)
        starts(process)
        started.append(process)

    starts = ForkProcess.start
    monkeypatch.setattr(ForkProcess, "start", start)
    before = signal.signal(signal.SIGTERM, end)
    try:
        with pytest.raises(Ended), Local(2) as engine:
            list(engine.map(doubled, range(9)))
    finally:
        signal.signal(signal.SIGTERM, before)
    assert [process.exitcode for process in started] == [-signal.SIGKILL]
    assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == set()


def in_another_process(program: str) -> subprocess.CompletedProcess[bytes]:
    """Run a program in a process of its own, with a timeout: if it hangs, the test fails."""
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, timeout=20, check=False
    )


def test_what_is_left_of_a_message_for_which_memory_runs_out_is_not_taken_for_the_next(tmp_path):
    """A stranger has written a document that is a message itself. Memory runs out where it begins."""
    done = in_another_process(f"""
        import os, pickle, struct
        from multiprocessing.connection import Connection
        from pathlib import Path
        from simdocs.engines.local import Local

        main, seen = os.getpid(), []

        def run(task, state):
            task.touch()

        def run_out(pipe):
            read = b""
            while not read.endswith(b"begins"):
                read += os.read(pipe.fileno(), 1)
            raise MemoryError

        path = Path({str(tmp_path)!r}, "run")
        message = pickle.dumps((run, path))
        document = b"begins" + struct.pack("!i", len(message)) + message
        received = Connection.recv

        def receive(pipe):
            if os.getpid() == main or seen:
                return received(pipe)
            seen.append(pipe)
            return run_out(pipe)

        Connection.recv = receive
        def size(data, state):
            return len(data)

        try:
            with Local(2) as engine:
                list(engine.map(size, [document] * 9))
        except MemoryError:
            print(path.exists())
    """)
    assert (done.stdout, done.stderr) == (b"False\n", b"")


@pytest.mark.parametrize("sizes", [(1_000,), (50_000,), (1_000, 50_000, 60_000, 1_000_000)])
def test_tasks_that_wait_in_a_pipe_do_not_deadlock(sizes):
    """A small task waits behind another one, whose result may be larger than the pipe."""
    done = in_another_process(f"""
        from simdocs.engines.local import Local
        def longer(data, state):
            return data.ljust(2_000_000)
        with Local(2) as engine:
            tasks = [b"x" * size for size in {sizes} * 12]
            print(sum(map(len, engine.map(longer, tasks))))
    """)
    assert done.stdout.split() == [str(2_000_000 * 12 * len(sizes)).encode()]


@pytest.mark.reliability("memory runs out later")
@pytest.mark.parametrize(
    ("where", "error"),
    [
        ("a task is taken in", "MemoryError"),
        ("it is done", "MemoryError"),
        ("it is done", "OSError(12, 'Cannot allocate memory')"),
        ("its result is packed up", "MemoryError"),
    ],
)
def test_map_raises_the_error_if_a_worker_runs_out_of_memory(where, error):
    """The worker itself prints nothing."""
    done = in_another_process(f"""
        import os
        from simdocs.engines.local import Local

        main = os.getpid()

        def run_out():
            if os.getpid() != main:
                raise {error}

        class Full:
            def __init__(self, where):
                self.where = where

            def __getstate__(self):
                if self.where == "its result is packed up":
                    run_out()
                return vars(self)

            def __setstate__(self, state):
                vars(self).update(state)
                if self.where == "a task is taken in":
                    run_out()

        def work(task, state):
            if task.where == "it is done":
                run_out()
            return task

        try:
            with Local(2) as engine:
                list(engine.map(work, [Full({where!r})] * 4))
        except (MemoryError, OSError) as error:
            print(type(error).__name__)
    """)
    assert (done.stdout, done.stderr) == (f"{error.partition('(')[0]}\n".encode(), b"")


def test_a_worker_that_is_killed_is_an_error_with_a_remedy():
    done = in_another_process("""
        import os, signal
        from simdocs.engines.local import Local
        from simdocs.errors import SimdocsError
        def run(task, state):
            return eval(task)
        try:
            with Local(2) as engine:
                list(engine.map(run, ["1", "__import__('os').kill(__import__('os').getpid(), 9)"] * 4))
        except SimdocsError as error:
            print(error)
    """)
    assert b"-j 1" in done.stdout, done


def test_what_threads_make_is_what_one_makes(monkeypatch, tmp_path):
    words = [f"w{number % 37}x{number // 5}" for number in range(400)]
    texts = [" ".join(words[at % 9 : at % 9 + 40 + at % 4]) for at in range(60)]
    alone = simdocs.dedupe(texts=texts, jobs=1)
    simdocs.index(texts=texts, output=tmp_path / "one.index", jobs=1)
    monkeypatch.setattr(run, "_MANY", 1)
    assert list(simdocs.dedupe(texts=texts, jobs=3)) == list(alone) and len(alone)
    simdocs.index(texts=texts, output=tmp_path / "three.index", jobs=3)
    for path in (tmp_path / "one.index").iterdir():
        assert path.name == "run.json" or path.read_bytes() == (tmp_path / "three.index" / path.name).read_bytes()
