"""Totals over all pairs of documents, estimated from a sample, with an interval.

The estimate of a total is the sum over the sample of each pair's value times its weight: Horvitz, Thompson, A
generalization of sampling without replacement from a finite universe (JASA 1952), and Hansen, Hurwitz (1943) for draws
with replacement.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from simdocs.model.ragged import Floats
from simdocs.model.tuning import Estimate, PairSample

_Z = 1.96
"""Standard errors on either side of the middle of a 95% interval of the normal distribution."""

_STEPS = 256
"""Similarities at which the largest value in a range is looked for."""

Value = Callable[[Floats], Floats]
"""Returns the value of pairs with these similarities, which is not negative."""


def total(sample: PairSample, value: Value) -> Estimate:
    """The estimated sum of a value over all pairs, with its 95% interval.

    The variance has two parts: which pairs were drawn, and which pairs the hash functions made it possible to draw. A
    sample in which no pair has a value says only that there are few such pairs. So the upper end is that of Wilson
    (1927) for small proportions, with the largest value that one drawn pair could have had: if pairs that count 1 are
    looked for and none is among the draws, it is 3.84 times the weight of one.
    """
    values = value(sample.similarity)
    terms = sample.weight * values
    variance = float((terms * values * (1 - sample.reachable) / sample.reachable).sum())
    unit = 0.0
    for part in sample.ranges:
        if not part.draws:
            continue
        drawn = terms[part.begin : part.end]
        if part.draws > 1:
            spread = float((drawn**2).sum() - drawn.sum() ** 2 / part.draws)
            variance += part.not_drawn * max(0.0, spread) * part.draws / (part.draws - 1)
        if part.not_drawn:
            unit = math.hypot(unit, part.largest_weight * _largest(value, part.least, part.below))
    found = float(terms.sum())
    more = _Z**2 / 2 * unit + _Z * math.sqrt(variance + (_Z * unit / 2) ** 2)
    low = max(0.0, found - _Z * math.sqrt(variance))
    return Estimate(found, low, min(float(sample.pairs), found + more))


def _largest(value: Value, least: float, below: float) -> float:
    """The largest value of a pair in a range."""
    steps = np.linspace(least, min(below, 1.0), _STEPS, endpoint=below > 1)
    return float(value(steps).max())
