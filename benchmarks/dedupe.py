"""Measure speed, memory, precision and recall of `simdocs dedupe`, as whole processes from files to answer.

Speed is measured on generated texts, and on real ones if SIMDOCS_CORPORA names them. With --crowd, only crowds are
measured: texts on one template, almost all pairs of which are just below the threshold, with and without --exact.

usage: python benchmarks/dedupe.py [--files 20000] [--bytes 4000] [--runs 5] [--jobs N] [--crowd]
"""

from __future__ import annotations

import argparse
import os
import shlex
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from math import inf
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks import corpora, exact, groups, texts

SIMDOCS = str(Path(sys.executable).with_name("simdocs"))
THRESHOLD = 0.8
NEAR = 0.0005
CHECKED = 3000
UNITS = {"char": 9, "word": 5}
REAL = ("peps_history_pd", "licences_scancode")


def resident(pid: int) -> int:
    """Return an upper bound of the resident bytes of a process and its children: shared pages count in each."""
    try:
        own = int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except (OSError, IndexError):
        return 0
    return own + sum(resident(int(child)) for child in children)


class Failed(SystemExit):
    """A command that failed. It ends the program, and says which command and why, unless it is caught."""

    def __init__(self, command: list[str], why: str) -> None:
        super().__init__(f"{shlex.join(command)}: {why}")
        self.why = why


def measured(command: list[str], env: dict[str, str] | None = None, limit: float = inf) -> tuple[float, float, int]:
    """Run a command: return the CPU seconds of it and its children, wall seconds, and the peak of resident bytes.

    Failed: its exit status is not 0, or it ran for more than `limit` seconds.
    """
    start = time.perf_counter()
    said = tempfile.TemporaryFile()  # noqa: SIM115  (a pipe that nobody reads would stop the command)
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=said, env=env, start_new_session=True)
    peak = 0

    def watch() -> None:
        nonlocal peak
        while process.returncode is None:
            peak = max(peak, resident(process.pid))
            if time.perf_counter() - start > limit:
                os.killpg(process.pid, signal.SIGKILL)
                return
            # A small program has ended after a few hundredths of a second.
            time.sleep(min(0.02, 0.001 + (time.perf_counter() - start) / 20))

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        _, status, usage = os.wait4(process.pid, 0)
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        raise
    process.returncode = os.waitstatus_to_exitcode(status)
    watcher.join()
    wall = time.perf_counter() - start
    with said:
        said.seek(0)
        lines = said.read().decode(errors="replace").split("\n")
    if wall > limit and process.returncode == -signal.SIGKILL:
        raise Failed(command, f"stopped after {limit:.0f} seconds")
    if process.returncode:
        last = next((line for line in reversed(lines) if line.strip()), "it said nothing")
        raise Failed(command, f"status {process.returncode}: {last}")
    return usage.ru_utime + usage.ru_stime, wall, peak


def speed(directory: Path, size: int, unit: str, runs: int, jobs: list[str]) -> str:
    """Return one line of figures: medians of whole processes."""
    command = [SIMDOCS, "dedupe", str(directory), "--unit", unit, *jobs]
    measured(command)  # fills the file cache
    taken = [measured(command) for _ in range(runs)]
    cpu, wall, peak = (statistics.median(column) for column in zip(*taken, strict=True))
    low, high = min(row[0] for row in taken), max(row[0] for row in taken)
    return (
        f"{unit:4} k={UNITS[unit]}: {size / cpu / 1e6:5.1f} MB per CPU second"
        f" (CPU {cpu:.2f} s, {low:.2f} to {high:.2f}; wall {wall:.2f} s), {peak / 2**20:.0f} MiB resident at most"
    )


CROWDS = {(800, "end"): 0.125, (800, "scattered"): 0.0325, (4000, "scattered"): 0.035}
"""The share of its words in which a text of so many bytes differs from its template, and where these words are."""


def crowds(count: int, runs: int, jobs: list[str]) -> Iterator[str]:
    """Yield two lines of figures for each crowd of so many texts."""
    for (size, kind), own in CROWDS.items():
        with tempfile.TemporaryDirectory() as scratch:
            written = texts.write(Path(scratch), texts.crowd(count, size, own, kind, seed=1))
            yield f"{count} texts of {size} bytes, {own:.2%} of the words {kind}"
            for more in ([], ["--exact"]):
                yield speed(Path(scratch), written, "char", runs, [*more, *jobs])


def accuracy(directory: Path, count: int, unit: str) -> str:
    """Return the precision and recall of the pairs among the first documents, compared with brute force.

    Tokens of 4 bytes collide now and then, which changes a similarity by one shingle. So pairs within NEAR of the
    threshold are not counted.
    """
    files = sorted(directory.rglob("*.txt"))[:count]
    number = {str(path): at for at, path in enumerate(files)}
    truth = exact.pairs([path.read_text() for path in files], unit, UNITS[unit], THRESHOLD - NEAR)
    clear = {pair for pair, jaccard in truth.items() if jaccard >= THRESHOLD + NEAR}
    command = [SIMDOCS, "pairs", "--files-from", "-", "--all-copies", "--unit", unit]
    answer = subprocess.run(command, input="\n".join(number), capture_output=True, text=True, check=True).stdout
    rows = [line.split("\t") for line in answer.splitlines()]
    found = {(number[row[0]], number[row[1]]): float(row[2]) for row in rows}
    right = [pair for pair in found if pair in truth]
    off = max((abs(truth[pair] - found[pair]) for pair in right), default=0.0)
    return (
        f"{unit:4} k={UNITS[unit]}: {len(files)} documents, {len(clear)} pairs above {THRESHOLD},"
        f" {len(truth) - len(clear)} within {NEAR} of it: precision {len(right) / max(1, len(found)):.4f},"
        f" recall {len(clear & found.keys()) / max(1, len(clear)):.4f}, similarities off by {off:.6f} at most"
    )


def main() -> None:
    """Generate files, measure, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=20_000)
    parser.add_argument("--bytes", type=int, default=4_000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--crowd", action="store_true")
    options = parser.parse_args()
    jobs = ["-j", str(options.jobs)] if options.jobs else []
    if options.crowd:
        for line in crowds(options.files, options.runs, jobs):
            print(line, flush=True)
        return
    with tempfile.TemporaryDirectory() as scratch:
        directory = Path(scratch, "texts")
        size = texts.write(directory, texts.texts(options.files, options.bytes, seed=1))
        print(f"{options.files} files, {size / 1e6:.1f} MB; medians of {options.runs} whole processes")
        for unit in UNITS:
            print(speed(directory, size, unit, options.runs, jobs))
        for unit in UNITS:
            print(accuracy(directory, CHECKED, unit))
        for name in REAL:
            if reason := corpora.absent(name):
                print(reason)
                continue
            corpus = corpora.read(name, "char")
            groups.lay(corpus, Path(scratch, name))
            size = sum(len(text.encode()) for text in corpus.texts)
            print(f"{name}: {len(corpus.texts)} files, {size / 1e6:.1f} MB")
            for unit in UNITS:
                print(speed(Path(scratch, name), size, unit, options.runs, jobs))


if __name__ == "__main__":
    main()
