"""Connected components of similar documents, and the candidate pairs that could join two components."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from simdocs.kernels.lsh.buckets import distinct_pairs
from simdocs.model.ragged import Index, Ragged


def connect(labels: Index, left: Index, right: Index) -> Index:
    """The labels (M,) after left[i] and right[i] are joined for every i: the smallest member of each component.

    labels: from an earlier call, or np.arange(M). The method is hooking and pointer jumping: Shiloach and Vishkin, An
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


def bucket_components(buckets: Ragged, size: int) -> Index:
    """The component of each member below `size`, as its smallest member: members that share a bucket are connected.

    buckets: Ragged of members, none empty. Returns int64 (size,).
    """
    heads = buckets.values[buckets.offsets[:-1]]
    return connect(np.arange(size), np.repeat(heads, buckets.lengths), buckets.values)


def star_pairs(buckets: Ragged, size: int) -> Iterator[tuple[Index, Index]]:
    """The distinct pairs of the first member of each bucket with each other member, in blocks of two int64 arrays.

    buckets: Ragged int64, of members below `size`.
    """
    starts = buckets.offsets[:-1]
    yield from distinct_pairs(buckets.values[starts], starts + 1, buckets.lengths - 1, buckets.values, size)


def cross_component_pairs(buckets: Ragged, labels: Index) -> Iterator[tuple[Index, Index]]:
    """The distinct pairs that share a bucket but not a component, in blocks of two int64 arrays.

    The first of a pair is in the component with the smaller label. buckets: Ragged int64. labels: (M,), from `connect`.
    Each bucket is sorted by component, and a member is paired only with the members after the end of its own component.
    So a family of documents that is already joined costs nothing, however large it is.
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
    paired = np.flatnonzero(counts)
    yield from distinct_pairs(members[paired], own_stop[paired], counts[paired], members, len(labels))
