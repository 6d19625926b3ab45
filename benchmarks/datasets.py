"""Measure `simdocs dedupe` on one data set in several formats: the same rows as JSON Lines, CSV, Parquet and Arrow.

The commands run in turn, whole processes, from the file to the answer in a file.

usage: python benchmarks/datasets.py [--rows 1000000] [--bytes 500] [--runs 3] [--unit word] [--jobs 2]
"""

from __future__ import annotations

import argparse
import csv
import importlib.util
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks import texts
from benchmarks.memory import FIXED, MB, PER_DOCUMENT, of_pyarrow, pss

SIMDOCS = str(Path(sys.executable).with_name("simdocs"))
TOGETHER = 10_000
"""Rows that are held at once while the files are written, and the rows of a row group or record batch."""


class Cost(NamedTuple):
    """What one process and its children took: CPU and wall seconds, and the peak of their memory in bytes (PSS)."""

    cpu: float
    wall: float
    peak: int


def rows(count: int, size: int) -> Iterator[list[str]]:
    """Yield blocks of generated texts."""
    every = texts.texts(count, size, seed=1)
    while block := list(islice(every, TOGETHER)):
        yield block


def write(directory: Path, count: int, size: int) -> list[Path]:
    """Write the same rows in each format that can be written here, and return the files."""
    files = [directory / "docs.jsonl", directory / "docs.csv"]
    tables = importlib.util.find_spec("pyarrow") is not None
    if tables:
        files += [directory / "docs.parquet", directory / "docs.arrow"]
    with files[0].open("w") as lines, files[1].open("w", newline="") as table:
        writer = csv.writer(table)
        writer.writerow(["id", "text"])
        writers: list[Callable[[list[str], list[str]], None]] = []
        closers: list[Callable[[], None]] = []
        if tables:
            writers, closers = arrow_writers(files[2], files[3])
        number = 0
        for block in rows(count, size):
            ids = [f"{number + place:08d}" for place in range(len(block))]
            number += len(block)
            lines.writelines(json.dumps({"id": id_, "text": text}) + "\n" for id_, text in zip(ids, block, strict=True))
            writer.writerows(zip(ids, block, strict=True))
            for add in writers:
                add(ids, block)
        for close in closers:
            close()
    return files


def arrow_writers(
    parquet: Path, arrow: Path
) -> tuple[list[Callable[[list[str], list[str]], None]], list[Callable[[], None]]]:
    """Return functions that add rows to a Parquet file and to an Arrow file, and those that close them."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = pa.schema([("id", pa.string()), ("text", pa.string())])
    writers = [pq.ParquetWriter(parquet, schema, compression="zstd"), pa.ipc.new_file(str(arrow), schema)]

    def adder(writer: object) -> Callable[[list[str], list[str]], None]:
        return lambda ids, block: writer.write_table(pa.table([ids, block], schema=schema))  # type: ignore[attr-defined]

    return [adder(writer) for writer in writers], [writer.close for writer in writers]


def measured(command: list[str], directory: Path) -> Cost:
    """Run a command in this directory, and return what it took."""
    start, peak = time.perf_counter(), 0
    before = os.times()
    with subprocess.Popen(command, cwd=directory, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        os.set_blocking(process.stderr.fileno(), False)  # type: ignore[union-attr]
        told = b""
        while process.poll() is None:
            begin = time.perf_counter()
            peak = max(peak, pss(process.pid))
            told += process.stderr.read() or b""  # type: ignore[union-attr]
            time.sleep(max(0.02, 4 * (time.perf_counter() - begin)))  # a sample of gigabytes takes long
    after = os.times()
    if process.returncode:
        raise SystemExit(f"{command}: status {process.returncode}\n{told.decode()}")
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return Cost(cpu, time.perf_counter() - start, peak)


def commands(files: list[Path], unit: str, jobs: int) -> dict[str, list[str]]:
    """The commands to measure, by name."""
    options = ["--unit", unit, f"-j{jobs}", "--kept-rows"]
    return {file.suffix[1:]: [SIMDOCS, "dedupe", file.name, *options, f"kept-{file.name}"] for file in files}


def main() -> int:
    """Write the files, measure, and print a line for each command. Return 1 if simdocs took more than is promised."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--bytes", type=int, default=500)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--unit", choices=("char", "word"), default="word")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    broken = False
    with tempfile.TemporaryDirectory() as scratch:
        directory = Path(scratch)
        files = write(directory, options.rows, options.bytes)
        for file in files:
            print(f"{file.name}: {options.rows:,} rows, {file.stat().st_size / MB:,.0f} MB")
        every = commands(files, options.unit, options.jobs)
        costs: dict[str, list[Cost]] = {name: [] for name in every}
        for _ in range(options.runs):
            for name, command in every.items():
                cost = measured(command, directory)
                costs[name].append(cost)
                print(f"{name}: {cost.cpu:.1f} s CPU, {cost.wall:.1f} s, {cost.peak / MB:,.0f} MB", flush=True)
        print("| format | CPU seconds | seconds | peak memory |\n|---|---|---|---|")
        for name, each in costs.items():
            cpu, wall = (statistics.median(cost[place] for cost in each) for place in (0, 1))
            peak = max(cost.peak for cost in each)
            most = FIXED + PER_DOCUMENT * options.rows
            most += of_pyarrow(options.jobs) if name in ("parquet", "arrow") else 0
            broken |= peak > most
            print(f"| {name} | {cpu:.1f} | {wall:.1f} | {peak / MB:,.0f} MB |")
    return int(broken)


if __name__ == "__main__":
    sys.exit(main())
