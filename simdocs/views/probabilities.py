"""Probabilities for people."""

from __future__ import annotations

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
