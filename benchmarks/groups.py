"""Check the groups of `simdocs dedupe` on a corpus with exact truth: each duplicate must be like its kept document."""

from __future__ import annotations

import os
import random
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.corpora import Array, Corpus
from benchmarks.recall import SIMDOCS

POLICIES = ("first", "longest", "shortest", "newest", "oldest")


@dataclass(frozen=True, slots=True)
class Groups:
    """The answer of `dedupe` about a corpus under one keep policy, compared with the truth."""

    corpus: str
    unit: str
    threshold: float
    policy: str
    documents: int
    removed: int
    below: int
    """Duplicates whose similarity to their kept document is below the threshold, by the truth."""
    near: int
    """Duplicates whose similarity to their kept document is too near to the threshold to count."""
    out_of_order: int
    """Duplicates that come before their kept document in keep order."""
    inconsistent: int
    """Documents that are listed as duplicates twice, or both as a duplicate and as kept."""
    left: int
    """True pairs of which both documents are kept."""

    @property
    def wrong(self) -> int:
        """The number of duplicates that were removed wrongly."""
        return self.below + self.out_of_order + self.inconsistent

    @property
    def holds(self) -> bool:
        """Whether no document was removed wrongly."""
        return not self.wrong


def lay(corpus: Corpus, directory: Path) -> Array:
    """Write the documents as files 000000.txt, … in row order, and return their modification times, all different."""
    directory.mkdir()
    seconds = list(range(1_000_000_000, 1_000_000_000 + len(corpus.texts)))
    random.Random(corpus.name).shuffle(seconds)
    for row, text in enumerate(corpus.texts):
        file = directory / f"{row:06d}.txt"
        file.write_bytes(text.encode())
        os.utime(file, ns=(seconds[row] * 10**9, seconds[row] * 10**9))
    return np.array(seconds)


def shingled(corpus: Corpus, directory: Path) -> Path:
    """Return the token sets of the files, as an artifact: it serves for every threshold and policy."""
    artifact = directory.with_suffix(".shingles")
    command = [SIMDOCS, "shingle", str(directory), "--unit", corpus.unit, "-k", str(corpus.k), "-q"]
    subprocess.run([*command, "-o", str(artifact)], check=True)
    return artifact


def measure(corpus: Corpus, threshold: float, policy: str, artifact: Path, times: Array) -> Groups:
    """Run `dedupe` once on the token sets of the files, and compare its answer with the truth."""
    command = [SIMDOCS, "dedupe", str(artifact), "--keep", policy, "--format", "tsv", "-q"]
    command += ["--threshold", str(threshold)]
    answer = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    rows = [line.split("\t") for line in answer.splitlines()]
    kept, removed = (np.array([int(Path(row[end]).stem) for row in rows], np.int64) for end in (0, 1))
    truth = corpus.at(threshold)
    pairs = corpus.keys(np.minimum(kept, removed), np.maximum(kept, removed))
    near = np.isin(pairs, truth.near)
    is_kept = np.ones(len(corpus.texts), bool)
    is_kept[removed] = False
    left, right = np.divmod(truth.clear, len(corpus.texts))
    place = places(corpus, policy, times)
    return Groups(
        corpus.name,
        corpus.unit,
        threshold,
        policy,
        len(corpus.texts),
        len(removed),
        int(np.count_nonzero(~near & ~np.isin(pairs, truth.clear))),
        int(np.count_nonzero(near)),
        int(np.count_nonzero(place[kept] >= place[removed])),
        len(removed) - len(np.unique(removed)) + int(np.count_nonzero(~is_kept[kept])),
        int(np.count_nonzero(is_kept[left] & is_kept[right])),
    )


def places(corpus: Corpus, policy: str, times: Array) -> Array:
    """Return the position of each row in keep order."""
    sizes = np.array([len(text.encode()) for text in corpus.texts])
    first = {"first": 0 * sizes, "longest": -sizes, "shortest": sizes, "newest": -times, "oldest": times}[policy]
    place = np.empty(len(sizes), np.int64)
    place[np.argsort(first, kind="stable")] = np.arange(len(sizes))
    return place
