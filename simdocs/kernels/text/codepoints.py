"""A text as an array of code points, and the other way round."""

from __future__ import annotations

import numpy as np

from simdocs.model.ragged import Array


def to_codepoints(text: str) -> Array:
    """The code points of a text, lone surrogates included: uint32."""
    return np.array([text]).view(np.uint32)[: len(text)]


def from_codepoints(codes: Array) -> str:
    """The text of these code points (uint32)."""
    if not len(codes):
        return ""
    text: str = codes.view(f"U{len(codes)}").item()
    return text + "\0" * (len(codes) - len(text))  # NumPy drops NULs at the end
