"""Measure what `--engine spark` costs at growing numbers of documents, beside one process with the same answer.

The documents have about 1 KB each, a third of them edited versions of others, in JSON Lines files of 5,000. Spark runs
as a local cluster: two executors of this machine with one core each, and heaps of 512 MB.

usage: python benchmarks/scale.py [--documents 10000 100000 1000000] [--commands dedupe index] [--runs 1]

CPU seconds and memory come from /proc, sampled about ten times a second: those of the calling process, of the Python
workers, and of all Java processes. Memory is Pss, where a page that several processes share counts in part. The number
of jobs and the bytes that the driver collects come from Spark's log of events, and the bytes of tasks from its log. The
exit status is 1 if an answer or an artifact has other bytes than that of one process.
"""

from __future__ import annotations

import argparse
import filecmp
import json
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks import texts
from benchmarks.memory import MB, children, own_pss

SIMDOCS = str(Path(sys.executable).with_name("simdocs"))
BYTES = 1000
TOGETHER = 5000
"""Documents in a file. Only documents of one file are versions of each other, so that all files cost the same."""

CLUSTER = "local-cluster[2,1,1024]"
COMMANDS = {"dedupe": ".tsv", "index": ".index"}
"""The commands, and the suffix of what they write."""

TICK = os.sysconf("SC_CLK_TCK")
STARTED = re.compile(r"TaskSetManager: Starting .* (\d+) bytes\)")
"""What Spark's log says of each task that it sends."""

LOG = """\
rootLogger.level = warn
rootLogger.appenderRef.file.ref = file
appender.file.type = File
appender.file.name = file
appender.file.fileName = {file}
appender.file.layout.type = PatternLayout
appender.file.layout.pattern = %c{{1}}: %m%n
logger.tasks.name = org.apache.spark.scheduler.TaskSetManager
logger.tasks.level = info
"""
"""What Spark's driver logs, and the file to which it does."""


class Taken(NamedTuple):
    """What a run took: seconds; CPU seconds, and the most bytes in memory, by the kind of process; and what Spark says.

    executor: the most bytes of all Python processes of one executor. sent: bytes of tasks. collected: bytes of results.
    """

    wall: float
    driver_cpu: float
    worker_cpu: float
    java_cpu: float
    driver: int
    executor: int
    jobs: int = 0
    sent: int = 0
    collected: int = 0


def documents(count: int, seed: int) -> Iterator[str]:
    """Yield texts of about BYTES bytes, some of them edited versions of earlier ones."""
    rng = random.Random(seed)
    words = texts.vocabulary(rng)
    weights = list(accumulate(1 / rank for rank in range(1, len(words) + 1)))
    originals: list[list[str]] = []
    for _ in range(count):
        if originals and rng.random() < texts.EDITED:
            yield " ".join(texts.edited(rng.choice(originals), rng.choice(texts.RATES), words, weights, rng))
        else:
            size = int(BYTES / 5.3 * rng.uniform(0.25, 1.75))
            originals.append(rng.choices(words, cum_weights=weights, k=size))
            yield " ".join(originals[-1])


def write(directory: Path, begin: int, end: int) -> None:
    """Write the files of documents from `begin` on, before `end`."""
    directory.mkdir(exist_ok=True)
    for at in range(begin, end, TOGETHER):
        with (directory / f"{at // TOGETHER:05d}.jsonl").open("w") as file:
            for number, text in enumerate(documents(min(TOGETHER, end - at), seed=at), at):
                file.write(json.dumps({"id": f"{number:08d}", "text": text}) + "\n")


def spark_home(directory: Path) -> Path:
    """A directory with the files of PySpark. The executors of a local cluster write beside them."""
    spec = find_spec("pyspark")
    if spec is None or spec.origin is None:
        raise SystemExit("no pyspark: pip install 'simdocs[spark]'")
    directory.mkdir()
    for entry in Path(spec.origin).parent.iterdir():
        (directory / entry.name).symlink_to(entry)
    return directory


class Watch:
    """What the processes of a run take, by looking at them now and then."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._cpu: dict[tuple[str, int], float] = {}
        self.driver = self.executor = 0

    def look(self) -> None:
        """Look at all processes now."""
        self._count("driver", self._pid)
        self.driver = max(self.driver, own_pss(self._pid))
        for child in children(self._pid):
            if is_java(child):
                self._count("java", child)
                for executor in children(child):
                    self._look_at_executor(executor)

    def _look_at_executor(self, pid: int) -> None:
        """Look at an executor, or at what starts one, and at the Python processes below it."""
        if not is_java(pid):
            return
        self._count("java", pid)
        below, held = list(children(pid)), 0
        for child in below:
            if is_java(child):
                self._look_at_executor(child)
                continue
            self._count("worker", child)
            held += own_pss(child)
            below += children(child)
        self.executor = max(self.executor, held)

    def _count(self, kind: str, pid: int) -> None:
        if seconds := cpu(pid):
            self._cpu[kind, pid] = seconds

    def cpu(self, kind: str) -> float:
        """CPU seconds of all processes of a kind, those that have ended, too."""
        return sum(seconds for (each, _), seconds in self._cpu.items() if each == kind)


def cpu(pid: int) -> float:
    """CPU seconds of a process without its children; 0 if it has ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / TICK


def is_java(pid: int) -> bool:
    """Whether this process runs Java."""
    try:
        return os.path.basename(os.readlink(f"/proc/{pid}/exe")) == "java"
    except OSError:
        return False


def measured(command: Sequence[str | Path], directory: Path, env: dict[str, str]) -> Taken:
    """Run a command in this directory. Its standard error goes to the file `log` there."""
    start = time.perf_counter()
    with (
        (directory / "log").open("wb") as log,
        subprocess.Popen(command, cwd=directory, env=env, stderr=log) as process,
    ):
        watch = Watch(process.pid)
        while process.poll() is None:
            begin = time.perf_counter()
            watch.look()
            time.sleep(max(0.1, 9 * (time.perf_counter() - begin)))  # a look at gigabytes takes long
    wall = time.perf_counter() - start
    if process.returncode:
        raise SystemExit(f"{command}: status {process.returncode}\n{(directory / 'log').read_text()[-2000:]}")
    return Taken(wall, *(watch.cpu(kind) for kind in ("driver", "worker", "java")), watch.driver, watch.executor)


def on_spark(command: Sequence[str | Path], directory: Path) -> Taken:
    """Run a command on a local cluster, and add what Spark's logs say."""
    events = directory / "events"
    events.mkdir()
    tasks, settings_of_log = directory / "tasks.log", directory / "log4j2.properties"
    settings_of_log.write_text(LOG.format(file=tasks))
    conf = {
        "spark.driver.memory": "512m",
        "spark.executor.memory": "512m",
        "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile={settings_of_log.as_uri()}",
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": events.as_uri(),
        "spark.eventLog.rolling.enabled": "false",
        "spark.eventLog.compress": "false",
    }
    settings = [word for key, value in conf.items() for word in ("--spark-conf", f"{key}={value}")]
    home = spark_home(directory / "home")
    every = [*command, "--engine", "spark", "--spark-master", CLUSTER, *settings]
    taken = measured(every, directory, os.environ | {"SPARK_HOME": str(home)})
    (log,) = events.iterdir()
    jobs = collected = 0
    with log.open() as lines:
        for event in map(json.loads, lines):
            jobs += event["Event"] == "SparkListenerJobStart"
            if event["Event"] == "SparkListenerTaskEnd":
                collected += event["Task Metrics"]["Result Size"]
    sent = sum(int(size) for size in STARTED.findall(tasks.read_text()))
    tasks.unlink()
    shutil.rmtree(events)
    shutil.rmtree(home)
    return taken._replace(jobs=jobs, sent=sent, collected=collected)


def same(one: Path, other: Path) -> bool:
    """Whether two answers or two artifacts have the same bytes. run.json, which has times, does not count."""
    if one.is_file():
        return filecmp.cmp(one, other, shallow=False)
    names = {path.name for path in one.iterdir()} - {"run.json"}
    return names == {path.name for path in other.iterdir()} - {"run.json"} and all(
        filecmp.cmp(one / name, other / name, shallow=False) for name in names
    )


def remove(path: Path) -> None:
    """Remove an answer or an artifact, if it is there."""
    if path.is_dir():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)


def middle(runs: list[Taken]) -> Taken:
    """The median of each figure."""
    return Taken(*(statistics.median(column) for column in zip(*runs, strict=True)))


def line(count: int, name: str, engine: str, taken: Taken, verdict: str) -> str:
    """A line of the table."""
    per = 1000 / count
    cells = [f"{count:,}", f"`{name}`", engine, f"{taken.wall:.1f}"]
    cells += [
        f"{seconds:.1f} ({seconds * per:.3f} ms)" for seconds in (taken.driver_cpu, taken.worker_cpu, taken.java_cpu)
    ]
    cells += [f"{taken.jobs:.0f}", f"{taken.sent / count:.0f}", f"{taken.collected / count:.0f}"]
    cells += [f"{taken.driver / MB:,.0f}", f"{taken.executor / MB:,.0f}", verdict]
    return f"| {' | '.join(cells)} |"


HEAD = """\
| documents | command | engine | seconds | CPU seconds of the driver (for each document) | of the workers' Python \
| of Java | jobs | bytes sent for each document | bytes collected | peak memory of the driver, MB \
| of an executor's Python, MB | answer |
|---|---|---|---|---|---|---|---|---|---|---|---|---|"""


def main() -> int:
    """Write documents, measure, and print a line for each size, command and engine. Return 1 if an answer differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--commands", nargs="+", choices=COMMANDS, default=list(COMMANDS))
    parser.add_argument("--runs", type=int, default=1)
    options = parser.parse_args()
    print(HEAD)
    written, differs = 0, False
    with tempfile.TemporaryDirectory() as scratch:
        directory = Path(scratch)
        for count in sorted(options.documents):
            write(directory / "docs", written, count)
            written = count
            for name in options.commands:
                alone, spark = list[Taken](), list[Taken]()
                verdict = "the same"
                one, other = (directory / f"{engine}{COMMANDS[name]}" for engine in ("alone", "spark"))
                for _ in range(options.runs):
                    alone.append(measured([SIMDOCS, name, "docs", "-o", one, "-j1"], directory, dict(os.environ)))
                    spark.append(on_spark([SIMDOCS, name, "docs", "-o", other], directory))
                    if not same(one, other):
                        verdict, differs = "DIFFERS", True
                    remove(one)
                    remove(other)
                print(line(count, name, "`-j1`", middle(alone), ""), flush=True)
                print(line(count, name, "Spark", middle(spark), verdict), flush=True)
    return int(differs)


if __name__ == "__main__":
    sys.exit(main())
