"""Sessions of Spark for tests, and the reason why there can be none here."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from contextlib import ExitStack
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from simdocs.spark.session import session

JAVA = 17
"""The oldest version of Java with which Spark 4 works."""

RETRYING = "local[2,4]"
"""Two workers of this machine. A task is tried four times, as on a cluster."""

CLUSTER = "local-cluster[2,1,1024]"
"""Two executors of this machine, each a Java process with one core and 1,024 MB."""


QUICK = {"spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1"}
"""Settings with which Java compiles less. Most of the time of a short run goes into that."""


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
    missing = why_not()
    for mark in (
        pytest.mark.spark,
        pytest.mark.xdist_group("spark"),
        pytest.mark.skipif(bool(missing), reason=missing),
    ):
        function = mark(function)
    return function


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
        self._session, self._open = None, ExitStack()

    def use(self, master: str = RETRYING, **settings: str) -> Any:
        """The session with this master. settings: with _ for each dot of their names."""
        if self._wanted != (master, settings):
            self.close()
            with pytest.MonkeyPatch.context() as patch:
                patch.setenv("SPARK_HOME", str(self._home))
                patch.setenv("PYTHONPATH", str(Path(__file__).parents[1]))  # workers import functions of tests
                conf = QUICK | {name.replace("_", "."): value for name, value in settings.items()}
                self._session = self._open.enter_context(session(master, conf))
            self._wanted = (master, settings)
        return self._session

    def close(self) -> None:
        """Stop the session, if there is one."""
        self._open.close()
        self._wanted = None
