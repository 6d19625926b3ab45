"""Batches: documents that are processed together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

BATCH_BYTES = 1 << 19
"""Bytes of text in a batch. By measurement, batches of 125 KB to 1 MB are fastest, because they stay in the cache.
Smaller batches spend their time on calls. With a whole corpus in one batch, a run takes three times as long."""

BATCH_DOCUMENTS = 4096
"""The largest number of documents in a batch. The facts of each take memory, too."""


def batches(sizes: Iterable[int], most_bytes: int = BATCH_BYTES) -> Iterator[range]:
    """Yield ranges of consecutive rows whose sizes add up to at most most_bytes. A larger document is alone."""
    start = total = end = 0
    for row, size in enumerate(sizes):
        if row > start and (total + size > most_bytes or row - start == BATCH_DOCUMENTS):
            yield range(start, row)
            start, total = row, 0
        total += size
        end = row + 1
    if start < end:
        yield range(start, end)
