"""The exact Jaccard similarity of all similar pairs, without code of simdocs: the truth for benchmarks."""

from __future__ import annotations

import math
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


def similar(texts: Sequence[str], unit: str, k: int, threshold: float) -> dict[tuple[int, int], float]:
    """Return the same as `pairs`, in seconds for thousands of long texts, with about 50 bytes for each shingle.

    Shingles are numbered from the rarest to the most frequent. Two sets with a similarity of t or more have c shingles
    in common among the first |A| - ceil(t |A|) + c of each (Chaudhuri, Ganti, Kaushik, ICDE 2006; here c grows with the
    set, and that of the smaller set counts). Only such pairs are compared. A shingle is its hash in Python, 8 bytes.
    """
    sets = [np.array(list(set(map(hash, shingles(text, unit, k)))), np.int64) for text in texts]
    sizes = np.array([len(one) for one in sets])
    _, numbers, counts = np.unique(np.concatenate(sets), return_inverse=True, return_counts=True)
    place = np.empty(len(counts), np.int32)
    place[np.argsort(counts, kind="stable")] = np.arange(len(counts))
    rows = [np.sort(row) for row in np.split(place[numbers], np.cumsum(sizes)[:-1])]
    del sets, numbers
    least = np.array([math.ceil(threshold * size - 1e-9) for size in sizes.tolist()])
    shared = 1 + least // 20
    first = [row[: len(row) - most + more] for row, most, more in zip(rows, least, shared, strict=True)]
    flat = np.concatenate(first)
    order = np.argsort(flat, kind="stable")
    flat, owner = flat[order], np.repeat(np.arange(len(rows)), [len(one) for one in first])[order]
    is_in_row = np.zeros(len(counts), bool)
    found = {}
    for row, own in enumerate(rows):
        starts, ends = (np.searchsorted(flat, first[row], side) for side in ("left", "right"))
        several = np.flatnonzero(ends - starts > 1)
        if not len(several):
            continue
        met = np.concatenate([owner[starts[at] : ends[at]] for at in several.tolist()])
        near, times = np.unique(met, return_counts=True)
        near = near[times >= np.minimum(shared[row], shared[near])]
        is_in_row[own] = True
        for other in near[near > row].tolist():
            common = int(np.count_nonzero(is_in_row[rows[other]]))
            jaccard = common / (len(own) + len(rows[other]) - common)
            if jaccard >= threshold:
                found[row, other] = jaccard
        is_in_row[own] = False
    return found
