"""The groups that similar pairs connect, and how many pairs each group contains; built up block by block of pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from simdocs.kernels.group.connectivity import connect
from simdocs.model.ragged import Index, Mask


@dataclass(frozen=True, slots=True)
class PairGraph:
    """N documents and the pairs that connect them: 16 bytes for each document, however many pairs there are.

    labels: int64 (N,), the smallest row of the group that a document is in. pairs: int64 (N,), how many pairs were
    counted whose first document is in this row.
    """

    labels: Index
    pairs: Index

    @classmethod
    def unconnected(cls, size: int) -> PairGraph:
        """The graph of `size` documents without pairs."""
        return cls(np.arange(size), np.zeros(size, np.int64))


class ConnectedGroups(NamedTuple):
    """G groups of two or more documents each: int64 (G,) for each fact.

    first: the smallest row in the group, ascending. documents: how many documents it has. pairs: how many counted pairs
    connect them.
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
