"""Measure the memory of commands at growing numbers of documents, all processes together, and compare it with the
promise: 1,000 bytes a document, 200 MB, and 16 bytes a character of the largest document; for Parquet, also 60 MB and
30 MB for each worker. The exit status is 1 if a command took more.

usage: python benchmarks/memory.py [--documents 100000 300000] [--forms lines files parquet] [--jobs 1 2]
    [--commands ...]

Memory is the sum of Pss in /proc/PID/smaps_rollup over the program and its workers, sampled about 50 times a second: a
page that several processes share counts once. Pages of artifacts that are memory-mapped count while they are mapped,
although the system could take them back.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks import texts

SIMDOCS = str(Path(sys.executable).with_name("simdocs"))
BYTES = 300
FAN_OUT = 1000
ROW_GROUPS = 20
MB = 10**6
PER_DOCUMENT, FIXED = 1000, 200 * MB
PYARROW, PYARROW_OF_WORKER = 60 * MB, 30 * MB

COMMANDS = {
    "dedupe": ["dedupe", "DOCS"],
    "shingle": ["shingle", "DOCS", "-o", "x.shingles"],
    "signature": ["signature", "DOCS", "-o", "x.signatures"],
    "index": ["index", "DOCS", "-o", "x.index"],
    "dedupe X.index": ["dedupe", "x.index"],
    "audit X.index": ["audit", "x.index", "--sample", "100"],
    "query X.index ONE": ["query", "x.index", "one.txt"],
    "query X.index DOCS": ["query", "x.index", "DOCS", "--list", "matches"],
}
"""The commands in this order: later ones read the index of an earlier one."""


def own_pss(pid: int) -> int:
    """Return the bytes of memory of a process, where a shared page counts in part; 0 if it has ended."""
    try:
        rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in rollup.splitlines() if line.startswith("Pss:")), 0)


def children(pid: int) -> list[int]:
    """Return the processes that any thread of a process has started, and that have not ended."""
    found = list[int]()
    for thread in Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            found += map(int, thread.read_text().split())
    return found


def pss(pid: int) -> int:
    """Return the bytes of memory of a process and its children, where shared pages count once."""
    return own_pss(pid) + sum(pss(child) for child in children(pid))


def measured(command: list[str], directory: Path) -> tuple[int, float]:
    """Run a command in this directory: return the peak of the memory of all its processes, and seconds."""
    start, peak = time.perf_counter(), 0
    with subprocess.Popen(command, cwd=directory, stdout=subprocess.DEVNULL) as process:
        while process.poll() is None:
            begin = time.perf_counter()
            peak = max(peak, pss(process.pid))
            time.sleep(max(0.02, 4 * (time.perf_counter() - begin)))  # a sample of gigabytes takes long
    if process.returncode:
        raise SystemExit(f"{command}: status {process.returncode}")
    return peak, time.perf_counter() - start


def promised(documents: int, command: str, form: str, jobs: int) -> int:
    """Return the bytes that a command may take for so many small documents.

    The last command has as many in the index as it looks up, and the promise counts both.
    """
    most = FIXED + PER_DOCUMENT * documents * (2 if command == "query X.index DOCS" else 1)
    return most + (of_pyarrow(jobs) if form == "parquet" else 0)


def of_pyarrow(jobs: int) -> int:
    """Return the bytes that pyarrow may take in the program and in its workers, if there are any."""
    return PYARROW + PYARROW_OF_WORKER * (jobs if jobs > 1 else 0)


def write_lines(directory: Path, count: int) -> list[str]:
    """Write a JSON Lines file of generated texts with ids, and return the argument that names them."""
    with (directory / "docs.jsonl").open("w") as file:
        for number, text in enumerate(texts.texts(count, BYTES, seed=1)):
            file.write(json.dumps({"id": f"document-{number:08d}", "text": text}) + "\n")
    return ["docs.jsonl"]


def write_files(directory: Path, count: int) -> list[str]:
    """Write generated texts as files, FAN_OUT in each directory, and return the argument that names them."""
    every = texts.texts(count, BYTES, seed=1)
    for number in range(-(-count // FAN_OUT)):
        below = directory / "docs" / f"{number:04d}"
        below.mkdir(parents=True)
        for at, text in enumerate(islice(every, FAN_OUT)):
            (below / f"document-{at:04d}.txt").write_text(text)
    return ["docs"]


def write_parquet(directory: Path, count: int) -> list[str]:
    """Write a Parquet file of generated texts with ids, in ROW_GROUPS row groups, and return the argument."""
    import pyarrow
    from pyarrow import parquet

    schema = pyarrow.schema([("id", pyarrow.string()), ("text", pyarrow.string())])
    every, size = enumerate(texts.texts(count, BYTES, seed=1)), -(-count // ROW_GROUPS)
    with parquet.ParquetWriter(directory / "docs.parquet", schema) as file:
        while rows := list(islice(every, size)):
            ids, some = [f"document-{number:08d}" for number, _ in rows], [text for _, text in rows]
            file.write_table(pyarrow.table([ids, some], schema=schema))
    return ["docs.parquet"]


FORMS = {"lines": write_lines, "files": write_files, "parquet": write_parquet}


def measurements(
    directory: Path, docs: list[str], jobs: list[int], commands: list[str]
) -> Iterator[tuple[str, int, int, float]]:
    """Yield command, jobs, peak of memory and seconds."""
    (directory / "one.txt").write_text(next(texts.texts(1, BYTES, seed=1)))
    for number in jobs:
        for name in commands:
            words = [word for given in COMMANDS[name] for word in (docs if given == "DOCS" else [given])]
            yield name, number, *measured([SIMDOCS, *words, f"-j{number}"], directory)


def main() -> int:
    """Generate documents, measure, and print a line for each command. Return 1 if one took more than promised."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, nargs="+", default=[100_000, 300_000])
    parser.add_argument("--forms", nargs="+", choices=FORMS, default=list(FORMS))
    parser.add_argument("--jobs", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--commands", nargs="+", choices=COMMANDS, default=list(COMMANDS))
    options = parser.parse_args()
    print("| command | documents | form | -j | peak | promised | seconds |\n|---|---|---|---|---|---|---|")
    broken = False
    for count in options.documents:
        for form in options.forms:
            with tempfile.TemporaryDirectory() as scratch:
                docs = FORMS[form](Path(scratch), count)
                for name, jobs, peak, seconds in measurements(Path(scratch), docs, options.jobs, options.commands):
                    most = promised(count, name, form, jobs)
                    broken |= peak > most
                    took, allowed = (f"{size / MB:,.0f} MB" for size in (peak, most))
                    print(
                        f"| `{name}` | {count:,} | {form} | {jobs} | {took} | {allowed} | {seconds:.1f} |", flush=True
                    )
    return int(broken)


if __name__ == "__main__":
    sys.exit(main())
