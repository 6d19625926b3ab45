"""The errors of Spark and Java in words: what is wrong, and what to do."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from simdocs.errors import FEWER_WORKERS, ClusterError, SimdocsError, UsageError, WorkerError

JAVA = 17
"""The oldest version of Java with which Spark 4 works."""


def not_started(error: Exception, log: deque[str], master: str) -> SimdocsError:
    """Why no session could be made."""
    if isinstance(error, SimdocsError):
        return error
    said = " ".join((_said(error), *log))
    if any(mark in said for mark in _NO_MASTER):
        wanted = "use one such as local[*], yarn or spark://HOST:7077"
        return UsageError(f"--spark-master {master!r} is no master of Spark: {wanted}")
    if _UNREACHED in said:
        return _unreached(master)
    why = _about_java(log) if "JAVA_GATEWAY_EXITED" in said else _cause(error)
    return ClusterError(why if " needs Java" in why else f"Spark cannot be started: {why}{_CHECK}")


_NO_MASTER = ("Could not parse Master URL", "Master must either be", "Invalid master URL")
"""What Spark says about a word that names no master."""

_UNREACHED = "All masters are unresponsive"
"""What Spark logs before it gives up."""

_CHECK = ": check --spark-master, --spark-conf and the settings of Spark"


def _unreached(master: str) -> ClusterError:
    remedy = "check the address in --spark-master, and that the master is running"
    return ClusterError(f"{master} gave no answer for a minute: {remedy}")


def _about_java(log: deque[str]) -> str:
    """Why Java did not start."""
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home, "bin/java")) if home else shutil.which("java")
    where = "JAVA_HOME" if home else "PATH"
    remedy = f"install Java {JAVA} or later, or let JAVA_HOME name it"
    if java is None or not Path(java).exists():
        return f"--engine spark needs Java, and {where} has none: {remedy}"
    said = subprocess.run([java, "-version"], capture_output=True, text=True, check=False, errors="replace").stderr
    version = re.search(r'version "(?:1\.)?(\d+)', said)
    if version is None:
        return f"--engine spark needs Java {JAVA} or later, and {java} does not work: {remedy}"
    if int(version[1]) < JAVA:
        return f"--engine spark needs Java {JAVA} or later, and {java} is Java {version[1]}: {remedy}"
    return _last_error(log)


_CLASSES = re.compile(r'^(?:Exception in thread "[^"]*" |Caused by: )?(?:[a-z]\w*\.)+\w*(?:Exception|Error): ')
"""The names of Java classes before a message."""


_NO_MACHINE = "Error: Could not create the Java Virtual Machine"

_TROUBLE = re.compile("[Ee]rror|[Ee]xception")
"""What a line of a log says that is about an error."""


def _last_error(log: deque[str]) -> str:
    """What a log says about an error."""
    lines = list(log) or ["Java said nothing"]
    at = next((place for place, line in enumerate(lines) if _TROUBLE.search(line)), len(lines) - 1)
    if lines[at].startswith(_NO_MACHINE):  # the line before says why
        at = max(0, at - 1)
    said = lines[at : at + 2] if lines[at].startswith("Error occurred") else lines[at : at + 1]
    return ": ".join(_CLASSES.sub("", line).rstrip(".") for line in said)


_OTHER_PYTHON = re.compile(r"different version: (\S+) than|$")
"""Where PySpark says which Python a worker has."""

_MEANT: Mapping[str, Callable[[str, str], SimdocsError]] = MappingProxyType(
    {
        "PYTHON_VERSION_MISMATCH": lambda said, _: ClusterError(
            f"the workers of Spark have Python {_OTHER_PYTHON.findall(said)[0]}, not {sys.version_info[0]}."
            f"{sys.version_info[1]} as here: let PYSPARK_PYTHON name the same one on every machine"
        ),
        "No module named pyspark": lambda *_: ClusterError(
            "the Python of Spark's workers has no pyspark: let PYSPARK_PYTHON name one with simdocs[spark]"
        ),
        "Cannot run program": lambda _, cause: ClusterError(
            f"a worker of Spark cannot start Python ({cause}): let PYSPARK_PYTHON name one on every machine"
        ),
        "Python worker exited unexpectedly": lambda *_: WorkerError(
            "a Python worker of Spark was killed, perhaps because memory ran out",
            f"{FEWER_WORKERS}, or let Spark try again, on one machine with --spark-master 'local[*,4]'",
        ),
        "ExecutorLostFailure": lambda *_: WorkerError(
            "an executor of Spark was lost too often, perhaps because memory ran out"
        ),
        "SparkContext was shut down": lambda *_: WorkerError(
            "Spark was stopped before the work was done", "run it again"
        ),
        "maxResultSize": lambda *_: ClusterError(
            "the results of a job exceed spark.driver.maxResultSize: raise it, or lower -j"
        ),
        "OutOfMemoryError": lambda *_: ClusterError(
            "the Java process of Spark has too little memory: raise spark.driver.memory, or spark.executor.memory"
        ),
    }
)
"""What marks an error of Spark, and the same in words. The first one counts."""


def in_words(error: Exception, log: deque[str], master: str) -> SimdocsError:
    """The error of a job in words. master: the cluster that was asked."""
    if isinstance(error, SimdocsError):
        return error
    said, cause = _said(error), _cause(error)
    if any(_UNREACHED in line for line in log):
        return _unreached(master)
    for mark, meant in _MEANT.items():
        if mark in said:
            return meant(said, cause)
    from_py4j = type(error).__module__.startswith("py4j") and type(error).__name__ != "Py4JJavaError"
    if from_py4j or isinstance(error, OSError):  # which is about the connection to Java
        last = f": {_last_error(log)}" if any(_TROUBLE.search(line) for line in log) else ""
        what = f"the Java process of Spark ended before the work was done{last}"
        return WorkerError(what, f"if memory ran out, raise spark.driver.memory, or {FEWER_WORKERS}")
    return ClusterError(f"Spark cannot do the work: {cause}")


def _cause(error: Exception) -> str:
    """The first line of what Java says."""
    said = _said(error)
    with contextlib.suppress(Exception):
        said = str(error.java_exception.getMessage())  # type: ignore[attr-defined]
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return _CLASSES.sub("", lines[0]).rstrip(".") if lines else type(error).__name__


def _said(error: Exception) -> str:
    """The whole text of an error. Java is asked for it, and may have ended."""
    try:
        return str(error)
    except Exception:
        return type(error).__name__
