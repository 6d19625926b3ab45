"""Bitmaps of token sets in plain Python, slow and obvious."""

from __future__ import annotations

from collections.abc import Set


def bitmap(tokens: Set[int], bits: int) -> int:
    """The bitmap as one number: each token changes the bit of its residue."""
    out = 0
    for token in tokens:
        out ^= 1 << token % bits
    return out


def differing(left: int, right: int) -> int:
    """The number of bits in which two bitmaps differ."""
    return (left ^ right).bit_count()
