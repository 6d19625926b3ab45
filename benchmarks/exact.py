"""The exact Jaccard similarity of all pairs, by brute force and without code of simdocs: the truth for benchmarks."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence

import numpy as np

WORD = re.compile(r"\w+")


def shingles(text: str, unit: str, k: int) -> set[Hashable]:
    """Return the set of k-shingles of a text, as strings or tuples of strings. Nothing is hashed."""
    if unit == "char":
        normalised = " ".join(text.lower().split())
        whole: Sequence[str] = normalised
    else:
        whole = WORD.findall(text.lower())
    if not whole:
        return set()
    cut = whole.__getitem__
    return {
        piece if isinstance(piece := cut(slice(at, at + k)), str) else tuple(piece)
        for at in range(max(1, len(whole) - k + 1))
    }


def pairs(texts: Sequence[str], unit: str, k: int, threshold: float) -> dict[tuple[int, int], float]:
    """Return every pair (i, j), i < j, whose Jaccard similarity reaches the threshold, with that similarity."""
    numbers: dict[Hashable, int] = {}
    rows = [[numbers.setdefault(shingle, len(numbers)) for shingle in shingles(text, unit, k)] for text in texts]
    sizes = np.array([len(row) for row in rows])
    flat = np.concatenate([np.array(row, np.int64) for row in rows])
    owner = np.repeat(np.arange(len(rows)), sizes)
    order = np.argsort(flat, kind="stable")
    starts = np.searchsorted(flat[order], np.arange(len(numbers) + 1))
    postings = owner[order]
    found = {}
    for row, own in enumerate(rows):
        lists = [postings[starts[number] : starts[number + 1]] for number in own]
        if not lists:
            continue
        common = np.bincount(np.concatenate(lists), minlength=len(rows))
        jaccard = common / (sizes + sizes[row] - common)
        for other in np.flatnonzero(jaccard >= threshold).tolist():
            if other > row:
                found[row, other] = float(jaccard[other])
    return found
