"""Measure `simdocs query --nearest 5`: how many of the five most similar texts it finds, and what a query costs.

Some documents of a corpus are left out of the index, and asked about. The truth is computed without code of simdocs,
from all pairs of one of them with a text of the index.

usage: SIMDOCS_CORPORA=/path/to/corpora python benchmarks/nearest.py [--asked 240] [--generated 20000]
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks import corpora, exact, texts

SIMDOCS = str(Path(sys.executable).with_name("simdocs"))
BEST = 5
CHOICES = (("char", 9), ("word", 5))
GENERATED = "generated"

RATES = (0.01, 0.02, 0.03, 0.05, 0.08, 0.1, 0.15, 0.2, 0.3)
"""The shares of words in which the members of a generated family differ from its first text."""

Array = np.ndarray


@dataclass(frozen=True, slots=True)
class Found:
    """What was found of the true best texts of each document asked about, of which there may be fewer than BEST.

    asked: documents that have anything in common with a text of the index. first: how often the first place was right.
    verified: texts that were compared exactly, on average. last: the median similarity of the last of the true best.
    """

    asked: int
    indexed: int
    true: int
    found: int
    first: int
    verified: float
    last: float

    @property
    def share(self) -> float:
        """The fraction of the true best texts that were found."""
        return self.found / max(self.true, 1)


def generated(count: int, seed: int = 7) -> list[str]:
    """Return texts of which each belongs to a family of 12, which have between nearly all and little in common."""
    rng = random.Random(seed)
    words = texts.vocabulary(rng)
    weights = [1 / rank for rank in range(1, len(words) + 1)]
    weights = np.cumsum(weights).tolist()
    out = []
    while len(out) < count:
        first = rng.choices(words, cum_weights=weights, k=rng.randrange(60, 400))
        out += [" ".join(texts.edited(first, rng.choice(RATES), words, weights, rng)) for _ in range(12)]
    rng.shuffle(out)
    return out[:count]


def read(name: str, unit: str) -> list[str]:
    """Return the texts of a corpus, without those that `exact` shingles by another rule than simdocs."""
    return corpora.read(name, "char" if unit == "char" else "word").texts


def hashes(text: str, unit: str, k: int) -> Array:
    """Return the different shingles of a text as 64-bit numbers, ascending."""
    return np.unique(np.fromiter(map(hash, exact.shingles(text, unit, k)), np.int64))


def best(asked: Sequence[str], others: Sequence[str], unit: str, k: int, number: int = BEST) -> list[Array]:
    """Return the similarities of the most similar different texts of each text asked about, the largest first."""
    different = {shingles.tobytes(): shingles for shingles in (hashes(text, unit, k) for text in others)}
    tops = [np.zeros(number) for _ in asked]
    mine = [hashes(text, unit, k) for text in asked]
    known = np.unique(np.concatenate(mine))
    member = np.stack([np.isin(known, shingles) for shingles in mine], axis=1).astype(np.float32)
    sizes = np.array([len(shingles) for shingles in mine])
    for shingles in different.values():
        places = np.minimum(np.searchsorted(known, shingles), len(known) - 1)
        common = member[places[known[places] == shingles]].sum(axis=0)
        jaccard = common / (sizes + len(shingles) - common)
        for at in np.flatnonzero(jaccard > [top[-1] for top in tops]).tolist():
            tops[at] = -np.sort(-np.append(tops[at], jaccard[at]))[:number]
    return [top[top > 0] for top in tops]


def write(path: Path, prefix: str, some: Sequence[str]) -> None:
    """Write texts as JSON Lines."""
    with path.open("w", encoding="utf-8", errors="surrogatepass") as file:
        file.writelines(json.dumps({"id": f"{prefix}{row}", "text": text}) + "\n" for row, text in enumerate(some))


def measure(every: Sequence[str], unit: str, k: int, asked: int, scratch: Path, *options: str) -> Found:
    """Leave some texts out of an index of all others, and ask for the nearest ones of each."""
    rows = sorted(random.Random(1).sample(range(len(every)), min(asked, len(every) // 3)))
    out = set(rows)
    mine, others = [every[row] for row in rows], [text for row, text in enumerate(every) if row not in out]
    write(scratch / "asked.jsonl", "q", mine)
    write(scratch / "others.jsonl", "d", others)
    run(scratch, "index", "others.jsonl", "-o", "others.index", "--unit", unit, "-k", str(k))
    summary = scratch / "summary.json"
    listed: dict[str, list[float]] = {f"asked.jsonl#q{row}": [] for row in range(len(mine))}
    nearest = ("query", "others.index", "asked.jsonl", "--nearest", str(BEST), "--summary-json", str(summary), *options)
    for line in run(scratch, *nearest).splitlines():
        name, _, jaccard, _ = line.split("\t")
        listed[name].append(float(jaccard))
    true = best(mine, others, unit, k)
    pairs = list(zip(listed.values(), true, strict=True))
    return Found(
        sum(len(top) > 0 for top in true),
        len(others),
        sum(map(len, true)),
        sum(sum(jaccard > top[-1] - 1e-6 for jaccard in given) for given, top in pairs if len(top)),
        sum(bool(given) and given[0] > top[0] - 1e-6 for given, top in pairs if len(top)),
        json.loads(summary.read_bytes())["verified"] / len(mine),
        float(np.median([top[-1] if len(top) else 0.0 for top in true])),
    )


def run(scratch: Path, *arguments: str) -> str:
    """Return what simdocs prints."""
    return subprocess.run([SIMDOCS, *arguments, "-q"], cwd=scratch, stdout=subprocess.PIPE, check=True).stdout.decode()


def cases(count: int) -> Iterator[tuple[str, str, int, list[str]]]:
    """Yield each corpus with each way to shingle it."""
    for unit, k in CHOICES:
        for name in corpora.NAMES:
            if corpora.absent(name) is None:
                yield name, unit, k, read(name, unit)
        yield GENERATED, unit, k, generated(count)


def main() -> None:
    """Print a row for each corpus and unit."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--asked", type=int, default=240)
    parser.add_argument("--generated", type=int, default=20_000)
    given = parser.parse_args()
    print("| corpus | unit, k | texts | fifth place | first place right | found of the best five | compared |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name, unit, k, every in cases(given.generated):
        with tempfile.TemporaryDirectory() as scratch:
            found = measure(every, unit, k, given.asked, Path(scratch))
        print(
            f"| {name} | {unit} {k} | {found.indexed:,} | {found.last:.2f} | {found.first} of {found.asked} |"
            f" {found.share:.1%} | {found.verified:,.0f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
