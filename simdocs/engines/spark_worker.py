"""What a worker of Spark does: it runs a bundle of tasks, and says whether it has what they need."""

from __future__ import annotations

import contextlib
import os
import pickle
import time
from collections.abc import Callable, Iterator
from typing import Any

from simdocs.engines.engine import WorkerState
from simdocs.engines.local import reuse_memory

PROTOCOL = 5
"""The version of pickles, which copies arrays only once."""


def run_bundles(
    function: bytes, most: int, directory: bytes | None, bundles: Iterator[list[bytes]]
) -> Iterator[tuple[float, list[bytes]]]:
    """Run each bundle of pickled tasks. Yield the seconds that it took, and the answers to its first tasks, pickled.

    function: the pickled function of a task and a WorkerState.
    most: bytes of answers after which a bundle ends early. There is an answer to its first task in any case.
    directory: the directory from which names are found; None: it is the one where Spark runs its workers.

    An answer is a pair: whether the task succeeded, and its result or the error. A bundle may run twice, when a worker
    was lost, or is slow: its answers depend on its tasks and their files alone.
    """
    reuse_memory()
    with _working_in(directory):
        work = pickle.loads(function)
        for bundle in bundles:
            state = WorkerState()
            began, answers, held = time.monotonic(), list[bytes](), 0
            try:
                for task in bundle:
                    answers.append(_answer(work, task, state))
                    held += len(answers[-1])
                    if held >= most:
                        break
            finally:
                state.close()
            yield time.monotonic() - began, answers


@contextlib.contextmanager
def _working_in(directory: bytes | None) -> Iterator[None]:
    """Make a directory the working directory. Spark may give this process to other programs afterwards."""
    if directory is None:
        yield
        return
    before = os.getcwdb()
    os.chdir(directory)
    try:
        yield
    finally:
        os.chdir(before)


def _answer(work: Callable[[Any, WorkerState], Any], task: bytes, state: WorkerState) -> bytes:
    try:
        return pickle.dumps((True, work(pickle.loads(task), state)), PROTOCOL)
    except Exception as error:  # raised again where the results are taken; MemoryError, too
        return _pickled_error(error)


def _pickled_error(error: Exception) -> bytes:
    """An error as an answer. One that cannot be pickled, or not be made again, becomes a RuntimeError that names it."""
    try:
        answer = pickle.dumps((False, error), PROTOCOL)
        pickle.loads(answer)
    except Exception:
        return pickle.dumps((False, RuntimeError(f"{type(error).__name__}: {error}")), PROTOCOL)
    return answer


def probe(directory: bytes | None) -> Callable[[Iterator[Any]], Iterator[dict[str, str]]]:
    """A function that says what a worker has: its host, the versions of what tasks need, and what is missing.

    Spark sends a function that is defined within another one as code, not by name. So it runs on workers that lack this
    package, and may use nothing outside itself.
    """

    def look(partition: Iterator[Any]) -> Iterator[dict[str, str]]:
        import os
        import platform
        import socket
        from importlib import import_module

        found = {"host": socket.gethostname(), "Python": platform.python_version()}
        for name in ("numpy", "mmh3", "pyspark", "simdocs.version"):
            try:
                module = import_module(name)
                found[name.partition(".")[0]] = str(getattr(module, "__version__", ""))
            except ImportError as error:
                found["missing"] = str(error.name or name).partition(".")[0]
                break
        if directory is not None and not os.path.isdir(directory):
            found["blind"] = "yes"
        list(partition)  # Spark ends a worker that leaves something unread, and the next one imports everything again
        yield found

    return look


Numbers = tuple[str, bytes, tuple[int, int] | None]


def numbered(paths: list[bytes], directory: bytes | None) -> Callable[[Iterator[Any]], Iterator[Numbers]]:
    """A function that yields the host, and each path with its device and inode, or None if the worker sees nothing."""

    def look(partition: Iterator[Any]) -> Iterator[Numbers]:
        import os
        import socket

        list(partition)
        for path in paths:
            try:
                status = os.lstat(path if directory is None else os.path.join(directory, path))
                yield socket.gethostname(), path, (status.st_dev, status.st_ino)
            except OSError:
                yield socket.gethostname(), path, None

    return look
