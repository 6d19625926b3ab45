"""The characteristic matrix and MinHash, as lectures present them."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from fractions import Fraction


def characteristic(rows: Sequence[Hashable], sets: Sequence[set]) -> list[list[int]]:
    """Return a row for each element and a column for each set, with 1 where the set holds the element."""
    return [[int(row in members) for members in sets] for row in rows]


def types(matrix: list[list[int]], left: int, right: int) -> dict[tuple[int, int], int]:
    """Return the number of rows that hold (1,1), (1,0), (0,1) and (0,0) in two columns."""
    pairs = [(row[left], row[right]) for row in matrix]
    return {kind: pairs.count(kind) for kind in ((1, 1), (1, 0), (0, 1), (0, 0))}


def similarity(matrix: list[list[int]], left: int, right: int) -> Fraction:
    """Return the Jaccard similarity of two columns."""
    count = types(matrix, left, right)
    return Fraction(count[1, 1], count[1, 1] + count[1, 0] + count[0, 1])


def minhash(order: Sequence[Hashable], members: set) -> Hashable:
    """Return the first row, in this order, that the set holds."""
    return next(row for row in order if row in members)


def slots(rows: Sequence[int], sets: Sequence[set], functions: Sequence[Callable[[int], int]]) -> Iterator[list]:
    """Yield the slot matrix after each row. Each set has a column of the smallest values so far, at first infinity."""
    matrix: list[list[float]] = [[math.inf] * len(functions) for _ in sets]
    for row in rows:
        for column, members in zip(matrix, sets, strict=True):
            if row in members:
                column[:] = [min(slot, h(row)) for slot, h in zip(column, functions, strict=True)]
        yield [tuple(column) for column in matrix]


def signatures(rows: Sequence[int], sets: Sequence[set], functions: Sequence[Callable[[int], int]]) -> list:
    """Return the slot matrix after the last row."""
    return list(slots(rows, sets, functions))[-1]
