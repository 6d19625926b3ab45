"""A builder of normalised texts: code points are appended, and arrays grow."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from simdocs.kernels.text.codepoints import from_codepoints
from simdocs.model.ragged import Array, Index, Ragged
from simdocs.model.texts import STRIDE, Texts, utf8_widths


class TextBuilder:
    """Collects code points and makes Texts of them.

    The bytes and the code points grow in bytearrays, in place. A list of parts would have to be joined at the end, and
    would be in memory twice.
    """

    def __init__(self) -> None:
        self._encoded = bytearray()
        self._codepoints = bytearray()  # empty while all text is ASCII: the bytes are the code points
        self._dtype: type[np.unsignedinteger] = np.uint8
        self._count = 0
        self._lengths: list[Index] = []
        self._sizes: list[Index] = []
        self._stride_offsets: list[Index] = []

    def append_texts(self, codepoints: Ragged) -> None:
        """Append whole texts, given as code points: Ragged uint8 or uint32."""
        begins = self._append(codepoints.values)
        self._lengths.append(codepoints.lengths)
        self._sizes.append(codepoints.lengths if begins is None else np.diff(begins[codepoints.offsets]))

    def append_text(self, pieces: Iterable[Array]) -> None:
        """Append one text, given as pieces of code points: uint8 or uint32 each."""
        count, size = self._count, len(self._encoded)
        for codepoints in pieces:
            self._append(codepoints)
        self._lengths.append(np.array([self._count - count]))
        self._sizes.append(np.array([len(self._encoded) - size]))

    def _append(self, codepoints: Array) -> Index | None:
        """Append code points. Returns where each begins in their UTF-8 bytes, and the end; None if all are ASCII."""
        size, next_noted = len(self._encoded), -self._count % STRIDE
        greatest = int(codepoints.max(initial=0))
        begins = None
        if greatest > 127:
            self._widen(np.uint16 if greatest <= 0xFFFF else np.uint32)
            begins = np.zeros(len(codepoints) + 1, np.int64)
            np.cumsum(utf8_widths(codepoints), out=begins[1:])
            self._encoded += from_codepoints(codepoints).encode("utf-8", "surrogateescape")
            self._stride_offsets.append(size + begins[next_noted:-1:STRIDE])
        else:
            self._encoded += codepoints.astype(np.uint8, copy=False).data
            self._stride_offsets.append(np.arange(size + next_noted, size + len(codepoints), STRIDE))
        if self._dtype is not np.uint8:
            self._codepoints += codepoints.astype(self._dtype, copy=False).data
        self._count += len(codepoints)
        return begins

    def _widen(self, dtype: type[np.unsignedinteger]) -> None:
        """Store code points in this dtype from now on, unless a wider one is in use already."""
        if np.dtype(self._dtype).itemsize >= np.dtype(dtype).itemsize:
            return
        narrow = np.frombuffer(self._encoded if self._dtype is np.uint8 else self._codepoints, self._dtype)
        wide = bytearray()
        for at in range(0, len(narrow), STRIDE):
            wide += narrow[at : at + STRIDE].astype(dtype).data
        self._codepoints, self._dtype = wide, dtype

    def build(self) -> Texts:
        """All texts that were appended, in order."""
        nothing = np.empty(0, np.int64)
        lengths = np.concatenate([nothing, *self._lengths])
        encoded = Ragged.from_lengths(np.frombuffer(self._encoded, np.uint8), np.concatenate([nothing, *self._sizes]))
        if self._dtype is np.uint8:
            return Texts(encoded, encoded)
        if self._count % STRIDE == 0:
            self._stride_offsets.append(np.array([len(self._encoded)]))
        codepoints = Ragged.from_lengths(np.frombuffer(self._codepoints, self._dtype), lengths)
        return Texts(encoded, codepoints, np.concatenate(self._stride_offsets))
