"""Texts: the normalised texts of a batch."""

from __future__ import annotations

from dataclasses import dataclass

from simdocs.model.ragged import Array, Bytes, Index, Ragged


@dataclass(frozen=True, slots=True)
class Texts:
    """N normalised texts, end to end, as UTF-8 bytes and as code points.

    encoded: Ragged uint8, the UTF-8 bytes; a byte that was not valid UTF-8 stands for itself.
    points: Ragged, the code points: encoded itself (uint8) when every text is ASCII, else uint32, where an invalid
        byte b is 0xDC00 + b (PEP 383).
    starts: where each code point begins in encoded.values, one more at the end: (points + 1,) int64, or None when
        every text is ASCII and each byte is a code point.
    """

    encoded: Ragged
    points: Ragged
    starts: Index | None = None

    def __len__(self) -> int:
        return len(self.encoded)

    @property
    def data(self) -> Bytes:
        """The UTF-8 bytes of all texts, end to end."""
        return self.encoded.values

    def bytes_at(self, position: Array) -> Array:
        """Where the code points at these positions begin in data."""
        return position if self.starts is None else self.starts[position]
