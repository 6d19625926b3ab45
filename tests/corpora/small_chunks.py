"""Small blocks and parts, so that a small file has several."""

from __future__ import annotations

import pytest

from simdocs.corpora import taken_over
from simdocs.corpora.containers import json_array, line_blocks, lines, tables


def cut_small(patch: pytest.MonkeyPatch, size: int) -> None:
    """Read as many bytes at once, and put about as many into a part."""
    for module in (json_array, lines, tables):
        patch.setattr(module, "BATCH_BYTES", size)
    for module in (line_blocks, taken_over):
        patch.setattr(module, "BLOCK", size)
    patch.setattr(line_blocks, "_PIECE", max(1, size >> 3))
