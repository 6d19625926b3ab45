"""A session of Spark for one command: its start and its end, and in one line what is wrong with it."""

from __future__ import annotations

import contextlib
import logging
import os
import re
import signal
import sys
import warnings
from collections.abc import Iterator, Mapping
from tempfile import TemporaryFile
from typing import IO, Any

from simdocs.errors import ClusterError, SimdocsError
from simdocs.extras import needs

_LOG_LEVEL = "spark.log.level"
"""The setting with which a user asks to see the log of Spark."""

_SETTINGS = {
    "spark.app.name": "simdocs",
    "spark.ui.enabled": "false",
    # A module in the working directory, which may hold documents of others, must not be imported by a worker.
    "spark.executorEnv.PYTHONSAFEPATH": "1",
    "spark.io.compression.codec": "zstd",
}


@contextlib.contextmanager
def session(master: str, conf: Mapping[str, str]) -> Iterator[Any]:
    """Yield a new session, which is stopped at the end. master: the cluster. conf: more settings.

    MissingExtraError: a library is missing. ClusterError: Spark cannot be started, or cannot do the work.
    """
    pyspark, *_ = (needs(each, "simdocs spark") for each in ("pyspark", "pyarrow", "pandas"))
    with TemporaryFile() as log, contextlib.ExitStack() as started, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        logging.disable()  # PySpark tells of each call that a signal has interrupted
        started.callback(logging.disable, logging.NOTSET)
        try:
            there = _started(pyspark, master, conf, log, started)
        except Exception as error:
            log.seek(0)
            why = _cause(f"{log.read().decode(errors='replace')}\n{error}")
            raise ClusterError(
                f"Spark cannot be started: {why} (check --spark-master, --spark-conf, and that JAVA_HOME or PATH names"
                " Java 17 or later)"
            ) from error
        try:
            yield there
        except SimdocsError:
            raise
        except Exception as error:
            if ours := re.search(r"simdocs\.errors\.\w+: (.+)", str(error)):
                raise ClusterError(ours[1].strip()) from error
            why = f"{_cause(str(error))} (--spark-conf {_LOG_LEVEL}=WARN shows its log)"
            raise ClusterError(f"Spark cannot do the work: {why}") from error


def _started(pyspark: Any, master: str, conf: Mapping[str, str], log: IO[bytes], started: contextlib.ExitStack) -> Any:
    """A new session. started: gets what ends it. The Java process writes to the log unless the user asks to see it."""
    from pyspark.sql import SparkSession

    if master.startswith("sc://"):
        remote = SparkSession.builder.remote(master).getOrCreate()
        started.callback(remote.stop)
        return remote
    from pyspark.java_gateway import launch_gateway

    settings = _SETTINGS | {"spark.master": master}
    if master.startswith("local"):  # else Spark looks for a name of this machine, which may have none
        settings |= {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
    settings |= conf
    chosen = pyspark.SparkConf().setAll(settings.items())
    gateway = launch_gateway(chosen, {} if _LOG_LEVEL in settings else {"stdout": log, "stderr": log})
    if gateway.proc is not None:
        started.callback(_end, pyspark, gateway)
    handler = signal.getsignal(signal.SIGINT)
    context = pyspark.SparkContext(conf=chosen, gateway=gateway)
    started.callback(_stop, context)
    signal.signal(signal.SIGINT, handler)  # PySpark has set its own
    if "PYSPARK_PYTHON" not in os.environ:
        context.pythonExec = sys.executable
    return SparkSession(context)


def _stop(context: Any) -> None:
    with contextlib.suppress(Exception):  # Java may have been ended before
        context.cancelAllJobs()
        context.stop()


def _end(pyspark: Any, gateway: Any) -> None:
    """End the Java process, and let PySpark start another one when it needs one."""
    with contextlib.suppress(Exception):
        gateway.shutdown()
    pyspark.SparkContext._gateway = pyspark.SparkContext._jvm = None
    gateway.proc.stdin.close()
    gateway.proc.terminate()
    gateway.proc.wait()


_ERROR = re.compile(r"\S.*(?:\w(?:Exception|Error)|Reason): (.+)|$")
"""A line of what Spark says that names an error; not one of a trace."""


def _cause(said: str) -> str:
    """What Spark says is wrong, in one line: the first error, or else the first line."""
    lines = [line for line in said.splitlines() if line.strip() and "Traceback" not in line]
    errors = (found[1] for line in lines if (found := _ERROR.match(line)) and found[1])
    return next(errors, lines[0]).strip().rstrip(".")
