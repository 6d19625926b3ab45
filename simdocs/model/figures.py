"""Numbers as people read them: counts, sizes, probabilities and estimates."""

from __future__ import annotations

import math

_DIGITS = 4
_SMALLEST = 10**-_DIGITS

_PERCENT_DIGITS = 6
"""Decimal places of a percentage at most."""

_FOUR_DIGITS = 999.5
"""From here on, a number rounded to three digits has an exponent."""

_WHOLE, _LEAST = 9.5, 0.001


STEPS = 20
"""Pairs are counted by the twentieth in which their similarity is; 1 is one of its own."""


def counted(number: int, singular: str, plural: str = "") -> str:
    """A number of things."""
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"


def size(number: int) -> str:
    """A number of bytes, to three digits or the next whole unit."""
    for unit, name in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if number >= unit:
            rounded = number / unit
            return f"{rounded:.3g} {name}" if rounded < _FOUR_DIGITS else f"{rounded:,.0f} {name}"
    return counted(number, "byte")


def shown_probability(probability: float) -> str:
    """A probability, or another fraction, to four digits. Only 1 itself is 1.0000, and only 0 is 0.0000.

    >>> shown_probability(0.98553), shown_probability(0.999998), shown_probability(1.0)
    ('0.9855', '>0.9999', '1.0000')
    """
    if 1 - _SMALLEST < probability < 1:
        return f">{1 - _SMALLEST:.{_DIGITS}f}"
    return f"<{_SMALLEST:.{_DIGITS}f}" if 0 < probability < _SMALLEST else f"{probability:.{_DIGITS}f}"


def least_percentage(share: float) -> str:
    """A share in percent, rounded down to two digits, so that "at least" is true. Only 1 itself is 100%.

    >>> least_percentage(0.98553), least_percentage(0.999998), least_percentage(1.0)
    ('98.55%', '99.99%', '100%')
    """
    # 0.19 * 10,000 is 1899.9999999999998, because 0.19 is not a fraction of two.
    return "100%" if share == 1 else f"{min(math.floor(share * 10_000 + 1e-6), 9_999) / 100:.2f}%"


def percentage(share: float, threshold: float) -> str:
    """A share in percent, with as many digits as show on which side of 0, of 1 and of the threshold it is."""
    if share in (0, 1):
        return f"{share:.0%}"
    for digits in range(1, _PERCENT_DIGITS + 1):
        shown = float(f"{share:.{digits + 2}f}")
        if 0 < shown < 1 and (shown >= threshold) == (share >= threshold):
            break
    return f"{share:.{digits}%}"


def figure(number: float) -> str:
    """A number of pairs, which may be an expected one: whole from ten on, with two digits below."""
    if number >= _WHOLE or number == int(number):
        return f"{number:,.0f}"
    return f"{number:.2g}" if number >= _LEAST else f"< {_LEAST}"


def cut_in_words(bands: int, rows: int) -> str:
    """The numbers of bands and rows, in words."""
    return f"{counted(bands, 'band')} of {counted(rows, 'row')}"


def found_by(bands: int, rows: int, threshold: float, probability: float) -> str:
    """A phrase about the fraction of the pairs at a threshold that these bands find."""
    find = "finds" if bands == 1 else "find"
    return f"{cut_in_words(bands, rows)} {find} {at_least(probability, threshold)}"


def at_least(probability: float, threshold: float) -> str:
    """A phrase about the fraction of pairs that is found at a threshold, and above it unless it is 1."""
    more = ", more above" if threshold < 1 and probability < 1 else ""
    return f"at least {least_percentage(probability)} of pairs at {threshold:g}{more}"
