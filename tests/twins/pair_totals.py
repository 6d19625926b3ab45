"""The twin of totals that are estimated from a sample of pairs."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any


def total(sample: Any, value: Callable[[float], float]) -> tuple[float, float, float]:
    """Return the estimated sum of a value over all pairs, and the ends of its interval."""
    found = variance = unit = 0.0
    for part in sample.ranges:
        terms = []
        for place in range(part.begin, part.end):
            worth, reached = value(sample.similarity[place]), sample.reachable[place]
            terms.append(sample.weight[place] * worth)
            variance += sample.weight[place] * worth**2 * (1 - reached) / reached
        found += sum(terms)
        if part.draws > 1:
            drawn = [*terms, *[0.0] * (part.draws - len(terms))]
            mean = sum(drawn) / len(drawn)
            squares = sum((term - mean) ** 2 for term in drawn)
            variance += part.not_drawn * len(drawn) * squares / (len(drawn) - 1)
        if part.not_drawn and part.draws:
            end = min(part.below, 1.0)
            most = max(value(part.least + (end - part.least) * step / 1000) for step in range(1000))
            unit += (part.largest_weight * most) ** 2
    half = 1.96 * math.sqrt(variance)
    more = 1.9208 * math.sqrt(unit) + 1.96 * math.sqrt(variance + 0.9604 * unit)
    return found, max(0.0, found - half), min(sample.pairs, found + more)
