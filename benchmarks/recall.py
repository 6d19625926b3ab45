"""Recall and precision of `simdocs dedupe --pairs` on a corpus with exact truth, seed by seed."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from math import sqrt
from pathlib import Path

import numpy as np

from benchmarks import collisions
from benchmarks.corpora import BY_DOCUMENT, Array, Corpus, Truth

SIMDOCS = str(Path(sys.executable).with_name("simdocs"))
STANDARD_ERRORS = 3


@dataclass(frozen=True, slots=True)
class Found:
    """What one run found: pairs as keys, ascending, and their similarities."""

    keys: Array
    jaccard: Array
    bands: int
    rows: int


@dataclass(frozen=True, slots=True)
class Seed:
    """What one seed gave."""

    pairs: float
    """Share of the true pairs that was found."""
    documents: float
    """Share of the documents of true pairs of which one was found."""
    found: int
    """Pairs found that are not too near to the threshold to count."""
    false: int
    moved: int
    """Found pairs whose similarity is not that of the truth to six digits."""


@dataclass(frozen=True, slots=True)
class Recall:
    """All seeds of a corpus, a unit and a threshold, and what was predicted."""

    corpus: str
    unit: str
    threshold: float
    documents: int
    left_out: int
    true: int
    in_pairs: int
    near: int
    bands: int
    rows: int
    pairs_predicted: float
    documents_predicted: float
    """By the most similar pair of each."""
    documents_independent: float
    """If all pairs of a document were found independently."""
    seeds: tuple[Seed, ...]
    unexplained: int
    """Of the similarities moved under the first seed: those that colliding tokens do not explain."""

    def measured(self, what: str) -> tuple[float, float, float]:
        """Mean, standard error of the mean, and least over the seeds, of `pairs` or `documents`."""
        shares = np.array([getattr(seed, what) for seed in self.seeds])
        error = shares.std(ddof=1) / sqrt(len(shares)) if len(shares) > 1 else 0.0
        return float(shares.mean()), float(error), float(shares.min())

    def predicted(self, what: str) -> float:
        """What the mean should be at least."""
        return float(getattr(self, f"{what}_predicted"))

    @property
    def scored(self) -> str:
        """What the corpus is scored by."""
        return "documents" if self.corpus in BY_DOCUMENT else "pairs"

    @property
    def holds(self) -> bool:
        """Whether the mean is not below the prediction by more than the standard error explains."""
        mean, error, _ = self.measured(self.scored)
        return mean >= self.predicted(self.scored) - STANDARD_ERRORS * error

    @property
    def precision(self) -> float:
        """Share of the pairs found, under all seeds, that are true."""
        found = sum(seed.found for seed in self.seeds)
        return 1 - sum(seed.false for seed in self.seeds) / max(1, found)


def measure(corpus: Corpus, threshold: float, seeds: int, scratch: Path) -> Recall:
    """So many seeds of one corpus at one threshold."""
    file = scratch / f"{corpus.name}-{corpus.unit}.jsonl"
    file.write_bytes(b"".join(corpus.lines))
    truth = corpus.at(threshold)
    runs = []
    unexplained = 0
    for seed in range(seeds):
        found = run(corpus, file, threshold, seed)
        moved = collisions.moved(corpus, found.keys, found.jaccard)
        if seed == 0:
            unexplained = sum(not collisions.explained(corpus, pair, seed) for pair in moved)
        runs.append(judged(corpus, truth, found, len(moved)))
    file.unlink()
    chance = 1 - (1 - truth.jaccard**found.rows) ** found.bands
    ends = np.concatenate(np.divmod(truth.clear, len(corpus.names)))
    best, missed = np.zeros(len(corpus.names)), np.ones(len(corpus.names))
    np.maximum.at(best, ends, np.tile(chance, 2))
    np.multiply.at(missed, ends, np.tile(1 - chance, 2))
    in_pairs = np.unique(ends)
    return Recall(
        corpus.name,
        corpus.unit,
        threshold,
        len(corpus.names),
        corpus.left_out,
        len(truth.clear),
        len(in_pairs),
        len(truth.near),
        found.bands,
        found.rows,
        float(chance.mean()),
        float(best[in_pairs].mean()),
        float(1 - missed[in_pairs].mean()),
        tuple(runs),
        unexplained,
    )


def run(corpus: Corpus, file: Path, threshold: float, seed: int, *options: str) -> Found:
    """What the program finds in a file of the corpus's documents."""
    summary = file.with_suffix(".summary")
    command = [SIMDOCS, "dedupe", str(file), "--pairs", "--all-copies", "--format", "jsonl", "-q"]
    command += ["--unit", corpus.unit, "-k", str(corpus.k), "--threshold", str(threshold), "--seed", str(seed)]
    command += ["--summary-json", str(summary), *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout
        rows = [json.loads(line) for line in process.stdout]
    if process.returncode:
        raise SystemExit(f"{command} ended with {process.returncode}")
    place = {f"{file}#{name}": row for row, name in enumerate(corpus.names)}
    left, right = (np.array([place[row[end]] for row in rows], np.int64) for end in ("document", "other"))
    keys = corpus.keys(left, right)
    order = np.argsort(keys)
    jaccard = np.array([row["jaccard"] for row in rows], float)
    said = json.loads(summary.read_bytes())
    summary.unlink()
    return Found(keys[order], jaccard[order], said["bands"], said["rows"])


def judged(corpus: Corpus, truth: Truth, found: Found, moved: int) -> Seed:
    """One run held to the truth."""
    counted = found.keys[~np.isin(found.keys, truth.near)]
    right = np.isin(counted, truth.clear)
    documents = documents_of(corpus, counted[right])
    return Seed(
        np.count_nonzero(right) / len(truth.clear),
        documents / documents_of(corpus, truth.clear),
        len(counted),
        len(counted) - int(np.count_nonzero(right)),
        moved,
    )


def documents_of(corpus: Corpus, keys: Array) -> int:
    """How many documents are in some of these pairs."""
    return len(np.unique(np.concatenate(np.divmod(keys, len(corpus.names)))))
