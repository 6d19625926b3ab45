"""The candidates that other libraries propose, from the same shingles, with 128 places and their own choice of bands.

A library is measured if it can be imported. Each has two functions here. The first takes a function that yields the
shingle sets, and returns their sketches, which serve for every threshold. The second takes these sketches and a
threshold, and returns the bands, the rows, and the candidate pairs as two arrays of rows, left < right.
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import exact
from benchmarks.corpora import Array, Corpus
from benchmarks.recall import documents_of, run

PLACES = 128
SEED = 42
TOGETHER = 64
"""The number of documents whose shingles are held as strings at the same time."""

Shingled = Callable[[], Iterator[list[str]]]
Candidates = tuple[int, int, Array, Array]


@dataclass(frozen=True, slots=True)
class Proposed:
    """The candidates of one peer on one corpus at one threshold."""

    corpus: str
    unit: str
    threshold: float
    peer: str
    bands: int
    rows: int
    pairs: float
    """The share of the true pairs that are candidates."""
    documents: float
    """The share of the documents in true pairs that are in a true candidate pair."""
    false: float
    """The share of the candidates that are not true pairs."""


def datasketch_sketches(shingled: Shingled) -> list[Any]:
    """Return a MinHash of each document."""
    from datasketch import MinHash

    tokens = ([shingle.encode() for shingle in document] for document in shingled())
    return list(MinHash.generator(tokens, num_perm=PLACES, seed=SEED))


def datasketch(sketches: list[Any], threshold: float) -> Candidates:
    """Return the candidates of MinHashLSH(threshold=t, num_perm=128), which minimises the area of errors."""
    from datasketch import MinHashLSH

    lsh = MinHashLSH(threshold=threshold, num_perm=PLACES)
    met = []
    for row, sketch in enumerate(sketches):
        met.append(lsh.query(sketch))
        lsh.insert(row, sketch, check_duplication=False)
    return lsh.b, lsh.r, *columns(met)


def rensa_sketches(shingled: Shingled) -> list[Any]:
    """Return an RMinHash of each document."""
    from rensa import RMinHash

    return [
        sketch for some in together(shingled()) for sketch in RMinHash.from_token_sets(some, num_perm=PLACES, seed=SEED)
    ]


def rensa(sketches: list[Any], threshold: float) -> Candidates:
    """Return the candidates of RMinHashLSH on full sets, with the bands of its deduplicator for the threshold."""
    from rensa import RMinHashLSH

    bands = next(bands for least, bands in ((0.9, 4), (0.8, 8), (0.7, 16), (0.5, 32), (0, 64)) if threshold >= least)
    lsh = RMinHashLSH(threshold=threshold, num_perm=PLACES, num_bands=bands)
    lsh.insert_many(sketches)
    return bands, PLACES // bands, *columns(lsh.query_all(sketches))


def gaoya_sketches(shingled: Shingled) -> Shingled:
    """Return the shingle sets themselves: gaoya sketches inside its index, for one threshold."""
    return shingled


def gaoya(shingled: Shingled, threshold: float) -> Candidates:
    """Return the candidates of MinHashStringIndex, which chooses bands by its S-curve.

    It drops candidates whose estimate is below the threshold.
    """
    from gaoya.minhash import MinHashStringIndex

    index = MinHashStringIndex(32, threshold, None, None, PLACES, analyzer=list, id_container="vec").minhash_index
    for row, document in enumerate(shingled()):
        index.insert_tokens(row, document)
    met = [index.query_tokens(document) for document in shingled()]
    bands, rows = (int(re.search(rf"{what} = (\d+)", str(index))[1]) for what in ("bands", "rows_per_band"))
    return bands, rows, *columns(met)


def fastsketch_sketches(shingled: Shingled) -> Array:
    """Return a FastSimilaritySketch of each document, as the rows of a matrix."""
    from FastSketchLSH import FastSimilaritySketch

    sketch = FastSimilaritySketch(size=PLACES, seed=SEED)
    return np.concatenate([np.asarray(sketch.batch(some), np.uint64) for some in together(shingled())])


def fastsketch(sketches: Array, threshold: float) -> Candidates:  # noqa: ARG001  (it takes no threshold)
    """Return the candidates of FastSimilaritySketch and LSH, with the 16 bands of its documentation."""
    from FastSketchLSH import LSH

    bands = 16
    lsh = LSH(num_perm=PLACES, num_bands=bands)
    lsh.insert(sketches)
    other, offsets = (np.asarray(part).astype(np.int64) for part in lsh.query(sketches, format="csr"))
    row = np.repeat(np.arange(len(sketches)), np.diff(offsets))
    return bands, PLACES // bands, other[other < row], row[other < row]


PEERS = {
    "datasketch": (datasketch_sketches, datasketch, "datasketch", 0.0),
    "gaoya": (gaoya_sketches, gaoya, "gaoya", 0.0),
    "rensa": (rensa_sketches, rensa, "rensa", 0.0),
    "FastSketchLSH": (fastsketch_sketches, fastsketch, "FastSketchLSH", 0.7),
}
"""For each distribution: its two functions, its module, and the smallest threshold for which it is meant. FastSketchLSH
does not choose its bands, and the 16 x 8 of its documentation are steepest at 0.71."""


def installed() -> dict[str, str]:
    """Return the peers that can be imported, with their versions."""
    return {peer: version(peer) for peer, (_, _, module, _) in PEERS.items() if importlib.util.find_spec(module)}


def sketches(corpus: Corpus, peer: str) -> Any:
    """Return what one peer computes once for all thresholds."""
    return PEERS[peer][0](lambda: shingles(corpus))


def measure(corpus: Corpus, threshold: float, peer: str, sketched: Any) -> Proposed:
    """Compare the candidates of one peer, from the result of `sketches`, with the truth."""
    bands, rows, left, right = PEERS[peer][1](sketched, threshold)
    return judged(corpus, threshold, peer, bands, rows, corpus.keys(left, right))


def measure_simdocs(corpus: Corpus, threshold: float, bands: int, rows: int, artifact: Path) -> Proposed:
    """Compare the candidates of simdocs with the truth: it lists them if the threshold for estimates is nearly 0."""
    by_hand = ["--bands", str(bands), "--rows", str(rows), "--verify", "estimate"]
    found = run(corpus, artifact, 1e-9, *by_hand)
    return judged(corpus, threshold, "simdocs", bands, rows, found.keys)


def judged(corpus: Corpus, threshold: float, peer: str, bands: int, rows: int, keys: Array) -> Proposed:
    """Compare candidates with the truth. Pairs that are too near to the threshold are not counted."""
    truth = corpus.at(threshold)
    keys = np.unique(keys)
    counted = keys[~np.isin(keys, truth.near)]
    right = counted[np.isin(counted, truth.clear)]
    pairs = len(right) / len(truth.clear)
    documents = documents_of(corpus, right) / documents_of(corpus, truth.clear)
    false = 1 - len(right) / max(1, len(counted))
    return Proposed(corpus.name, corpus.unit, threshold, peer, bands, rows, pairs, documents, false)


def shingles(corpus: Corpus) -> Iterator[list[str]]:
    """Yield the shingle set of each document, as strings. Words are joined by spaces, which no word contains."""
    for text in corpus.texts:
        some = exact.shingles(text, corpus.unit, corpus.k)
        yield [one if isinstance(one, str) else " ".join(one) for one in some]


def together(documents: Iterator[list[str]]) -> Iterator[list[list[str]]]:
    """Yield the documents in lists of at most TOGETHER."""
    while some := list(islice(documents, TOGETHER)):
        yield some


def columns(met: Iterable[Iterable[int]]) -> tuple[Array, Array]:
    """Return the pairs of each row with the earlier rows that it met, as two columns, the earlier row left."""
    left, right = [], []
    for row, others in enumerate(met):
        earlier = [other for other in others if other < row]
        left += earlier
        right += [row] * len(earlier)
    return np.array(left, np.int64), np.array(right, np.int64)
