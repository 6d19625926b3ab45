"""Probabilities and shares for people."""

from __future__ import annotations

import math

_DIGITS = 4
_LEAST = 10**-_DIGITS


def shown_probability(probability: float) -> str:
    """A probability, or another fraction, to four digits. Only 1 itself is 1.0000, and only 0 is 0.0000.

    >>> shown_probability(0.98553), shown_probability(0.999998), shown_probability(1.0)
    ('0.9855', '>0.9999', '1.0000')
    """
    if 1 - _LEAST < probability < 1:
        return f">{1 - _LEAST:.{_DIGITS}f}"
    return f"<{_LEAST:.{_DIGITS}f}" if 0 < probability < _LEAST else f"{probability:.{_DIGITS}f}"


def least_percentage(share: float) -> str:
    """A share in percent, rounded down to two digits, so that "at least" is true. Only 1 itself is 100%.

    >>> least_percentage(0.98553), least_percentage(0.999998), least_percentage(1.0)
    ('98.55%', '99.99%', '100%')
    """
    # 0.19 * 10,000 is 1899.9999999999998, because 0.19 is not a fraction of two.
    return "100%" if share == 1 else f"{min(math.floor(share * 10_000 + 1e-6), 9_999) / 100:.2f}%"
