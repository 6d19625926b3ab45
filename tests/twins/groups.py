"""Greedy groups, one document at a time; connected components; and keep orders."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import NamedTuple


class Decided(NamedTuple):
    """kept: the kept documents. under: the kept document of each duplicate. capped: the kept documents that were not
    compared with all documents kept before them, because a bucket was full."""

    kept: list[int]
    under: dict[int, int]
    capped: list[int]


def greedy(
    size: int,
    buckets: Sequence[Sequence[int]],
    similarity: Callable[[int, int], float],
    threshold: float,
    most: int,
    given: int = 0,
) -> Decided:
    """Decide about documents 0, 1, ..., which are in keep order.

    In each of its buckets a document is compared with the first `most` kept ones. If one of them is similar, it is a
    duplicate of the most similar, ties to the earlier one. Otherwise it is kept. The first `given` documents are always
    kept.
    """
    kept: list[int] = []
    under: dict[int, int] = {}
    capped: list[int] = []
    for document in range(size):
        own = [[other for other in kept if other in bucket] for bucket in buckets if document in bucket]
        met = sorted({other for seen in own for other in seen[:most]})
        similar = [other for other in met if similarity(other, document) >= threshold]
        if document < given:
            kept.append(document)
        elif similar:
            under[document] = max(similar, key=lambda other: (similarity(other, document), -other))
        else:
            kept.append(document)
            if any(len(seen) > most for seen in own):
                capped.append(document)
    return Decided(kept, under, capped)


def components(size: int, edges: Sequence[tuple[int, int]]) -> list[int]:
    """Return for each document the smallest one that a chain of edges leads to, by breadth-first search."""
    neighbours: dict[int, set[int]] = {document: set() for document in range(size)}
    for a, b in edges:
        neighbours[a].add(b)
        neighbours[b].add(a)
    label = [-1] * size
    for start in range(size):
        queue = deque([start] if label[start] < 0 else [])
        while queue:
            document = queue.popleft()
            if label[document] < 0:
                label[document] = start
                queue.extend(neighbours[document])
    return label


def keep_order(policy: str, sizes: Sequence[int], mtimes: Sequence[int]) -> list[int]:
    """Return the row numbers in keep order, ties by row."""
    ranks = {
        "first": lambda row: row,
        "longest": lambda row: (-sizes[row], row),
        "shortest": lambda row: (sizes[row], row),
        "newest": lambda row: (-mtimes[row], row),
        "oldest": lambda row: (mtimes[row], row),
    }
    return sorted(range(len(sizes)), key=ranks[policy])
