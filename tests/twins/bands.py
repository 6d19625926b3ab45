"""The choice of bands and rows, their S-curve, buckets, and candidate pairs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from decimal import Decimal, localcontext
from itertools import combinations


def probability(similarity: float, bands: int, rows: int) -> Decimal:
    """Return 1 - (1 - s^r)^b to 60 digits, for the decimal number that Python prints for this similarity."""
    with localcontext(prec=60):
        return 1 - (1 - Decimal(repr(similarity)) ** rows) ** bands


def chance(similarity: float, bands: int, rows: int) -> float:
    """Return the same as a float."""
    return float(probability(float(similarity), bands, rows))


def least_probability(similarity: float, bands: int, rows: int) -> Decimal:
    """Return the probability, or if it is below 2/3 that of bands whose places depend on each other as `fss` may."""
    found = probability(similarity, bands, rows)
    if found >= Decimal(2) / 3 or not similarity or bands * rows == 1:
        return found
    with localcontext(prec=60):
        s = Decimal(repr(similarity))
        covariance = -Decimal("0.6") * s * (1 - s) / (bands * rows - 1)
        agree = s**rows * (covariance / s**2 * rows * (rows - 1) / 2).exp()
        return 1 - (1 - agree) ** bands


def by_recall(at: float, recall: float, num_perm: int) -> tuple[int, int] | None:
    """Return b = K div r and the largest r that reach the recall, or None if there are none.

    No number of bands finds all pairs that differ.
    """
    if recall == 1 > at:
        return None
    enough = [r for r in range(1, num_perm + 1) if least_probability(at, num_perm // r, r) >= Decimal(repr(recall))]
    return (num_perm // max(enough), max(enough)) if enough else None


def least_num_perm(at: float, recall: float) -> int:
    """Return the smallest K that reaches the recall, which it does with r = 1."""
    num_perm = 1
    while probability(at, num_perm, 1) < Decimal(repr(recall)):
        num_perm += 1
    return num_perm


def distance_to(at: float, bands: int, rows: int) -> float:
    """Return the distance of (1/b)^(1/r) from t."""
    return abs((1 / bands) ** (1 / rows) - at)


def by_nearest(at: float, num_perm: int) -> tuple[int, int]:
    """Return b and r with b·r = K whose (1/b)^(1/r) is nearest to t, ties to fewer bands."""
    every = [(b, r) for b in range(1, num_perm + 1) for r in range(1, num_perm + 1) if b * r == num_perm]
    return min(every, key=lambda bands_rows: (distance_to(at, *bands_rows), bands_rows))


def by_hand(bands: int | None, rows: int | None, num_perm: int) -> tuple[int, int] | None:
    """Return the numbers given, the other as large as possible, or None if they need more than num_perm values."""
    if bands is None:
        bands = max(1, num_perm // rows)
    if rows is None:
        rows = max(1, num_perm // bands)
    return (bands, rows) if bands * rows <= num_perm else None


def buckets(signatures: Sequence[Sequence[int]], bands: int, rows: int) -> list[tuple[int, ...]]:
    """Return, for each band, each set of two or more documents that agree in all its rows, ascending."""
    found = []
    for band in range(bands):
        by_rows = defaultdict(list)
        for document, signature in enumerate(signatures):
            by_rows[tuple(signature[band * rows : (band + 1) * rows])].append(document)
        found += [tuple(members) for members in by_rows.values() if len(members) > 1]
    return sorted(found)


def pairs(shared: Sequence[Sequence[int]]) -> list[tuple[int, int]]:
    """Return the candidate pairs (a, b), a < b, each once, ascending."""
    return sorted({pair for members in shared for pair in combinations(sorted(members), 2)})


def agreeing_bands(left: Sequence[int], right: Sequence[int], bands: int, rows: int) -> int:
    """Return in how many bands two signatures agree in all rows."""
    return sum(left[band * rows :][:rows] == right[band * rows :][:rows] for band in range(bands))
