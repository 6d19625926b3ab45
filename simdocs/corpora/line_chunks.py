"""Cut the lines of a JSON Lines file into chunks where their content says so.

The places of the cuts depend on the lines nearby and not on their positions. So after lines were inserted, removed or
changed, most chunks are the same as before, and what is known about them can be used again (content-defined chunking:
Muthitacharoen, Chen, Mazieres, A Low-bandwidth Network File System, SOSP 2001, section 3.1).
"""

from __future__ import annotations

import numpy as np

from simdocs.corpora.batches import BATCH_BYTES
from simdocs.model.ragged import Array, Index

MOST_BYTES = BATCH_BYTES
"""Bytes of a chunk, unless it is a single longer line."""

USUAL_BYTES = MOST_BYTES >> 2
"""Bytes of a chunk on average, beyond the least."""

LEAST_BYTES = MOST_BYTES >> 4
"""A cut is not made before a chunk has as many bytes. Each chunk costs a record and a task."""

MOST_LINES = 1 << 14
"""Lines in a chunk. Only chunks of very short lines have as many. What is found out about each takes memory, too."""

_LINE_FEED = 10

_FACTORS = tuple(np.uint64(factor) for factor in (0x9FB21C651E98DF25, 0xD6E8FEB86659FD93, 0xC2B2AE3D27D4EB4F))
"""Odd numbers with about as many bits set as not."""


def cut_lines(data: bytes, *, to_end: bool) -> list[tuple[int, int]]:
    """The end of each chunk of whole lines, ascending, and its number of lines.

    What lies after the last end belongs to a later chunk.

    data begins a chunk, and ends with a line feed. to_end: the file ends here, so the last chunk is complete, and its
    last line may lack the line feed. A chunk has at most MOST_BYTES, unless it is a single line, and MOST_LINES.
    """
    ends = np.flatnonzero(np.frombuffer(data, np.uint8) == _LINE_FEED) + 1
    if to_end and len(data) and (not len(ends) or ends[-1] < len(data)):
        ends = np.append(ends, len(data))
    good = np.flatnonzero(_good_ends(data, ends))
    found, line, at = list[tuple[int, int]](), 0, 0
    while line < len(ends):
        after = int(np.searchsorted(ends, at + MOST_BYTES, side="right"))  # the first line that is too much
        most = max(line + 1, min(after, line + MOST_LINES))
        enough = int(np.searchsorted(ends, at + LEAST_BYTES))
        next_good = int(np.searchsorted(good, max(line, enough)))
        stop = int(good[next_good]) + 1 if next_good < len(good) else most + 1
        if stop > most == len(ends) and most - line < MOST_LINES:
            break  # nothing says yet where this chunk ends
        stop = min(stop, most)
        at = int(ends[stop - 1])
        found.append((at, stop - line))
        line = stop
    if to_end and len(data) > at:
        found.append((len(data), len(ends) - line))
    return found


def _good_ends(data: bytes, ends: Index) -> Array:
    """Which lines are good to cut after: (n,) bool. A line is with a probability that is proportional to its length."""
    if not len(ends):
        return np.empty(0, bool)
    values = np.frombuffer(data, np.uint8)
    starts = np.append(0, ends[:-1])
    lengths = ends - starts
    mixed = lengths.astype(np.uint64) * _FACTORS[0]
    # Lines often end alike, so some bytes are taken from the middle.
    for factor, first in zip(_FACTORS[1:], (ends - 9, starts + lengths // 2), strict=True):
        sample = np.zeros(len(ends), np.uint64)
        for place in range(8):
            sample <<= np.uint64(8)
            sample |= values[np.clip(first + place, starts, ends - 1)]
        mixed ^= sample * factor
        mixed ^= mixed >> np.uint64(29)
        mixed *= factor
    good: Array = (mixed >> np.uint64(32)) * np.uint64(USUAL_BYTES) < lengths.astype(np.uint64) << np.uint64(32)
    return good
