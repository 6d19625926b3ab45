"""The engine that runs tasks on the workers of Spark: a few tasks in each job of Spark, and some jobs at a time."""

from __future__ import annotations

import contextlib
import logging
import os
import re
import signal
import subprocess
import sys
import threading
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from itertools import chain, islice
from tempfile import TemporaryFile
from types import TracebackType
from typing import IO, Any
from uuid import uuid4

from simdocs.engines.engine import Returned, Task, WorkerState
from simdocs.engines.local import reuse_memory
from simdocs.engines.run import Explain, no_explanation
from simdocs.errors import ClusterError, UsageError
from simdocs.extras import needs
from simdocs.names import display_name
from simdocs.storage.syscalls import signals_deferred
from simdocs.version import __version__

_TOGETHER = 4
"""The tasks of a job. As many, or fewer, run in the calling process if there are no others, because a job costs more:
rounds of grouping may compare a few pairs each, thousands of times.
"""

_LOG_LEVEL = "spark.log.level"
"""The setting with which a user asks to see the log of Spark."""

_ENDS_IN = 20.0
"""Seconds that Java has to end by itself."""


class Spark:
    """An engine on the workers of Spark: `with Spark(jobs) as engine: engine.map(function, tasks)`.

    The session that is there is used. Otherwise one is made, and stopped with the engine. If Spark runs tasks again,
    because a worker was lost or is slow, nothing changes, because results depend on tasks and files alone.

    Raises ClusterError: Spark cannot be started, or cannot do the work. UsageError: it cannot be asked so.
    """

    near = False

    def __init__(
        self,
        jobs: int | None = None,
        master: str = "",
        conf: Mapping[str, str] | None = None,
        explain: Explain = no_explanation,
    ) -> None:
        """jobs: the number of jobs of Spark that run at a time; None: as many as it has cores.

        master, conf: the cluster and the settings of a session that is made. explain: says that it is being started.
        """
        self._jobs, self._master, self._conf, self._explain = jobs, master, conf or {}, explain
        self.state = WorkerState()
        self._session = contextlib.ExitStack()

    def __enter__(self) -> Spark:
        self._context = self._session.enter_context(session(self._master, self._conf, self._jobs, self._explain))
        self.jobs = self._jobs or max(1, int(self._context.defaultParallelism))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.state.close()
        self._session.close()

    def start(self) -> None:
        """Do nothing: the workers of Spark have the memory that they have."""

    def map(
        self,
        function: Callable[[Task, WorkerState], Returned],
        tasks: Iterable[Task],
        watch: Callable[[float], None] | None = None,  # noqa: ARG002  (a worker tells nothing before it is done)
    ) -> Iterator[Returned]:
        """Yield function(task, state) for each task, in order. Few tasks run ahead of the results that were taken."""
        coming = iter(tasks)
        first = list(islice(coming, _TOGETHER + 1))
        if len(first) <= _TOGETHER:
            for task in first:
                yield function(task, self.state)
            return
        coming = chain(first, coming)
        del first
        group = f"simdocs-{uuid4().hex}"
        work = partial(run_tasks, function, os.getcwdb(), __version__)
        pool, waiting = ThreadPoolExecutor(self.jobs), deque[Future[list[tuple[bool, Any]]]]()
        try:
            while some := list(islice(coming, _TOGETHER)):
                waiting.append(pool.submit(self._run, work, some, group))
                if len(waiting) > self.jobs:
                    yield from _values(waiting.popleft().result())
            while waiting:
                yield from _values(waiting.popleft().result())
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            with contextlib.suppress(Exception), signals_deferred():  # perhaps Java has ended
                self._context.cancelJobGroup(group)
            pool.shutdown()

    def _run(self, work: Callable[[Iterator[Any]], Iterator[tuple[bool, Any]]], tasks: list[Any], group: str) -> Any:
        try:
            self._context.setJobGroup(group, "simdocs")  # of this thread
            return self._context.parallelize(tasks, 1).mapPartitions(work).collect()
        except Exception as error:
            why = _cause(str(error))
            raise ClusterError(
                f"Spark cannot do the work: {why} (--spark-conf {_LOG_LEVEL}=WARN shows its log)"
            ) from error


def _values(answers: list[tuple[bool, Any]]) -> Iterator[Any]:
    """Yield the results of a job. Raises the error of the task that failed."""
    for well, value in answers:
        if not well:
            raise value
        yield value


def run_tasks(
    function: Callable[[Any, WorkerState], Any], directory: bytes, version: str, tasks: Iterator[Any]
) -> Iterator[tuple[bool, Any]]:
    """Run the tasks of a job in a worker. Yield whether each succeeded, and its result; an error is the last.

    directory: the one from which names are found. version: that of the calling process.
    """
    # Spark ends a worker that leaves something unread, and the next one imports everything again.
    every, before, state = list(tasks), os.getcwdb(), WorkerState()
    reuse_memory()
    try:
        if version != __version__:
            raise ClusterError(f"the workers of Spark have simdocs {__version__}, not {version}: install the same one")
        if not os.path.isdir(directory):
            raise ClusterError(
                f"{display_name(directory)}: a worker of Spark does not see this directory: keep documents where all"
                " machines have them under the same path"
            )
        os.chdir(directory)
        for task in every:
            yield True, function(task, state)
    except Exception as error:  # raised in the calling process, by map
        yield False, error
    finally:
        state.close()
        os.chdir(before)  # Spark may give this process to another program


@contextlib.contextmanager
def session(
    master: str, conf: Mapping[str, str], cores: int | None, explain: Explain = no_explanation
) -> Iterator[Any]:
    """Yield the SparkContext that is there, or a new one, which is stopped at the end. Raises SimdocsError.

    master: the cluster of a new one; empty: this machine, with so many cores, or all. conf: its settings.
    """
    pyspark = needs("pyspark", "--engine spark")
    if master.startswith("sc://") or os.environ.get("SPARK_REMOTE"):
        raise UsageError("--engine spark needs a master of Spark, such as spark://HOST:7077, and not Spark Connect")
    if (there := pyspark.SparkContext._active_spark_context) is not None:
        if master or conf:
            given = "--spark-master" if master else "--spark-conf"
            raise UsageError(f"{given} has no effect on the Spark session that is there: stop it, or leave this out")
        yield there
        return
    settings = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false"}
    # A module in the working directory, which may hold documents of others, must not be imported by a worker.
    settings["spark.executorEnv.PYTHONSAFEPATH"] = "1"
    if "PYSPARK_GATEWAY_PORT" not in os.environ:
        master = master or f"local[{cores or '*'}]"
        settings |= {"spark.app.name": "simdocs", "spark.master": master}
        if master.startswith("local"):  # else Spark looks for a name of this machine, which may have none
            settings |= {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
    elif master:
        raise UsageError("spark-submit says which master it uses: leave out --spark-master")
    explain("starting Spark")
    with TemporaryFile() as log, contextlib.ExitStack() as started:
        try:
            context = _started(pyspark, settings | dict(conf), log, started)
        except Exception as error:
            log.seek(0)
            why = _cause(f"{log.read().decode(errors='replace')}\n{error}")
            raise ClusterError(
                f"Spark cannot be started: {why} (check --spark-master, --spark-conf, and that JAVA_HOME or PATH names"
                " Java 17 or later)"
            ) from error
        yield context


def _started(pyspark: Any, settings: Mapping[str, str], log: IO[bytes], started: contextlib.ExitStack) -> Any:
    """A new SparkContext. started: gets what ends it, and the Java process if it has one of its own, which writes to
    the log unless the user asks to see it.
    """
    from pyspark.java_gateway import launch_gateway

    gateway, conf = pyspark.SparkContext._gateway, pyspark.SparkConf().setAll(settings.items())
    if gateway is None:
        gateway = launch_gateway(conf, {} if _LOG_LEVEL in settings else {"stdout": log, "stderr": log})
        if gateway.proc is not None:
            started.callback(_end, pyspark, gateway)
    handler = signal.getsignal(signal.SIGINT)
    context = pyspark.SparkContext(conf=conf, gateway=gateway)
    started.callback(_stop, context)
    # If Java is killed, this server and py4j would print tracebacks.
    context._accumulatorServer.handle_error = lambda *_: None
    logging.getLogger().addFilter(_is_not_of_py4j)
    started.callback(logging.getLogger().removeFilter, _is_not_of_py4j)
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, handler)  # PySpark has set its own
    if "PYSPARK_PYTHON" not in os.environ:
        context.pythonExec = sys.executable
    return context


def _is_not_of_py4j(record: logging.LogRecord) -> bool:
    return record.module not in ("java_gateway", "clientserver")


def _stop(context: Any) -> None:
    with contextlib.suppress(Exception), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Java may have been ended before
        context.stop()


def _end(pyspark: Any, gateway: Any) -> None:
    """End the Java process, and let PySpark start another one when it needs one."""
    with contextlib.suppress(Exception):
        gateway.shutdown()
    pyspark.SparkContext._gateway = pyspark.SparkContext._jvm = None
    with contextlib.suppress(OSError):
        gateway.proc.stdin.close()  # Java then ends
    try:
        gateway.proc.wait(_ENDS_IN)
    except subprocess.TimeoutExpired:
        gateway.proc.kill()
        gateway.proc.wait()


_ERROR = re.compile(r"\S.*(?:\w(?:Exception|Error)|Reason): (.+)|$")
"""A line of what Spark says that names an error; not one of a trace."""


def _cause(said: str) -> str:
    """What Spark says is wrong, in one line: the message of the first error in it, or else its first line."""
    lines = [line for line in said.splitlines() if line.strip() and "Traceback" not in line]
    errors = (found[1] for line in lines if (found := _ERROR.match(line)) and found[1])
    return next(errors, lines[0]).strip().rstrip(".")
