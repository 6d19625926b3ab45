"""The normalised texts of a batch of documents, as UTF-8 bytes and as code points."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from simdocs.model.ragged import Array, Bytes, Index, Ragged, offsets_of, row_blocks

STRIDE = 1 << 15
"""Distance between the code points whose byte offsets are stored. All offsets would take more memory than the text."""


def utf8_widths(codepoints: Array) -> Bytes:
    """The number of UTF-8 bytes of each code point: uint8 (n,). A surrogate that stands for an invalid byte has 1."""
    out = (codepoints > 0x7F).view(np.uint8)
    out += codepoints > 0x7FF
    if codepoints.dtype.itemsize > 2:
        out += codepoints > 0xFFFF
    out += np.uint8(1)
    if codepoints.dtype.itemsize > 1:
        escaped = codepoints - codepoints.dtype.type(0xDC80) <= 0x7F
        if escaped.any():
            out[escaped] = 1
    return out


@dataclass(frozen=True, slots=True)
class Texts:
    """N normalised texts, end to end, as UTF-8 bytes and as code points.

    encoded: Ragged uint8, the UTF-8 bytes. A byte that was not valid UTF-8 is kept as it is.
    codepoints: Ragged, the code points. It is `encoded` itself (uint8) if every text is ASCII, else uint16 if all code
        points are below 2^16, else uint32. An invalid byte b is the code point 0xDC00 + b (PEP 383).
    stride_offsets: int64, where in `data` the code points 0, STRIDE, 2 * STRIDE, ... begin; the end counts as one more
        code point. None if every text is ASCII, where each byte is a code point.
    """

    encoded: Ragged
    codepoints: Ragged
    stride_offsets: Index | None = None

    def __len__(self) -> int:
        return len(self.encoded)

    @property
    def data(self) -> Bytes:
        """The UTF-8 bytes of all texts, end to end: uint8."""
        return self.encoded.values

    def byte_offsets(self, first: int, stop: int) -> Index:
        """Where in `data` the code points first to stop - 1 begin, and where the last ends: int64 (stop-first+1,)."""
        if self.stride_offsets is None:
            return np.arange(first, stop + 1)
        noted = first // STRIDE
        begins = np.empty(stop - noted * STRIDE + 1, np.int64)
        begins[0] = self.stride_offsets[noted]
        begins[1:] = utf8_widths(self.codepoints.values[noted * STRIDE : stop])
        np.cumsum(begins, out=begins)
        return begins[first - noted * STRIDE :]

    def byte_spans(self, starts: Index, stops: Index) -> tuple[Array, Array]:
        """Where in `data` runs of code points begin, and how many bytes each has: two arrays of int64 (n,).

        Run i is the code points starts[i] to stops[i] - 1. The runs ascend and do not overlap.
        """
        edges = self.byte_offsets_at(np.column_stack((starts, stops)).ravel())
        return edges[::2], edges[1::2] - edges[::2]

    def byte_offsets_at(self, positions: Array) -> Array:
        """Where in `data` the code points at these positions begin: int64 (n,). The positions (n,) ascend."""
        if self.stride_offsets is None:
            return positions
        out = np.empty(len(positions), np.int64)
        if not len(positions):
            return out
        size = len(self.codepoints.values)
        first, last = int(positions[0]) // STRIDE, int(positions[-1]) // STRIDE
        cuts = np.searchsorted(positions, np.arange(first, last + 2) * STRIDE).tolist()
        for noted, low, high in zip(range(first, last + 1), cuts[:-1], cuts[1:], strict=True):
            if low < high:
                at = noted * STRIDE
                out[low:high] = self.byte_offsets(at, min(at + STRIDE, size))[positions[low:high] - at]
        return out


BATCH_BYTES = 1 << 19
"""Bytes of text in a batch. By measurement, batches of 125 KB to 1 MB are fastest, because they stay in the cache.
Smaller batches spend their time on calls. With a whole corpus in one batch, a run takes three times as long."""

BATCH_DOCUMENTS = 4096
"""The largest number of documents in a batch. The facts of each take memory, too."""


def batches(sizes: Index, most_bytes: int = BATCH_BYTES) -> Iterator[range]:
    """Yield ranges of consecutive rows whose sizes (N,) add up to at most most_bytes. A larger document is alone."""
    no_more = np.minimum(sizes, most_bytes + 1)  # a file may have holes of exabytes, and sizes are added up
    return (range(*block) for block in row_blocks(offsets_of(no_more), most_bytes, BATCH_DOCUMENTS))
