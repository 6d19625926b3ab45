"""Small blocks and chunks of lines, so that a small file has several."""

from __future__ import annotations

import pytest

from simdocs.corpora.containers import line_stretches, lines


def cut_small(patch: pytest.MonkeyPatch, size: int) -> None:
    """Read as many bytes at once, and cut chunks of at most as many."""
    patch.setattr(lines, "BATCH_BYTES", size)
    patch.setattr(line_stretches, "BATCH_BYTES", size)
    patch.setattr(lines, "MOST_BYTES", size)
    patch.setattr(lines, "USUAL_BYTES", max(1, size >> 1))
    patch.setattr(lines, "LEAST_BYTES", size >> 3)
