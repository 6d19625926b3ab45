"""Measure what a character of each script costs `simdocs dedupe`, as a multiple of an ASCII character.

Whole processes are measured in turn. The time of a run without documents is subtracted.

usage: python benchmarks/scripts.py [--files 5000] [--characters 3000] [--runs 3]
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.dedupe import SIMDOCS, UNITS, measured

SCRIPTS = {
    # The letters of which random words are made, and what stands between words. Marks are as frequent as in prose.
    "ASCII": ("abcdefghijklmnop", " "),
    "Cyrillic": ("абвгдежзийклмноп", " "),
    "Han": ("".join(map(chr, range(0x4E00, 0x5600))), ""),
    "Thai": ("กขคงจฉชซญฎฏฐดตถทธนบปผฝพฟภมยรลวศษสหฬอัาิีึืุู", ""),
    "Hindi": ("कखगघङचछजझञिीुूेैोौ्", " "),
}


def write(directory: Path, script: str, files: int, characters: int) -> None:
    """Write files of this many characters of a script, in words of two to nine letters."""
    letters, space = SCRIPTS[script]
    rng = random.Random(3)
    directory.mkdir()
    for number in range(files):
        words = ("".join(rng.choices(letters, k=rng.randint(2, 9))) for _ in range(characters // 3))
        (directory / str(number)).write_text(space.join(words)[:characters], encoding="utf-8")


def cost(directory: Path, unit: str) -> float:
    """Return the CPU seconds of a run with one worker."""
    return measured([SIMDOCS, "dedupe", str(directory), "--unit", unit, "-j1", "-q"])[0]


def main() -> None:
    """Print a line for every unit and script."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=5000)
    parser.add_argument("--characters", type=int, default=3000)
    parser.add_argument("--runs", type=int, default=3)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        nothing = Path(scratch, "nothing")
        nothing.mkdir()
        for script in SCRIPTS:
            write(Path(scratch, script), script, given.files, given.characters)
        for unit in UNITS:
            taken: dict[str, list[float]] = {script: [] for script in SCRIPTS}
            for _ in range(given.runs):
                start = cost(nothing, unit)
                for script, seconds in taken.items():
                    seconds.append(cost(Path(scratch, script), unit) - start)
            for script, seconds in taken.items():
                each = statistics.median(seconds) / given.files / given.characters * 1e9
                ratio = statistics.median(a / b for a, b in zip(seconds, taken["ASCII"], strict=True))
                print(f"{unit:4} k={UNITS[unit]} {script:8} {each:6.1f} ns of CPU a character, {ratio:.2f} times ASCII")


if __name__ == "__main__":
    main()
