"""The connection to Spark: the session that is there, or one that is made and stopped again."""

from __future__ import annotations

import contextlib
import logging
import os
import re
import subprocess
import sys
import threading
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any

from simdocs.engines.spark_errors import in_words, not_started
from simdocs.engines.spark_worker import numbered, probe
from simdocs.errors import ClusterError, UsageError
from simdocs.extras import needs
from simdocs.names import display_name
from simdocs.storage.syscalls import signals_deferred
from simdocs.version import __version__

_DEFAULTS: Mapping[str, str] = MappingProxyType(
    {
        "spark.app.name": "simdocs",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
)
"""Settings of a session that is made here, unless others are given."""

_LOG_LEVEL = "spark.log.level"
"""The setting with which a user asks to see the log of Spark."""

_SECRET = re.compile("secret|password|passwd|token|credential|access[._-]?key|api[._-]?key", re.IGNORECASE)
"""Names of settings whose values are never shown, nor put on the command line of Java."""

_LOGGED = 200
"""The last lines of Spark's log that are kept, to explain an error."""

_ENDS_IN = 20.0
"""Seconds that Java has to end by itself."""

_PROBED = 64
"""The most workers that are asked what they have."""


def _is_not_of_py4j(record: logging.LogRecord) -> bool:
    """Whether a record of Python's log is not about the connection to Java. An error says what it means."""
    return record.module not in ("java_gateway", "clientserver")


class Java:
    """A Java process that is started for a session, and its log.

    log: the last lines of its log.
    process: the process, once it runs. None: Spark runs in one that was there before.
    """

    def __init__(self) -> None:
        self.log = deque[str](maxlen=_LOGGED)
        self.process: subprocess.Popen[bytes] | None = None
        self._unwanted = False

    def give_up(self) -> None:
        """End it at once, or as soon as it runs. Spark's own hooks then stop its workers and remove its files."""
        self._unwanted = True
        if self.process is not None:
            self.process.terminate()

    def runs(self, process: subprocess.Popen[bytes]) -> None:
        """Note that it runs. Raises ClusterError: it was given up."""
        self.process = process
        logging.getLogger().addFilter(_is_not_of_py4j)
        if self._unwanted:
            raise ClusterError("Spark is no longer wanted")

    def end(self) -> None:
        """Let it end, and let PySpark start another one when it needs one."""
        if self.process is None:
            return
        context = sys.modules["pyspark"].SparkContext
        with contextlib.suppress(Exception):
            context._gateway.shutdown()
        context._gateway = context._jvm = None
        assert self.process.stdin is not None
        with contextlib.suppress(OSError):
            self.process.stdin.close()  # Java then ends
        try:
            self.process.wait(_ENDS_IN)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        logging.getLogger().removeFilter(_is_not_of_py4j)


class Session:
    """A connection to Spark.

    context: the SparkContext. facts: what it is, in words.
    java: the Java process that was started for it.
    made: whether it was made here, and so is stopped here.
    """

    def __init__(self, context: Any, java: Java, *, made: bool) -> None:
        self.context, self._java, self.made = context, java, made
        self.facts = f"{'started' if made else 'found'} {context.applicationId} on {context.master}"
        self.directory = _working_directory()

    @property
    def parallelism(self) -> int:
        """The number of tasks that Spark says it runs at a time."""
        return int(self.context.defaultParallelism)

    def properties(self) -> Any:
        """What the caller has set for the jobs of its thread, such as a pool of the scheduler. Raises SimdocsError.

        None: PySpark was told not to give each thread of Python one of Java.
        """
        if type(self.context._gateway).__name__ != "ClientServer":
            return None
        try:
            with signals_deferred():  # which must not interrupt a connection
                return self.context._jsc.sc().getLocalProperties().clone()
        except Exception as error:
            raise in_words(error, self._java.log, self.context.master) from error

    def run(
        self,
        function: Callable[[Iterator[Any]], Iterator[Any]],
        items: list[Any],
        group: str,
        properties: Any = None,
    ) -> list[Any]:
        """What this function yields for each item, in a task of its own. Raises SimdocsError.

        group: the name of the group of jobs, by which it can be cancelled.
        properties: those of the caller, if this is another thread.
        """
        try:
            if properties is not None:
                self.context._jsc.sc().setLocalProperties(properties.clone())
            self.context.setJobGroup(group, "simdocs")
            results: list[Any] = self.context.parallelize(items, len(items)).mapPartitions(function).collect()
        except Exception as error:
            raise in_words(error, self._java.log, self.context.master) from error
        return results

    def cancel(self, group: str) -> None:
        """Cancel the jobs of a group. Nothing happens if Spark has ended."""
        with contextlib.suppress(Exception):
            self.context.cancelJobGroup(group)

    def look(self, jobs: int) -> None:
        """Make sure that the workers have this package, the same versions, and the working directory.

        Raises ClusterError.
        """
        mine = {name: str(import_module(name).__version__) for name in ("numpy", "pyspark")}
        mine |= {"simdocs": __version__}
        for found in self.run(probe(self.directory), list(range(min(jobs, _PROBED))), "simdocs"):
            host = f"worker {found['host']}"
            if "missing" in found:
                raise ClusterError(
                    f"{host}: the Python of Spark's workers has no {found['missing']}: install simdocs there, or send"
                    " an archive of the environment with spark.archives"
                )
            for name, version in mine.items():
                if found[name] != version:
                    raise ClusterError(
                        f"{host}: has {name} {found[name]}, not {version} as here: use the same environment on every"
                        " machine"
                    )
            if "blind" in found:
                raise self._blind(found["host"], self.directory or b"")

    def reach(self, paths: list[bytes], jobs: int) -> bool:
        """Whether the workers find the same devices and inodes at these paths. Raises ClusterError."""
        look, alike = numbered(paths, self.directory), True
        for host, path, numbers in self.run(look, list(range(min(jobs, _PROBED))), "simdocs"):
            with contextlib.suppress(OSError):  # it is gone, which the reader will say
                status = os.lstat(path)
                if numbers is None:
                    raise self._blind(host, path)
                alike &= numbers == (status.st_dev, status.st_ino)
        return alike

    def _blind(self, host: str, path: bytes) -> ClusterError:
        return ClusterError(
            f"{display_name(path)}: worker {host} does not see it: keep documents where all machines have them under"
            " the same path"
        )

    def close(self) -> None:
        """Stop the session and its Java process, if they were made here."""
        if not self.made:
            return
        with contextlib.suppress(Exception), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Java may have been ended before
            self.context.stop()
        self._java.end()


def connect(master: str, conf: Mapping[str, str], jobs: int | None, java: Java, *, quiet: bool = False) -> Session:
    """The session that is there, or a new one. Raises SimdocsError.

    master: the cluster of a new session; empty: this machine.
    conf: the settings of a new session.
    jobs: the number of cores that a new session on this machine takes; None: all.
    java: the process for a new session.
    quiet: a new session does not print its log, unless the settings ask for it.
    """
    pyspark = needs("pyspark", "--engine spark")
    _refuse_connect(master)
    context = pyspark.SparkContext._active_spark_context
    if context is not None:
        if master or conf:
            given = "--spark-master" if master else "--spark-conf"
            raise UsageError(f"{given} has no effect on the Spark session that is there: stop it, or leave this out")
        return Session(context, java, made=False)
    if "PYSPARK_GATEWAY_PORT" in os.environ:
        if master:
            raise UsageError("spark-submit says which master it uses: leave out --spark-master")
        silent = {_LOG_LEVEL: "OFF"} if quiet else {}
        settings = {**_DEFAULTS, **silent, **conf}
        del settings["spark.app.name"]  # spark-submit has a name for it
        return _made(pyspark, settings, java)
    return _launched(pyspark, master or f"local[{jobs or '*'}]", conf, java)


def _refuse_connect(master: str) -> None:
    """Raise UsageError for Spark Connect, whose sessions cannot run functions on tasks."""
    connect = sys.modules.get("pyspark.sql.connect.session")
    session = None if connect is None else connect.SparkSession.getActiveSession()
    if master.startswith("sc://") or session is not None or os.environ.get("SPARK_REMOTE"):
        raise UsageError(
            "--engine spark needs a session of Spark itself, not of Spark Connect: name a master such as"
            " local[*], yarn or spark://HOST:7077, or use spark-submit"
        )


def _launched(pyspark: Any, master: str, conf: Mapping[str, str], java: Java) -> Session:
    """A new session with a Java process of its own."""
    from pyspark.java_gateway import launch_gateway

    settings = {**_DEFAULTS, **conf, "spark.master": master}
    here = master.startswith("local")
    if here:
        # Otherwise Spark looks for a name and an address of this machine, and fails or warns if there is none.
        settings = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1", **settings}
    at_start = pyspark.SparkConf(loadDefaults=False)
    for key, value in settings.items():
        if not _SECRET.search(key):
            at_start.set(key, value)
    old = pyspark.SparkContext._gateway
    try:
        with _environment(here, conf), _logged(java.log, shown=_LOG_LEVEL in conf) as streams:
            gateway = launch_gateway(at_start, streams) if old is None else old
            if old is None:
                java.runs(gateway.proc)
            return _made(pyspark, settings, java, gateway)
    except Exception as error:
        meant = not_started(error, java.log, master)  # Java is asked for its message
        java.end()
        raise meant from error


def _made(pyspark: Any, settings: Mapping[str, str], java: Java, gateway: Any = None) -> Session:
    """A new session with these settings."""
    pyspark.SparkContext._ensure_initialized(gateway=gateway)
    conf = pyspark.SparkConf(_jvm=pyspark.SparkContext._jvm)
    for key, value in settings.items():
        conf.set(key, value)
    context = pyspark.SparkContext(conf=conf)
    # A thread of PySpark, which takes numbers that are not used here, prints a traceback if Java ends early.
    if (server := getattr(context, "_accumulatorServer", None)) is not None:
        server.handle_error = lambda *_: None
    return Session(context, java, made=True)


@contextlib.contextmanager
def _environment(here: bool, conf: Mapping[str, str]) -> Iterator[None]:
    """The environment in which Java is started, and which its workers inherit on this machine."""
    # PySpark reads this variable, and not the setting. The workers on this machine have the Python of this process.
    usual = sys.executable if here else os.environ.get("PYSPARK_PYTHON", sys.executable)
    others = {"PYSPARK_PYTHON": conf.get("spark.pyspark.python", usual)}
    if here:
        others["SPARK_LOCAL_IP"] = os.environ.get("SPARK_LOCAL_IP", "127.0.0.1")
        # A module in the working directory, which may hold documents of other people, must not be imported instead of
        # one that is installed. A checkout of simdocs need not be installed.
        others["PYTHONSAFEPATH"] = "1"
        root = str(Path(__file__).parents[2])
        if "site-packages" not in root:
            others["PYTHONPATH"] = os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH"))))
    before = {name: os.environ.get(name) for name in others}
    os.environ.update(others)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@contextlib.contextmanager
def _logged(log: deque[str], *, shown: bool) -> Iterator[dict[str, Any]]:
    """Yield the streams of a Java process whose last lines are kept in the log. shown: let it write to ours instead."""
    if shown:
        yield {}
        return
    ours, theirs = os.pipe()
    threading.Thread(target=_keep_lines, args=(ours, log), daemon=True).start()
    try:
        yield {"stdout": theirs, "stderr": theirs}
    finally:
        os.close(theirs)


def _keep_lines(pipe: int, log: deque[str]) -> None:
    with open(pipe, errors="replace") as lines:
        for line in lines:
            log.append(line.rstrip())


def _working_directory() -> bytes | None:
    """The working directory; None if it was removed."""
    try:
        return os.getcwdb()
    except OSError:
        return None
