"""Conversion between a text and the array of its code points."""

from __future__ import annotations

import numpy as np

from simdocs.model.ragged import Array


def to_codepoints(text: str) -> Array:
    """The code points of a text: (n,) uint32. Lone surrogates are kept."""
    return np.array([text]).view(np.uint32)[: len(text)]


def from_codepoints(codepoints: Array) -> str:
    """The text with these code points, given as (n,) uint32."""
    if not len(codepoints):
        return ""
    text: str = codepoints.view(f"U{len(codepoints)}").item()
    return text + "\0" * (len(codepoints) - len(text))  # NumPy drops NULs at the end
