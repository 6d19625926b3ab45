"""Whether a similarity differs from the truth because tokens of 4 bytes collide."""

from __future__ import annotations

from collections.abc import Hashable

import mmh3
import numpy as np

from benchmarks import exact
from benchmarks.corpora import SIX_DIGITS, Array, Corpus


def moved(corpus: Corpus, keys: Array, jaccard: Array) -> list[tuple[int, float, float]]:
    """Return the pairs whose similarity differs from the truth in six digits: key, similarity, truth."""
    known = corpus.keys(corpus.left, corpus.right)
    order = np.argsort(known)
    place = order[np.searchsorted(known[order], keys).clip(max=len(known) - 1)]
    there = np.flatnonzero((known[place] == keys) & (np.abs(corpus.jaccard[place] - jaccard) > SIX_DIGITS))
    return [(int(keys[at]), float(jaccard[at]), float(corpus.jaccard[place[at]])) for at in there]


def explained(corpus: Corpus, pair: tuple[int, float, float], seed: int) -> bool:
    """Whether the shingles as strings give the truth, and tokens that mmh3 computes give the other similarity."""
    key, jaccard, truth = pair
    one, other = (exact.shingles(corpus.texts[row], corpus.unit, corpus.k) for row in divmod(key, len(corpus.names)))
    hashed = similarity(*({token(shingle, seed) for shingle in shingles} for shingles in (one, other)))
    return abs(similarity(one, other) - truth) < SIX_DIGITS and abs(hashed - jaccard) < SIX_DIGITS


def similarity(one: set[Hashable] | set[int], other: set[Hashable] | set[int]) -> float:
    """Return the Jaccard similarity of two sets, rounded to six digits."""
    return round(len(one & other) / len(one | other), 6)


def token(shingle: Hashable, seed: int) -> int:
    """Return the token of a shingle: the hash of its characters, or the hash of the hashes of its words."""
    if isinstance(shingle, str):
        return mmh3.hash(shingle, seed, signed=False)
    hashes = [mmh3.hash(word, seed, signed=False) for word in shingle]
    return mmh3.hash(np.array(hashes, "<u4").tobytes(), seed, signed=False)
