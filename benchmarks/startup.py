"""Measure the start: the CPU time of `simdocs --version` as a multiple of that of `python -c pass`.

Python is started without `site`, whose time depends on what is installed on the machine. The commands run in turn, and
the smallest time of each counts, because other programs run on the machine, too.

usage: python benchmarks/startup.py [--runs 9]
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
from pathlib import Path

COMMANDS = {
    "python -c pass": (sys.executable, "-I", "-S", "-c", "pass"),
    "import click": (sys.executable, "-I", "-c", "import click"),
    "simdocs --version": (str(Path(sys.executable).with_name("simdocs")), "--version"),
    "simdocs dedupe --help": (str(Path(sys.executable).with_name("simdocs")), "dedupe", "--help"),
}


def cpu_seconds(*command: str) -> float:
    """Return the seconds of CPU, user and system, that a process takes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main() -> None:
    """Print the CPU time of each command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=9)
    runs = parser.parse_args().runs
    turns = [[cpu_seconds(*command) for command in COMMANDS.values()] for _ in range(runs)]
    least = dict(zip(COMMANDS, map(min, zip(*turns, strict=True)), strict=True))
    for name, seconds in least.items():
        print(f"{name:<22} {seconds * 1000:6.1f} ms  {seconds / least['python -c pass']:5.1f} times python")


if __name__ == "__main__":
    main()
