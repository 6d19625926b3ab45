"""The twin of the longest common subsequence."""

from __future__ import annotations

from collections.abc import Sequence


def lcs_length(a: Sequence[int], b: Sequence[int]) -> int:
    """Return the last cell of the table, which is filled row by row."""
    above = [0] * (len(b) + 1)
    for symbol in a:
        row = [0]
        for at, other in enumerate(b):
            row.append(above[at] + 1 if symbol == other else max(above[at + 1], row[at]))
        above = row
    return above[-1]
