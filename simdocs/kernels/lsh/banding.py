"""Bands and rows: their S-curve, and the choice of request many.

A signature cut into b bands of r rows makes documents of similarity s a candidate pair with probability
1 - (1 - s^r)^b: Leskovec, Rajaraman, Ullman, Mining of Massive Datasets, section 3.4.2.
"""

from __future__ import annotations

import math

from simdocs.errors import UnreachableRecallError, UsageError
from simdocs.parameters import MAX_NUM_PERM, Banding

_ROUNDING = 1e-12
"""A recall that is reached exactly is reached, though floating point may fall short of it by less than this."""


def candidate_probability(similarity: float, bands: int, rows: int) -> float:
    """The chance that two documents of this similarity share a bucket."""
    return 1.0 - (1.0 - similarity**rows) ** bands


def approximate_threshold(bands: int, rows: int) -> float:
    """About where the S-curve is steepest: (1/b)^(1/r)."""
    return float((1 / bands) ** (1 / rows))


def choose(request: Banding, num_perm: int) -> tuple[int, int]:
    """Bands and rows for signatures of num_perm places: by hand if either is given, else by the rule.

    UsageError: bands x rows is more than num_perm. UnreachableRecallError: see `by_recall`.
    """
    if request.bands is not None or request.rows is not None:
        return by_hand(request.bands, request.rows, num_perm)
    if request.rule == "nearest":
        return by_nearest(request.threshold, num_perm)
    return by_recall(request.threshold, request.recall, num_perm)


def by_hand(bands: int | None, rows: int | None, num_perm: int) -> tuple[int, int]:
    """The numbers given; one alone takes as many of the other as there is room for."""
    bands = bands or max(1, num_perm // (rows or 1))
    rows = rows or max(1, num_perm // bands)
    if bands * rows > num_perm:
        raise UsageError(
            f"{bands} bands of {rows} rows need signatures of {bands * rows} places, not --num-perm {num_perm}:"
            " take fewer of them or a greater --num-perm"
        )
    return bands, rows


def by_recall(at: float, recall: float, num_perm: int) -> tuple[int, int]:
    """The most rows r that with b = K div r bands find at least `recall` of the pairs of similarity `at`.

    The most, since false candidates cost little once they are verified and nothing brings back a missed pair.
    UnreachableRecallError, with the K that would do, when one row a band is not enough.
    """
    for rows in range(num_perm, 0, -1):
        bands = num_perm // rows
        if (recall < 1 or at == 1) and candidate_probability(at, bands, rows) >= recall - _ROUNDING:
            return bands, rows
    best = candidate_probability(at, num_perm, 1)
    if recall >= 1:
        reached = next((nines for nines in (0.9999, 0.999, 0.99, 0.95, 0.9) if best >= nines), best)
        remedy = f"no number of bands finds every pair; --recall {reached:.4g} would do"
    else:
        remedy = f"{_enough(at, recall)} would do"
    raise UnreachableRecallError(at, recall, num_perm, best, remedy)


def _enough(at: float, recall: float) -> str:
    """The least K whose K bands of one row find that share."""
    about = math.log1p(-recall) / math.log1p(-at)
    if about > MAX_NUM_PERM:
        return "no number of places; a greater --threshold"
    least = max(1, math.floor(about))
    while candidate_probability(at, least, 1) < recall - _ROUNDING:
        least += 1
    return f"--num-perm {least}"


def by_nearest(at: float, num_perm: int) -> tuple[int, int]:
    """The lectures' rule: among the divisors b of K, the one whose (1/b)^(b/K) is nearest to `at`; ties to fewer."""
    divisors = [b for b in range(1, num_perm + 1) if num_perm % b == 0]
    bands = min(divisors, key=lambda b: abs(approximate_threshold(b, num_perm // b) - at))
    return bands, num_perm // bands
