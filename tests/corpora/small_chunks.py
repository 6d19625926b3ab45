"""Small blocks and chunks of lines, so that a small file has several."""

from __future__ import annotations

import pytest

from simdocs.corpora import jsonl, stable_read


def cut_small(patch: pytest.MonkeyPatch, size: int) -> None:
    """Read as many bytes at once, and cut chunks of at most as many."""
    patch.setattr(jsonl, "BATCH_BYTES", size)
    patch.setattr(stable_read, "MOST_BYTES", size)
    patch.setattr(stable_read, "USUAL_BYTES", max(1, size >> 1))
    patch.setattr(stable_read, "LEAST_BYTES", size >> 3)
