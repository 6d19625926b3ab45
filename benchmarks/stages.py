"""Measure each stage on its own (text per CPU second, bytes on disk per document), and a query with one document.

usage: python benchmarks/stages.py [--files 20000] [--bytes 4000] [--indexed 200000] [--runs 5]
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks import texts
from benchmarks.dedupe import SIMDOCS, UNITS, measured

QUERIED_BYTES = 600


def medians(command: list[str], runs: int) -> tuple[float, float, int]:
    """Return medians of CPU seconds, wall seconds and resident bytes of whole processes."""
    taken = [measured(command) for _ in range(runs)]
    cpu, wall, peak = (statistics.median(column) for column in zip(*taken, strict=True))
    return cpu, wall, int(peak)


def on_disk(artifact: Path) -> int:
    """Return the bytes of an artifact's files."""
    return sum(file.stat().st_size for file in artifact.iterdir())


def stages(directory: Path, size: int, count: int, unit: str, runs: int) -> None:
    """Print a line for each stage, from documents and from the stage before."""
    scratch = directory.parent
    options = ["--unit", unit, "-j1"]
    made = {name: str(scratch / f"{unit}.{name}") for name in ("shingles", "signatures", "index")}
    lines = (
        ("shingle DOCS", ["shingle", str(directory), *options, "-o", made["shingles"]], made["shingles"]),
        ("signature X.shingles", ["signature", made["shingles"], "-j1", "-o", made["signatures"]], made["signatures"]),
        ("index X.signatures", ["index", made["signatures"], "-j1", "-o", made["index"]], made["index"]),
        ("dedupe X.index", ["dedupe", made["index"], "-j1"], None),
        ("dedupe X.index --shingles", ["dedupe", made["index"], "--shingles", made["shingles"], "-j1"], None),
        ("index DOCS", ["index", str(directory), *options, "-o", made["index"]], None),
    )
    for name, command, artifact in lines:
        cpu, wall, peak = medians([SIMDOCS, *command], runs)
        disk = f", {on_disk(Path(artifact)) / count:,.0f} bytes a document" if artifact else ""
        print(
            f"{unit:4} k={UNITS[unit]} {name:26} {size / cpu / 1e6:6.1f} MB of text per CPU second"
            f" (CPU {cpu:.2f} s, wall {wall:.2f} s), {peak / 2**20:.0f} MiB resident{disk}"
        )


def query(scratch: Path, count: int, runs: int) -> None:
    """Print the time of a query with one document, in an index of `count` documents."""
    every = scratch / "many.jsonl"
    with every.open("w") as file:
        for number, text in enumerate(texts.texts(count, QUERIED_BYTES, seed=2)):
            file.write(json.dumps({"id": number, "text": text}) + "\n")
            if number == count // 2:
                (scratch / "one.txt").write_text(text + " and a few words more")
    index = str(scratch / "many.index")
    cpu, wall, peak = medians([SIMDOCS, "index", str(every), "-o", index], 1)
    disk = on_disk(Path(index)) / count
    print(f"index of {count:,} documents: CPU {cpu:.1f} s, wall {wall:.1f} s, {disk:,.0f} bytes a document")
    cpu, wall, peak = medians([SIMDOCS, "query", index, str(scratch / "one.txt")], 2 * runs + 1)
    print(f"query of one document: whole process {wall:.2f} s (CPU {cpu:.2f} s), {peak / 2**20:.0f} MiB resident")


def main() -> None:
    """Generate files, measure, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=20_000)
    parser.add_argument("--bytes", type=int, default=4_000)
    parser.add_argument("--indexed", type=int, default=200_000)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        directory = Path(scratch, "texts")
        size = texts.write(directory, texts.texts(options.files, options.bytes, seed=1))
        print(f"{options.files:,} files, {size / 1e6:.1f} MB; medians of {options.runs} whole processes, one worker")
        for unit in UNITS:
            stages(directory, size, options.files, unit, options.runs)
        query(Path(scratch), options.indexed, options.runs)


if __name__ == "__main__":
    main()
