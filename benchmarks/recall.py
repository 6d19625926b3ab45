"""Measure recall and precision of `simdocs pairs` on a corpus with exact truth, seed by seed."""

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
    """The pairs that one run found, as ascending keys, and their similarities."""

    keys: Array
    jaccard: Array
    bands: int
    rows: int
    """Bands and rows are 0 if there are none, because the run compared all pairs."""


@dataclass(frozen=True, slots=True)
class Seed:
    """The result of one run, compared with the truth."""

    pairs: float
    """The share of the true pairs that were found."""
    documents: float
    """The share of the documents in true pairs for which at least one true pair was found."""
    found: int
    """The number of pairs found, without those that are too near to the threshold to count."""
    false: int
    """The number of pairs found that are not true."""
    moved: int
    """The number of pairs found whose similarity differs from the truth in six digits."""


@dataclass(frozen=True, slots=True)
class Recall:
    """The results of all seeds for a corpus, a unit and a threshold, and the predictions."""

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
    """The prediction if each document is found as often as its most similar pair."""
    seeds: tuple[Seed, ...]
    exact: Seed
    """The result of the first seed with `--exact`."""
    unexplained: int
    """The number of similarities that differ from the truth under the first seed without a collision of tokens."""

    def measured(self, what: str) -> tuple[float, float, float]:
        """Return the mean, its standard error and the minimum over the seeds, of `pairs` or `documents`."""
        shares = np.array([getattr(seed, what) for seed in self.seeds])
        error = shares.std(ddof=1) / sqrt(len(shares)) if len(shares) > 1 else 0.0
        return float(shares.mean()), float(error), float(shares.min())

    def predicted(self, what: str) -> float:
        """Return the prediction: the mean should be at least this."""
        return float(getattr(self, f"{what}_predicted"))

    @property
    def scored(self) -> str:
        """What the corpus is scored by: "documents" or "pairs"."""
        return "documents" if self.corpus in BY_DOCUMENT else "pairs"

    @property
    def reached(self) -> bool:
        """Whether the mean reaches the prediction, within three standard errors."""
        mean, error, _ = self.measured(self.scored)
        return mean >= self.predicted(self.scored) - STANDARD_ERRORS * error

    @property
    def holds(self) -> bool:
        """Whether the mean reaches the prediction, and `--exact` finds every similar pair and no other."""
        return self.reached and (self.exact.pairs, self.exact.false) == (1, 0)

    @property
    def precision(self) -> float:
        """The share of the pairs found, under all seeds, that are true."""
        found = sum(seed.found for seed in self.seeds)
        return 1 - sum(seed.false for seed in self.seeds) / max(1, found)


def shingled(corpus: Corpus, seeds: int, scratch: Path) -> list[Path]:
    """Return the token sets of the corpus with each seed, as artifacts: they serve for every threshold."""
    file = scratch / f"{corpus.name}-{corpus.unit}.jsonl"
    file.write_bytes(b"".join(corpus.lines))
    artifacts = []
    for seed in range(seeds):
        artifacts.append(file.with_suffix(f".{seed}.shingles"))
        command = [SIMDOCS, "shingle", str(file), "--unit", corpus.unit, "-k", str(corpus.k), "--seed", str(seed), "-q"]
        subprocess.run([*command, "-o", str(artifacts[-1])], check=True)
    return artifacts


def measure(corpus: Corpus, threshold: float, artifacts: list[Path]) -> Recall:
    """Measure one corpus at one threshold with each of its token sets."""
    truth = corpus.at(threshold)
    runs = []
    unexplained = 0
    for seed, artifact in enumerate(artifacts):
        found = run(corpus, artifact, threshold)
        moved = collisions.moved(corpus, found.keys, found.jaccard)
        if seed == 0:
            unexplained = sum(not collisions.explained(corpus, pair, seed) for pair in moved)
        runs.append(judged(corpus, truth, found, len(moved)))
    joined = run(corpus, artifacts[0], threshold, "--exact")
    exact = judged(corpus, truth, joined, len(collisions.moved(corpus, joined.keys, joined.jaccard)))
    chance = 1 - (1 - truth.jaccard**found.rows) ** found.bands
    ends = np.concatenate(np.divmod(truth.clear, len(corpus.names)))
    best = np.zeros(len(corpus.names))
    np.maximum.at(best, ends, np.tile(chance, 2))
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
        tuple(runs),
        exact,
        unexplained,
    )


def run(corpus: Corpus, artifact: Path, threshold: float, *options: str) -> Found:
    """Run `pairs` on token sets of the corpus, and return the pairs that it finds."""
    summary = artifact.with_suffix(".summary")
    command = [SIMDOCS, "pairs", str(artifact), "--all-copies", "--format", "jsonl", "-q"]
    command += ["--threshold", str(threshold), "--summary-json", str(summary), *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout
        rows = [json.loads(line) for line in process.stdout]
    if process.returncode:
        raise SystemExit(f"{command} ended with {process.returncode}")
    place = {name: row for row, name in enumerate(corpus.names)}
    left, right = (
        np.array([place[row[end].partition("#")[2]] for row in rows], np.int64) for end in ("document", "other")
    )
    keys = corpus.keys(left, right)
    order = np.argsort(keys)
    jaccard = np.array([row["jaccard"] for row in rows], float)
    said = json.loads(summary.read_bytes())
    summary.unlink()
    return Found(keys[order], jaccard[order], said["bands"] or 0, said["rows"] or 0)


def judged(corpus: Corpus, truth: Truth, found: Found, moved: int) -> Seed:
    """Compare one run with the truth."""
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
    """Return the number of documents that are in these pairs."""
    return len(np.unique(np.concatenate(np.divmod(keys, len(corpus.names)))))
