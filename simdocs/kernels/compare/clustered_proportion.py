"""A 95% interval of a proportion that was measured in several runs, within which the cases depend on each other."""

from __future__ import annotations

import math

import numpy as np

from simdocs.model.ragged import Floats

_TAIL = 0.025
"""The probability on either side of the interval."""

_Z = 1.96
"""The quantile of the normal distribution for it."""

_T = {20: 2.093}
"""The quantile of Student's t distribution for it, by the number of runs."""

_STEPS = 200
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
    low = 0.0 if found <= 0 else _quantile(_TAIL, found, size - found + 1)
    high = 1.0 if found >= size else _quantile(1 - _TAIL, found + 1, size - found)
    return min(low, share), max(high, share)


def _quantile(probability: float, a: float, b: float) -> float:
    """The quantile of the beta distribution, by bisection."""
    low, high = 0.0, 1.0
    for _ in range(_STEPS):
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
    for step in range(2 * _STEPS):
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
