"""Connected components, and the pairs that could still join two of them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from simdocs.kernels.lsh.buckets import distinct_pairs
from simdocs.model.ragged import Index, Ragged


def connect(labels: Index, left: Index, right: Index) -> Index:
    """Labels (M,) once left[i] and right[i] are joined for every i: the smallest member of each component.

    labels: as a call before gave them, or np.arange(M). Hooking and pointer jumping: Shiloach and Vishkin, An
    O(log n) parallel connectivity algorithm (1982).
    """
    labels = labels.copy()
    while True:
        a, b = labels[left], labels[right]
        apart = a != b
        if not apart.any():
            return labels
        low, high = np.minimum(a, b)[apart], np.maximum(a, b)[apart]
        np.minimum.at(labels, high, low)
        while True:
            jumped = labels[labels]
            if np.array_equal(jumped, labels):
                break
            labels = jumped


def star_pairs(buckets: Ragged, size: int) -> Iterator[tuple[Index, Index]]:
    """The first member of each bucket with each of the others: distinct pairs, in blocks."""
    starts = buckets.offsets[:-1]
    yield from distinct_pairs(buckets.values[starts], starts + 1, buckets.lengths - 1, buckets.values, size)


def cross_component_pairs(buckets: Ragged, labels: Index) -> Iterator[tuple[Index, Index]]:
    """The pairs that share a bucket and not a component: distinct, (smaller label's member, other), in blocks.

    In a bucket ordered by component a member meets only those after its own component's end, so that a family
    already joined costs nothing however large.
    """
    bucket = np.repeat(np.arange(len(buckets)), buckets.lengths)
    order = np.lexsort((buckets.values, labels[buckets.values], bucket))
    members = buckets.values[order]
    label = labels[members]
    last = np.ones(len(members), bool)
    last[:-1] = (label[1:] != label[:-1]) | (bucket[1:] != bucket[:-1])
    stops = np.flatnonzero(last) + 1
    own_stop = stops[np.searchsorted(stops, np.arange(len(members)), side="right")]
    counts = np.repeat(buckets.offsets[1:], buckets.lengths) - own_stop
    some = np.flatnonzero(counts)
    yield from distinct_pairs(members[some], own_stop[some], counts[some], members, len(labels))
