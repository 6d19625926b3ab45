"""Sessions of Spark for tests, and the reason why there can be none here. What can go wrong in one: workers that are
slow, tasks that run in any order, and workers and executors that are killed.
"""

from __future__ import annotations

import os
import pickle
import random
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from functools import cache, partial
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from simdocs.engines import spark
from simdocs.engines.spark import run_tasks

JAVA = 17
"""The oldest version of Java with which Spark 4 works."""

RETRYING = "local[2,4]"
"""Two workers of this machine. A task is tried four times, as on a cluster."""

CLUSTER = "local-cluster[2,1,1024]"
"""Two executors of this machine, each a Java process with one core and 1,024 MB."""


@cache
def why_not() -> str:
    """What is missing here to run Spark; empty if nothing is."""
    if find_spec("pyspark") is None:
        return "no pyspark: pip install 'simdocs[spark]'"
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home, "bin/java")) if home else shutil.which("java")
    if java is None or not Path(java).exists():
        return f"no Java {JAVA} or later"
    said = subprocess.run([java, "-version"], capture_output=True, text=True, check=False).stderr
    version = re.search(r'version "(?:1\.)?(\d+)', said)
    return "" if version and int(version[1]) >= JAVA else f"no Java {JAVA} or later"


def with_spark(function: Callable[..., None]) -> Callable[..., None]:
    """Mark a test that needs Spark. All of them run in one process, which has one session at a time."""
    for mark in marks():
        function = mark(function)
    return function


def marks() -> tuple[pytest.MarkDecorator, ...]:
    """The marks of a test that needs Spark."""
    return (
        pytest.mark.spark,
        pytest.mark.xdist_group("spark"),
        pytest.mark.skipif(bool(why_not()), reason=why_not() or "Spark is here"),
    )


def spark_home(directory: Path) -> Path:
    """A directory with the files of PySpark. The executors of a local cluster write beside them."""
    spec = find_spec("pyspark")
    assert spec is not None
    assert spec.origin is not None
    for entry in Path(spec.origin).parent.iterdir():
        (directory / entry.name).symlink_to(entry)
    return directory


class Sessions:
    """The one session of this process, which is replaced when a test wants another one: each takes seconds to start."""

    def __init__(self, directory: Path) -> None:
        """directory: where the executors of a cluster write."""
        self._home = spark_home(directory)
        self._wanted: tuple[str, dict[str, str]] | None = None
        self._session = ExitStack()

    def use(self, master: str = RETRYING, **settings: str) -> None:
        """Let there be an active session with this master. settings: with _ for each dot of their names."""
        if self._wanted == (master, settings):
            return
        self.close()
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("SPARK_HOME", str(self._home))
            patch.setenv("PYTHONPATH", str(Path(__file__).parents[1]))  # workers import functions of tests
            conf = {name.replace("_", "."): value for name, value in settings.items()}
            self._session.enter_context(spark.session(master, conf, None))
        self._wanted = (master, settings)

    def close(self) -> None:
        """Stop the session, if there is one."""
        self._session.close()
        self._wanted = None


def run_late(*arguments: Any) -> Iterator[Any]:
    """Run tasks after a random wait, so that jobs end in any order."""
    time.sleep(random.SystemRandom().uniform(0, 0.05))
    yield from run_tasks(*arguments)


def kill_once(patch: pytest.MonkeyPatch, directory: Path, *, executor: bool = False) -> None:
    """Kill a worker in the middle of the first job of each kind of work. executor: and the executor that has it.

    directory: gets a file for each kill.
    """
    patch.setattr(spark, "run_tasks", partial(_killed_once, directory, executor))


def _killed_once(directory: Path, executor: bool, function: Any, *arguments: Any) -> Iterator[Any]:
    """Run tasks. The first worker that does so for this function is killed after it has done the work."""
    done = list(run_tasks(function, *arguments))
    with suppress(FileExistsError):
        (directory / sha256(pickle.dumps(function)).hexdigest()).touch(exist_ok=False)
        if executor:
            os.kill(_executor(), signal.SIGKILL)
        os.kill(os.getpid(), signal.SIGKILL)
    yield from done


def _executor() -> int:
    """The Java process above this worker."""
    daemon = os.getppid()
    executor = int(Path(f"/proc/{daemon}/stat").read_text().rpartition(")")[2].split()[1])
    assert b"java" in Path(f"/proc/{executor}/cmdline").read_bytes()
    return executor
