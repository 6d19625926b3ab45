"""Small blocks and batches, so that a small file has several."""

from __future__ import annotations

import pytest

from simdocs.reading import batches, unchanged
from simdocs.reading.files import Source
from simdocs.reading.formats import lines, tables


def cut_small(patch: pytest.MonkeyPatch, size: int) -> None:
    """Read about as many bytes at once, and put about as many into a block or batch."""
    for module in (batches, tables):
        patch.setattr(module, "BATCH_BYTES", size)
    for module in (lines, unchanged):
        patch.setattr(module, "BLOCK", size)
    patch.setattr(lines, "_PIECE", max(1, size >> 3))
    patch.setattr(Source.pieces, "__defaults__", (size,))
