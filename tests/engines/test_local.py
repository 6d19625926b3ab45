"""A pool of processes returns results in order, raises errors in the parent, and never deadlocks."""

from __future__ import annotations

import signal
import subprocess
import sys
import textwrap
from multiprocessing import connection
from multiprocessing.context import ForkProcess
from typing import NoReturn

import pytest

import simdocs
from simdocs.engines import engine as run
from simdocs.engines.engine import WorkerState
from simdocs.engines.local import Local


def doubled(number: int, _state: WorkerState) -> int:
    return 2 * number


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
