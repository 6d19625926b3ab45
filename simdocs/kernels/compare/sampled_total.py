"""A 95% interval of a total that was estimated from a sample, of which few cases contribute anything."""

from __future__ import annotations

import math

import numpy as np

from simdocs.model.ragged import Floats

_Z = 1.96
"""The quantile of the normal distribution for 2.5% on either side."""


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
    low = _quantile(total, squares, -_Z) if total else 0.0
    return low, _quantile(total + largest, squares + largest**2, _Z)


def _quantile(mean: float, variance: float, z: float) -> float:
    """The quantile of the gamma distribution with this mean and variance, where the normal one has its quantile z."""
    shape = mean**2 / variance
    return mean * max(0.0, 1 - 1 / (9 * shape) + z / (3 * math.sqrt(shape))) ** 3
