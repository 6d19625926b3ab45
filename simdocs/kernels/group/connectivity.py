"""Connected components of similar documents: their pairs, shortest links, and the candidates that could join two."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from simdocs.kernels.lsh.buckets import distinct_pairs
from simdocs.model.ragged import Index, Mask, Ragged


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

    The first of a pair is in the component with the smaller label. Each bucket is sorted by component, and a member is
    paired only with the members after the end of its own component. So a family of documents that is already joined
    costs nothing, however large it is.

    buckets: Ragged int64.
    labels: (M,), from `connect`.
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


class PairGraph(NamedTuple):
    """N documents and the pairs that connect them: 16 bytes for each document, however many pairs there are.

    labels: int64 (N,), the smallest row of the group that a document is in
    pairs: int64 (N,), the number of counted pairs whose first document is in this row
    """

    labels: Index
    pairs: Index

    @classmethod
    def unconnected(cls, size: int) -> PairGraph:
        """The graph of `size` documents without pairs."""
        return cls(np.arange(size), np.zeros(size, np.int64))


class ConnectedGroups(NamedTuple):
    """G groups of two or more documents each: int64 (G,) for each fact.

    first: the smallest row in the group, ascending
    documents: the number of its documents
    pairs: the number of counted pairs that connect them
    """

    first: Index
    documents: Index
    pairs: Index


def with_pairs(graph: PairGraph, left: Index, right: Index, counted: Mask) -> PairGraph:
    """The graph with the pairs left[i], right[i] added. All of them connect; only those in `counted` (P,) count."""
    counts = np.bincount(left[counted], minlength=len(graph.pairs))
    return PairGraph(connect(graph.labels, left, right), graph.pairs + counts)


def connected_groups(graph: PairGraph) -> ConnectedGroups:
    """The groups of documents that pairs connect."""
    size = len(graph.labels)
    documents = np.bincount(graph.labels, minlength=size)
    pairs = np.zeros(size, np.int64)
    np.add.at(pairs, graph.labels, graph.pairs)
    first = np.flatnonzero(documents > 1)
    return ConnectedGroups(first, documents[first], pairs[first])
