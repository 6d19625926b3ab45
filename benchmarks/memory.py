"""Measure the memory and the CPU time of commands at growing numbers of documents, all processes together.

usage: python benchmarks/memory.py [--documents 100000 300000] [--bytes 300] [--forms lines files parquet] [--jobs 1 2]
    [--commands ...] [--rows 10000000]

Memory is compared with the promise: 1,000 bytes a document, 200 MB, and 16 bytes a character of the largest document;
for Parquet, also 60 MB and 30 MB for each worker. CPU time is compared with that for the smallest number of documents:
for each document it may grow by a factor of 1.3. The exit status is 1 if a command took more.

--rows: measure only index and query, with an artifact of so many signatures that are drawn. There are no texts, so the
matches of the query are estimates.

Memory is the sum of Pss in /proc/PID/smaps_rollup over the program and its workers, sampled about 50 times a second: a
page that several processes share counts once. Pages of artifacts that are memory-mapped count while they are mapped,
although the system could take them back.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks import texts

SIMDOCS = str(Path(sys.executable).with_name("simdocs"))
BYTES = 300
FAN_OUT = 1000
ROW_GROUPS = 20
MB = 10**6
PER_DOCUMENT, FIXED = 1000, 200 * MB
PYARROW, PYARROW_OF_WORKER = 60 * MB, 30 * MB
GROWS = 1.3
"""By how much the CPU time for a document may grow."""

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

COMMANDS_OF_ROWS = {
    "index X.signatures": ["index", "x.signatures", "-o", "x.index"],
    "query X.index 1": ["query", "x.index", "one.signatures", "--verify", "estimate"],
    "query X.index 1000": ["query", "x.index", "some.signatures", "--verify", "estimate"],
}
"""The commands for signatures that are drawn."""


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


def cpu_of_children() -> float:
    """Return the CPU seconds of all processes that this one has started and that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measured(command: list[str], directory: Path) -> tuple[int, float, float]:
    """Run a command in this directory: return the peak of the memory of all its processes, seconds, and CPU seconds."""
    start, before, peak = time.perf_counter(), cpu_of_children(), 0
    with subprocess.Popen(command, cwd=directory, stdout=subprocess.DEVNULL) as process:
        while process.poll() is None:
            begin = time.perf_counter()
            peak = max(peak, pss(process.pid))
            time.sleep(max(0.02, 4 * (time.perf_counter() - begin)))  # a sample of gigabytes takes long
    if process.returncode:
        raise SystemExit(f"{command}: status {process.returncode}")
    return peak, time.perf_counter() - start, cpu_of_children() - before


def promised(documents: int, command: str, form: str, jobs: int) -> int:
    """Return the bytes that a command may take for so many small documents.

    The last command has as many in the index as it looks up, and the promise counts both.
    """
    most = FIXED + PER_DOCUMENT * documents * (2 if command == "query X.index DOCS" else 1)
    return most + (of_pyarrow(jobs) if form == "parquet" else 0)


def of_pyarrow(jobs: int) -> int:
    """Return the bytes that pyarrow may take in the program and in its workers, if there are any."""
    return PYARROW + PYARROW_OF_WORKER * (jobs if jobs > 1 else 0)


def write_lines(directory: Path, count: int, size: int = BYTES) -> list[str]:
    """Write a JSON Lines file of generated texts with ids, and return the argument that names them."""
    with (directory / "docs.jsonl").open("w") as file:
        for number, text in enumerate(texts.texts(count, size, seed=1)):
            file.write(json.dumps({"id": f"document-{number:08d}", "text": text}) + "\n")
    return ["docs.jsonl"]


def write_files(directory: Path, count: int, size: int = BYTES) -> list[str]:
    """Write generated texts as files, FAN_OUT in each directory, and return the argument that names them."""
    every = texts.texts(count, size, seed=1)
    for number in range(-(-count // FAN_OUT)):
        below = directory / "docs" / f"{number:04d}"
        below.mkdir(parents=True)
        for at, text in enumerate(islice(every, FAN_OUT)):
            (below / f"document-{at:04d}.txt").write_text(text)
    return ["docs"]


def write_parquet(directory: Path, count: int, size: int = BYTES) -> list[str]:
    """Write a Parquet file of generated texts with ids, in ROW_GROUPS row groups, and return the argument."""
    import pyarrow
    from pyarrow import parquet

    schema = pyarrow.schema([("id", pyarrow.string()), ("text", pyarrow.string())])
    every, together = enumerate(texts.texts(count, size, seed=1)), -(-count // ROW_GROUPS)
    with parquet.ParquetWriter(directory / "docs.parquet", schema) as file:
        while rows := list(islice(every, together)):
            ids, some = [f"document-{number:08d}" for number, _ in rows], [text for _, text in rows]
            file.write_table(pyarrow.table([ids, some], schema=schema))
    return ["docs.parquet"]


FORMS = {"lines": write_lines, "files": write_files, "parquet": write_parquet}


DRAWN_AT_ONCE = 1 << 16
"""Signatures that are drawn together."""

EDITED_PLACES = 0.1
"""The share of the places in which a signature that is an edited copy differs."""


def drawn_signatures(rows: int, seed: int) -> Iterator[np.ndarray]:
    """Yield so many signatures in blocks: a third of them are edited copies of others in their block."""
    from simdocs.options.recipes import Sketching

    draw, places = np.random.default_rng(seed), Sketching().num_perm
    for at in range(0, rows, DRAWN_AT_ONCE):
        block = draw.integers(0, 1 << 32, (min(DRAWN_AT_ONCE, rows - at), places), np.uint32)
        copies = np.flatnonzero(draw.random(len(block)) < texts.EDITED)
        edited = draw.random((len(copies), places)) < EDITED_PLACES
        block[copies] = np.where(edited, block[copies], block[draw.integers(0, len(block), len(copies))])
        yield block


def write_signatures(directory: Path, name: str, rows: int, seed: int) -> None:
    """Write an artifact of drawn signatures, as if they were those of the lines of a file that is gone."""
    from simdocs.artifacts.writer import write_artifact
    from simdocs.model.documents import DOCUMENT, FILE, Documents, SourceFiles
    from simdocs.model.ragged import Ragged
    from simdocs.options.recipes import Sequences, Shingling, SignatureRecipe, Sketching

    numbers, file, extent = np.arange(rows), f"{name}.jsonl", 600
    facts = np.zeros(rows, DOCUMENT)
    facts["size"], facts["length"], facts["count"], facts["container"] = extent, extent, extent - 8, len(file)
    facts["start"], facts["extent"], facts["line"] = numbers * (extent + 1), extent, numbers + 1
    facts["digest"] = facts["set_digest"] = np.random.default_rng(seed).integers(0, 1 << 64, (rows, 2), np.uint64)
    digits = np.char.zfill(numbers.astype("S8"), 8)
    width = len(file) + 1 + 8
    names = np.empty((rows, width), np.uint8)
    names[:, :-8] = np.frombuffer(f"{file}#".encode(), np.uint8)
    names[:, -8:] = digits.view(np.uint8).reshape(rows, 8)
    documents = Documents(Ragged(names.ravel(), np.arange(rows + 1) * width), facts, SourceFiles(np.zeros(1, FILE)), {})
    recipe = SignatureRecipe(sequences=Sequences(), shingling=Shingling(k=9), sketching=Sketching())
    with write_artifact(str(directory / f"{name}.signatures"), "signatures") as writer:
        for block in drawn_signatures(rows, seed):
            writer.append("signatures", block)
        writer.append("ignored", np.empty(0, np.uint32))
        writer.finish(documents, recipe, {"root": str(directory)})


def measurements(
    directory: Path, docs: list[str], jobs: list[int], commands: list[str]
) -> Iterator[tuple[str, int, int, float, float]]:
    """Yield command, jobs, peak of memory, seconds, and CPU seconds."""
    (directory / "one.txt").write_text(next(texts.texts(1, BYTES, seed=1)))
    for number in jobs:
        for name in commands:
            words = [word for given in COMMANDS[name] for word in (docs if given == "DOCS" else [given])]
            yield name, number, *measured([SIMDOCS, *words, f"-j{number}"], directory)


def signed(directory: Path, rows: int) -> None:
    """Write drawn signatures for COMMANDS_OF_ROWS. Most of those that are looked up have a match."""
    write_signatures(directory, "x", rows, seed=1)
    write_signatures(directory, "one", 1, seed=1)
    write_signatures(directory, "some", 1000, seed=1)


class Table:
    """Prints a line for each measurement. broken: whether a command took more than it may."""

    def __init__(self) -> None:
        self.broken = False
        self._first: dict[tuple[str, str, int], float] = {}
        """CPU seconds for a document, for the smallest number of documents."""
        print(
            "| command | documents | form | -j | peak | promised | seconds | CPU ms for each document | growth |\n"
            "|---|---|---|---|---|---|---|---|---|"
        )

    def add(self, name: str, count: int, form: str, jobs: int, taken: tuple[int, float, float]) -> None:
        """Print what a command took: the peak of memory, seconds, and CPU seconds."""
        peak, seconds, cpu = taken
        most, each = promised(count, name, form, jobs), cpu / count
        growth = each / self._first.setdefault((name, form, jobs), each)
        self.broken |= peak > most or growth > GROWS
        took, allowed = (f"{size / MB:,.0f} MB" for size in (peak, most))
        figures = f"{took} | {allowed} | {seconds:.1f} | {1000 * each:.3f} | {growth:.2f}"
        print(f"| `{name}` | {count:,} | {form} | {jobs} | {figures} |", flush=True)


def main() -> int:
    """Generate documents, measure, and print a line for each command. Return 1 if one took more than it may."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, nargs="+", default=[100_000, 300_000])
    parser.add_argument("--bytes", type=int, default=BYTES)
    parser.add_argument("--forms", nargs="+", choices=FORMS, default=list(FORMS))
    parser.add_argument("--jobs", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--commands", nargs="+", choices=COMMANDS, default=list(COMMANDS))
    parser.add_argument("--rows", type=int)
    options = parser.parse_args()
    table = Table()
    if options.rows:
        with tempfile.TemporaryDirectory() as scratch:
            signed(Path(scratch), options.rows)
            for jobs in options.jobs:
                for name, words in COMMANDS_OF_ROWS.items():
                    taken = measured([SIMDOCS, *words, f"-j{jobs}"], Path(scratch))
                    table.add(name, options.rows, "signatures", jobs, taken)
        return int(table.broken)
    for count in sorted(options.documents):
        for form in options.forms:
            with tempfile.TemporaryDirectory() as scratch:
                docs = FORMS[form](Path(scratch), count, options.bytes)
                for name, jobs, *taken in measurements(Path(scratch), docs, options.jobs, options.commands):
                    table.add(name, count, form, jobs, (taken[0], taken[1], taken[2]))
    return int(table.broken)


if __name__ == "__main__":
    sys.exit(main())
