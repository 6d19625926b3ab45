"""Numbers of things and of bytes, in words."""

from __future__ import annotations

_FOUR_DIGITS = 999.5
"""What is rounded to three digits from here on has an exponent."""


def counted(number: int, singular: str, plural: str = "") -> str:
    """A number of things."""
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"


def size(number: int) -> str:
    """Return a number of bytes, to three digits or the next whole unit."""
    for unit, name in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if number >= unit:
            figure = number / unit
            return f"{figure:.3g} {name}" if figure < _FOUR_DIGITS else f"{figure:,.0f} {name}"
    return counted(number, "byte")
