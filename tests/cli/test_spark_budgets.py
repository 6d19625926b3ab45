"""What a run on Spark may take, read from Spark's own log of events."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.cli.corpus import lay
from tests.cli.program import PROGRAM
from tests.cli.spark_answers import texts
from tests.spark import CLUSTER, spark_home, with_spark

HEAP = "512m"
"""The heap of the driver and of each executor, whatever the number of documents."""

PYTHON = 200_000_000
"""The most bytes that the Python processes of an executor with one core have in memory: that which starts workers, and
a worker. Pages that they share count twice. Measured: 127 to 143 MB.
"""

JOBS = 25
"""The most jobs of a run that takes a minute. They follow from the time that it takes. Measured: 7 to 15."""

RESULTS = 1000
"""The most bytes that the driver collects for each document: its name, its facts, a signature of 512 bytes, and its
similarities. Measured: 800 to 893.
"""


class Taken(NamedTuple):
    """What a run has taken. heap, python: the most bytes of an executor. results: all that the driver collected."""

    jobs: int
    results: int
    heap: int
    python: int


@pytest.fixture
def taken(tmp_path: Path):
    """What a command takes on a cluster whose executors have one core each."""
    conf: Mapping[str, str] = {
        "spark.driver.memory": HEAP,
        "spark.executor.memory": HEAP,
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": (tmp_path / "events").as_uri(),
        "spark.eventLog.rolling.enabled": "false",
        "spark.eventLog.compress": "false",
        "spark.executor.processTreeMetrics.enabled": "true",
        "spark.executor.metrics.pollingInterval": "50",
    }
    (tmp_path / "events").mkdir()
    (tmp_path / "home").mkdir()
    env = os.environ | {"SPARK_HOME": str(spark_home(tmp_path / "home"))}

    def taken(*arguments: str) -> Taken:
        settings = [word for key, value in conf.items() for word in ("--spark-conf", f"{key}={value}")]
        command = [PROGRAM, *arguments, "--engine", "spark", "--spark-master", CLUSTER, *settings]
        subprocess.run(command, cwd=tmp_path, env=env, check=True, timeout=300)
        (log,) = (tmp_path / "events").iterdir()
        events = [json.loads(line) for line in log.read_text().splitlines()]
        log.unlink()
        ended = [event for event in events if event["Event"] == "SparkListenerTaskEnd"]
        most = [event["Task Executor Metrics"] for event in ended]
        return Taken(
            jobs=sum(event["Event"] == "SparkListenerJobStart" for event in events),
            results=sum(event["Task Metrics"]["Result Size"] for event in ended),
            heap=max(each["JVMHeapMemory"] for each in most),
            python=max(each["ProcessTreePythonRSSMemory"] for each in most),
        )

    return taken


@pytest.mark.slow
@with_spark
@pytest.mark.parametrize("documents", [2000, 8000])
@pytest.mark.parametrize("command", ["dedupe", "index"])
def test_a_run_takes_no_more_than_is_promised(command, documents, taken, tmp_path: Path):
    """Four times the documents take no more memory on the workers, and the same for each document on the driver."""
    made = texts(1, documents, 200)
    lay(tmp_path, {f"docs/{number % 50}/{number:06}.txt": text.encode() for number, text in enumerate(made)})
    lines = [json.dumps({"id": number, "text": text}) for number, text in enumerate(made)]
    (tmp_path / "rows.jsonl").write_text("\n".join(lines))
    found = {
        "dedupe": ("dedupe", "docs", "-o", "answer.tsv"),
        "index": ("index", "rows.jsonl", "-o", "rows.index"),
    }
    run = taken(*found[command])
    assert 0 < run.heap < 512 << 20
    assert 0 < run.python < PYTHON
    assert 0 < run.jobs < JOBS
    assert 512 < run.results / documents < RESULTS
