"""Measure how the work of `simdocs dedupe` divides: into that of its own process, which cores share in no way, and that
of its workers. The time for any number of cores is computed from both, and compared with what is measured.

Runs with one worker and with two are measured in turn.

usage: python benchmarks/cores.py [--documents 200000] [--bytes 2000] [--forms lines files] [--jobs 2] [--runs 5]
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.dedupe import UNITS
from benchmarks.memory import FORMS

PROGRAM = """
import atexit, os, resource, sys
own = os.getpid()
def taken(who):
    return sum(resource.getrusage(who)[:2])
def tell():
    if os.getpid() == own:
        print(taken(resource.RUSAGE_SELF), taken(resource.RUSAGE_CHILDREN), file=sys.stderr)
atexit.register(tell)
from simdocs.__main__ import console
console()
"""
"""Runs simdocs, and then prints the CPU seconds of its own process and of its workers."""

CORES = (2, 4, 8, 16, 64)


class Taken(NamedTuple):
    """The CPU seconds of a run in its own process and in workers, and its seconds by the clock."""

    own: float
    workers: float
    wall: float

    def at(self, cores: int) -> float:
        """Return the seconds that this run would take with so many cores, if nobody waited for the own process but in
        the time that it works."""
        return self.own + self.workers / cores


def run(directory: Path, docs: Sequence[str], unit: str, jobs: int) -> Taken:
    """Run `simdocs dedupe` on documents in a directory, and return what it takes."""
    command = [sys.executable, "-c", PROGRAM, "dedupe", *docs, "--unit", unit, f"-j{jobs}", "-q"]
    start = time.perf_counter()
    ended = subprocess.run(
        command, cwd=directory, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=True
    )
    wall = time.perf_counter() - start
    own, workers = map(float, ended.stderr.split("\n")[-2].split())
    return Taken(own, workers, wall)


def median(runs: Sequence[Taken]) -> Taken:
    """Return the median of each figure."""
    return Taken(*map(statistics.median, zip(*runs, strict=True)))


def main() -> None:
    """Print a paragraph for every form of the documents and every unit."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=200_000)
    parser.add_argument("--bytes", type=int, default=2_000)
    parser.add_argument("--forms", nargs="+", choices=list(FORMS), default=["lines", "files"])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--runs", type=int, default=5)
    given = parser.parse_args()
    for form in given.forms:
        with tempfile.TemporaryDirectory() as scratch:
            where = Path(scratch)
            docs = FORMS[form](where, given.documents, given.bytes)
            for unit in UNITS:
                run(where, docs, unit, given.jobs)  # fills the file cache
                pairs = [(run(where, docs, unit, 1), run(where, docs, unit, given.jobs)) for _ in range(given.runs)]
                one, several = (median(runs) for runs in zip(*pairs, strict=True))
                faster = [alone.wall / shared.wall for alone, shared in pairs]
                computed = ", ".join(f"{cores} cores {several.at(cores):.2f} s" for cores in CORES)
                print(
                    f"{given.documents:,} {form} of {given.bytes:,} bytes by {unit}: -j1 {one.wall:.2f} s;"
                    f" -j{given.jobs} {several.wall:.2f} s ({statistics.median(faster):.2f} times faster,"
                    f" {min(faster):.2f} to {max(faster):.2f})\n    own process {several.own:.2f} s of CPU"
                    f" ({several.own / (several.own + several.workers):.1%}); workers {several.workers:.2f} s\n"
                    f"    computed: {computed}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
