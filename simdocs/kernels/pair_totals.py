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


def total_interval(contributions: Floats, weight: float) -> tuple[float, float]:
    """The 95% interval of a total. contributions: float64 (n,), what each case that was drawn adds to its estimate.

    weight: what a case adds if it counts once, though perhaps none that was drawn does. This is the interval of Fay and
    Feuer, Confidence intervals for directly standardized rates: a method based on the gamma distribution (Statistics in
    Medicine 16, 1997): the contributions are weights of events that follow Poisson distributions, and one more event of
    the largest weight may have been missed. The quantiles of the gamma distribution are those of Wilson and Hilferty,
    The distribution of chi-square (PNAS 17, 1931).
    """
    total, squares = float(contributions.sum()), float(np.square(contributions).sum())
    largest = max(weight, float(contributions.max(initial=0)))
    low = _gamma_quantile(total, squares, -_Z) if total else 0.0
    return low, _gamma_quantile(total + largest, squares + largest**2, _Z)


def _gamma_quantile(mean: float, variance: float, z: float) -> float:
    """The quantile of the gamma distribution with this mean and variance, where the normal one has its quantile z."""
    shape = mean**2 / variance
    return mean * max(0.0, 1 - 1 / (9 * shape) + z / (3 * math.sqrt(shape))) ** 3


_TAIL = 0.025
"""The probability on either side of the interval."""

_T = {20: 2.093}
"""The quantile of Student's t distribution for it, by the number of runs."""

_BISECTIONS = 200
"""Steps of a search and of a continued fraction, which both end earlier."""

_EXACTLY = 1e-14


def interval(shares: Floats, families: int) -> tuple[float, float]:
    """The 95% interval of the expected share. shares: float64 (20,), the share of successes in each run.

    families: the number of groups of cases in a run that do not depend on other groups. Runs do not depend on each
    other. This is the interval of Korn and Graubard, Confidence intervals for proportions with small expected number of
    positive counts estimated from survey data (Survey Methodology 24, 1998): that of Clopper and Pearson (1934), with
    the number of independent cases that would have the variance that was measured. Each family in each run counts as
    one case at most, because the variance may miss what is rare: in simulations of 5 families of 30 pairs, the interval
    would otherwise contain the expected share in 55 of 100 cases, and not in 95. If all runs have the same share, each
    run counts as one case.
    """
    runs, share = len(shares), float(shares.mean())
    variance = float(shares.var(ddof=1)) / runs
    size = float(runs)
    if variance > 0:
        size = min(share * (1 - share) / variance * (_Z / _T[runs]) ** 2, float(runs * families))
    found = share * size
    low = 0.0 if found <= 0 else _beta_quantile(_TAIL, found, size - found + 1)
    high = 1.0 if found >= size else _beta_quantile(1 - _TAIL, found + 1, size - found)
    return min(low, share), max(high, share)


def _beta_quantile(probability: float, a: float, b: float) -> float:
    """The quantile of the beta distribution, by bisection."""
    low, high = 0.0, 1.0
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        if high - low < _EXACTLY:
            break
        low, high = (middle, high) if beta_probability(middle, a, b) < probability else (low, middle)
    return (low + high) / 2


def beta_probability(x: float, a: float, b: float) -> float:
    """The distribution function of the beta distribution at x: the regularised incomplete beta function.

    By the continued fraction of DLMF 8.17.22, evaluated by the method of Lentz.
    """
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):
        return 1 - beta_probability(1 - x, b, a)
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x))
    tiny = float(np.finfo(np.float64).tiny)
    value, above, below = 1.0, 1.0, 0.0
    for step in range(2 * _BISECTIONS):
        half = step // 2
        if step == 0:
            term = 1.0
        elif step % 2:
            term = -(a + half) * (a + b + half) * x / ((a + 2 * half) * (a + 2 * half + 1))
        else:
            term = half * (b - half) * x / ((a + 2 * half - 1) * (a + 2 * half))
        below = 1 / ((1 + term * below) or tiny)
        above = (1 + term / above) or tiny
        value *= above * below
        if step and abs(above * below - 1) < _EXACTLY:
            break
    return front * (value - 1) / a
