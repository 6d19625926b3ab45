"""A run on a cluster whose heaps are small, and what it has taken, read from Spark's own log of events."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from tests.cli.program import PROGRAM
from tests.spark import CLUSTER, spark_home

HEAP = 512 << 20
"""The heap of the driver and of each executor in bytes, whatever the number of documents."""

PYTHON = 200_000_000
"""The most bytes that the Python processes of an executor with one core have in memory: that which starts workers, and
a worker. Pages that they share count twice. Measured: 127 to 143 MB.
"""

RESULTS = 1000
"""The most bytes that the driver collects for each document: its name, its facts, a signature of 512 bytes, and its
similarities. Measured: 800 to 893.
"""


class Taken(NamedTuple):
    """How a run ended, and what it has taken. heap, python: the most bytes of an executor. results: all that the driver
    collected.
    """

    status: int
    said: bytes
    jobs: int
    results: int
    heap: int
    python: int


def taken(directory: Path, *arguments: str) -> Taken:
    """Run a command in this directory, on two executors with one core each."""
    conf: Mapping[str, str] = {
        "spark.driver.memory": str(HEAP),
        "spark.executor.memory": str(HEAP),
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": (directory / "events").as_uri(),
        "spark.eventLog.rolling.enabled": "false",
        "spark.eventLog.compress": "false",
        "spark.executor.processTreeMetrics.enabled": "true",
        "spark.executor.metrics.pollingInterval": "50",
    }
    (directory / "events").mkdir()
    (directory / "home").mkdir()
    env = os.environ | {"SPARK_HOME": str(spark_home(directory / "home"))}
    settings = [word for key, value in conf.items() for word in ("--spark-conf", f"{key}={value}")]
    command = [PROGRAM, *arguments, "--engine", "spark", "--spark-master", CLUSTER, *settings]
    done = subprocess.run(command, cwd=directory, env=env, stderr=subprocess.PIPE, check=False, timeout=900)
    (log,) = (directory / "events").iterdir()
    events = [json.loads(line) for line in log.read_text().splitlines()]
    ended = [event for event in events if event["Event"] == "SparkListenerTaskEnd"]
    most = [event["Task Executor Metrics"] for event in ended]
    return Taken(
        done.returncode,
        done.stderr,
        jobs=sum(event["Event"] == "SparkListenerJobStart" for event in events),
        results=sum(event["Task Metrics"]["Result Size"] for event in ended),
        heap=max(each["JVMHeapMemory"] for each in most),
        python=max(each["ProcessTreePythonRSSMemory"] for each in most),
    )
