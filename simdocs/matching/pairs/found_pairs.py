"""Collect similar pairs into a graph, whose groups are inspected when all pairs have been found."""

from __future__ import annotations

import numpy as np

from simdocs.kernels.group.pair_graph import PairGraph, with_pairs
from simdocs.model.groups import Pairs

_BUFFERED = 1 << 18
"""Pairs that are added to the graph at once (8 MiB), because each addition takes time for every document."""


class PairCollector:
    """Collects the similar pairs of N documents in 16 bytes for each document, however many pairs there are.

    All pairs connect documents. Only pairs of different texts are counted, and each is expected once.
    """

    def __init__(self, size: int) -> None:
        self._graph = PairGraph.unconnected(size)
        self._buffer: list[Pairs] = []
        self._count = 0

    def add(self, pairs: Pairs) -> None:
        """Add these pairs of rows below N."""
        self._buffer.append(pairs)
        self._count += len(pairs)
        if self._count >= _BUFFERED:
            self._graph = self.graph()
            self._buffer, self._count = [], 0

    def graph(self) -> PairGraph:
        """The graph of all pairs so far."""
        if not self._count:
            return self._graph
        pairs = Pairs.concat(self._buffer)
        return with_pairs(self._graph, pairs.left, pairs.right, pairs.score < 1)


def with_copies(graph: PairGraph, pairs: Pairs) -> PairGraph:
    """The graph in which these pairs connect documents, without being counted."""
    return with_pairs(graph, pairs.left, pairs.right, np.zeros(len(pairs), bool))
