"""Sessions of Spark for tests, and the reason why there can be none here."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest

from simdocs.engines.spark_errors import JAVA
from simdocs.engines.spark_session import Java, connect

RETRYING = "local[2,4]"
"""Two workers of this machine. A task is tried four times, as on a cluster."""


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
    """Mark a test that needs Spark. All of them run in one process, which has one session."""
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


@contextmanager
def session(master: str = RETRYING, **settings: str) -> Iterator[None]:
    """A session of Spark that is active meanwhile. settings: with _ for each dot of their names."""
    conf = {name.replace("_", "."): value for name, value in settings.items()}
    made = connect(master, conf, None, Java())
    try:
        yield
    finally:
        made.close()
