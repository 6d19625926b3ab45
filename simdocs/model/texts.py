"""Texts: the normalised texts of a batch."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simdocs.model.ragged import Array, Bytes, Index, Ragged

STRIDE = 1 << 15
"""Code points from one noted beginning to the next: to note all of them would take more memory than the text."""


def utf8_widths(points: Array) -> Bytes:
    """Bytes of each code point in UTF-8 (uint8); an escaped byte is one."""
    out = (points > 0x7F).view(np.uint8)
    out += points > 0x7FF
    if points.dtype.itemsize > 2:
        out += points > 0xFFFF
    out += np.uint8(1)
    escaped = points - points.dtype.type(0xDC80) <= 0x7F if points.dtype.itemsize > 1 else np.zeros(0, bool)
    if escaped.any():
        out[escaped] = 1
    return out


@dataclass(frozen=True, slots=True)
class Texts:
    """N normalised texts, end to end, as UTF-8 bytes and as code points.

    encoded: Ragged uint8, the UTF-8 bytes; a byte that was not valid UTF-8 stands for itself.
    points: Ragged, the code points: encoded itself (uint8) when every text is ASCII, else uint16 if all are below
        2^16, else uint32; an invalid byte b is 0xDC00 + b (PEP 383).
    starts: where the code points 0, STRIDE, 2 * STRIDE, ... begin in encoded.values (int64), the end being one more
        code point; or None when every text is ASCII and each byte is a code point.
    """

    encoded: Ragged
    codepoints: Ragged
    starts: Index | None = None

    def __len__(self) -> int:
        return len(self.encoded)

    @property
    def data(self) -> Bytes:
        """The UTF-8 bytes of all texts, end to end."""
        return self.encoded.values

    def byte_offsets(self, first: int, stop: int) -> Index:
        """Where the code points first to stop - 1 begin in data, and where the last of them ends: int64."""
        if self.starts is None:
            return np.arange(first, stop + 1)
        noted = first // STRIDE
        begins = np.empty(stop - noted * STRIDE + 1, np.int64)
        begins[0] = self.starts[noted]
        begins[1:] = utf8_widths(self.codepoints.values[noted * STRIDE : stop])
        np.cumsum(begins, out=begins)
        return begins[first - noted * STRIDE :]

    def byte_spans(self, starts: Index, stops: Index) -> tuple[Array, Array]:
        """Where the runs of the code points starts[i] to stops[i] - 1, which ascend, begin in data, and how many bytes
        each has."""
        edges = self.byte_offsets_at(np.column_stack((starts, stops)).ravel())
        return edges[::2], edges[1::2] - edges[::2]

    def byte_offsets_at(self, positions: Array) -> Array:
        """Where the code points at these positions, which ascend, begin in data."""
        if self.starts is None:
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
