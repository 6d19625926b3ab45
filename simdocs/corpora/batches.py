"""Batches: as many documents as are worked on at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

BATCH_BYTES = 1 << 19
"""Text in a batch. Measured: from 125 KB to 1 MB it stays in cache; less pays for calls, a whole corpus is thrice."""

BATCH_DOCUMENTS = 4096
"""Documents in a batch: what is noted of each is not free either."""


def batches(sizes: Sequence[int], most_bytes: int = BATCH_BYTES) -> Iterator[range]:
    """Rows in a row whose sizes add up to most_bytes at most; a larger document is alone."""
    start = total = 0
    for row, size in enumerate(sizes):
        if row > start and (total + size > most_bytes or row - start == BATCH_DOCUMENTS):
            yield range(start, row)
            start, total = row, 0
        total += size
    if start < len(sizes):
        yield range(start, len(sizes))
