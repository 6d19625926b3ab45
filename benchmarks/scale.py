"""Measure what `simdocs.spark.dedupe` costs at growing numbers of documents.

The documents have about 1 KB each, a third of them edited versions of earlier ones, in families of a few, in JSON Lines
files of 5,000. Bytes of shuffles and of results that the driver collects come from the log of events. The model of what
has to move: 24 bytes a document, 16 for each entry in a bucket and each pair, and the compressed texts of a pair.

    python benchmarks/scale.py --documents 10000 40000
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
import threading
import time
from collections import deque
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa

import simdocs.spark
from simdocs.spark.session import session

CLUSTER = "local-cluster[2,1,1024]"
"""Two executors of this machine, each a Java process with one core and 1,024 MB."""

BANDS = 18

PARTITIONS = 4


class Cost(NamedTuple):
    """What a run took: seconds; bytes of shuffles, by the log and by the model; bytes that the driver collected; by how
    much a Python worker grew, in bytes; and the duplicates that were found."""

    seconds: float
    shuffled: int
    model: int
    collected: int
    grown: int
    duplicates: int


def lay_documents(directory: Path, count: int, seed: int = 0) -> None:
    """Write JSON Lines files of so many documents."""
    dice = random.Random(seed)
    vocabulary = ["".join(dice.choices("abcdefghijklmnopqrstuvw", k=dice.randint(2, 10))) for _ in range(20_000)]
    recent = deque[list[str]](maxlen=2000)
    directory.mkdir(parents=True)
    for first in range(0, count, 5000):
        with (directory / f"{first:08}.jsonl").open("w") as file:
            for number in range(first, min(first + 5000, count)):
                words = dice.choices(vocabulary, k=150)
                if recent and dice.random() < 1 / 3:
                    words = list(dice.choice(recent))
                    words[dice.randrange(len(words))] = dice.choice(vocabulary)
                else:
                    recent.append(words)
                file.write(json.dumps({"id": str(number), "text": " ".join(words)}) + "\n")


def spark_home(directory: Path) -> Path:
    """A directory with the files of PySpark. The executors of a local cluster write beside them."""
    spec = find_spec("pyspark")
    assert spec is not None
    assert spec.origin is not None
    directory.mkdir()
    for entry in Path(spec.origin).parent.iterdir():
        (directory / entry.name).symlink_to(entry)
    return directory


class Workers(threading.Thread):
    """Watches how much memory the Python workers of Spark take. grown: the most that one grew, in bytes."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.grown, self._first, self.done = 0, dict[str, int](), False

    def run(self) -> None:
        """Look ten times a second."""
        while not self.done:
            for process in Path("/proc").iterdir():
                with suppress(OSError, ValueError, IndexError):
                    if process.name.isdigit() and b"pyspark.daemon" in (process / "cmdline").read_bytes():
                        own = sum(
                            int(line.split()[1]) << 10
                            for line in (process / "smaps_rollup").read_text().splitlines()
                            if line.startswith(("Private_Clean", "Private_Dirty"))
                        )
                        self.grown = max(self.grown, own - self._first.setdefault(process.name, own))
            time.sleep(0.1)


def measured(count: int, scratch: Path, master: str = CLUSTER, **settings: str) -> Cost:
    """The cost of `dedupe` of so many documents."""
    lay_documents(scratch / "docs", count)
    events = scratch / "events"
    events.mkdir()
    conf = {"spark.eventLog.enabled": "true", "spark.eventLog.dir": events.as_uri()}
    conf |= {"spark.sql.shuffle.partitions": str(PARTITIONS)}
    conf |= {"spark.eventLog.rolling.enabled": "false", "spark.eventLog.compress": "false"} | settings
    os.environ["SPARK_HOME"] = str(spark_home(scratch / "home"))
    workers = Workers()
    with session(master, conf) as spark:
        workers.start()
        began = time.monotonic()
        found = simdocs.spark.dedupe(spark, str(scratch / "docs"))
        duplicates = found.rows.count()
        seconds = time.monotonic() - began
        workers.done = True
    shuffled = collected = 0
    for line in next(events.iterdir()).read_text().splitlines():
        event = json.loads(line)
        if event["Event"] == "SparkListenerTaskEnd" and (metrics := event.get("Task Metrics")):
            shuffled += metrics["Shuffle Write Metrics"]["Shuffle Bytes Written"]
            collected += metrics["Result Size"]
    texts = sum(_compressed(path) for path in (scratch / "docs").iterdir())
    # Nearly all candidates are similar here, and no two documents are copies.
    pairs = len(simdocs.pairs(scratch / "docs", jobs=2))
    model = 24 * count + 16 * BANDS * count + pairs * (16 + 2 * texts // count)
    return Cost(seconds, shuffled, model, collected, workers.grown, duplicates)


def _compressed(path: Path) -> int:
    codec, lines = pa.Codec("zstd"), path.read_text().splitlines()
    return sum(len(codec.compress(json.loads(line)["text"].encode(), asbytes=True)) for line in lines)


def main() -> None:
    """Print a row for each number of documents."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--master", default=CLUSTER)
    asked = parser.parse_args()
    print("documents  seconds  shuffled MB  of the model  collected KB  worker grew MB  duplicates")
    for count in asked.documents:
        with tempfile.TemporaryDirectory() as scratch:
            cost = measured(count, Path(scratch), asked.master)
        sizes = f"{cost.shuffled / 1e6:11.1f} {cost.shuffled / cost.model:13.2f} {cost.collected / 1e3:13.0f}"
        print(f"{count:9} {cost.seconds:8.0f} {sizes} {cost.grown / 1e6:15.0f} {cost.duplicates:11}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
