"""Small blocks and batches, so that a small file has several."""

from __future__ import annotations

import pytest

from simdocs.reading import batches, compression, file_list, files, read_tasks, unchanged
from simdocs.reading.files import Source
from simdocs.reading.formats import delimited, lines, rows, tables

PARTS = {
    3: ((lines, "_PIECE"),),
    5: ((batches, "MOST_ROWS"), (lines, "MOST_ROWS")),
    7: ((unchanged, "AT_ONCE"),),
    9: ((file_list, "_AT_ONCE"),),
    11: ((tables, "_MOST_ROWS"), (read_tasks, "_AT_ONCE")),
}
"""What is small beside a block, by the bits of a usual one that it lacks."""


def cut_small(patch: pytest.MonkeyPatch, size: int) -> None:
    """Read about as many bytes at once, and put about as many into a block or batch."""
    for module in (batches, rows, tables):
        patch.setattr(module, "BATCH_BYTES", size)
    for module in (lines, unchanged):
        patch.setattr(module, "BLOCK", size)
    for module, name in (
        (compression, "_PIECE"),
        (files, "_AT_ONCE"),
        (delimited, "_AT_ONCE"),
    ):
        patch.setattr(module, name, size)
    for bits, parts in PARTS.items():
        for module, name in parts:
            patch.setattr(module, name, max(1, size >> bits))
    patch.setattr(Source.pieces, "__defaults__", (size,))
