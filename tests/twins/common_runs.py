"""The twin of the runs that two sequences have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def common_runs(
    a: Sequence[Any],
    b: Sequence[Any],
    least: int,
    opens: Sequence[bool] | None = None,
    closes: Sequence[bool] | None = None,
) -> list[tuple[int, int]]:
    """Return where each run begins in a, and its length: the longest, then the longest of what is not taken yet.

    opens, closes: which symbols of a can be the first, or the last; None: all.
    """
    opens, closes = opens or [True] * len(a), closes or [True] * len(a)
    taken = [False] * len(a)
    found: list[tuple[int, int]] = []
    while True:
        lengths = [0] * len(a)
        for i in (at for at in range(len(a)) if opens[at]):
            longest = max((_length(a, b, i, j, taken) for j in range(len(b))), default=0)
            lengths[i] = max((size for size in range(1, longest + 1) if closes[i + size - 1]), default=0)
        longest = max(lengths, default=0)
        if longest < least:
            return found
        first = lengths.index(longest)
        found.append((first, longest))
        taken[first : first + longest] = [True] * longest


def _length(a: Sequence[Any], b: Sequence[Any], i: int, j: int, taken: Sequence[bool]) -> int:
    """Return how long the run is that begins at i in a and at j in b, without what is taken of a."""
    length = 0
    while i + length < len(a) and j + length < len(b) and a[i + length] == b[j + length] and not taken[i + length]:
        length += 1
    return length
