"""Normalised texts as they are written, piece by piece, into arrays that grow."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from simdocs.kernels.text.codepoints import from_codepoints
from simdocs.model.ragged import Array, Index, Ragged
from simdocs.model.texts import STRIDE, Texts, utf8_widths


class TextBuilder:
    """What is written so far. A bytearray grows in place, where a list of parts would be joined at the end, and be
    there twice."""

    def __init__(self) -> None:
        self._encoded = bytearray()
        self._points = bytearray()  # nothing as long as all is ASCII
        self._dtype: type[np.unsignedinteger] = np.uint8
        self._count = 0
        self._lengths: list[Index] = []
        self._sizes: list[Index] = []
        self._starts: list[Index] = []

    def rows(self, codes: Ragged) -> None:
        """Write these texts: code points, Ragged uint8 or uint32."""
        begins = self._add(codes.values)
        self._lengths.append(codes.lengths)
        self._sizes.append(codes.lengths if begins is None else np.diff(begins[codes.offsets]))

    def row(self, pieces: Iterable[Array]) -> None:
        """Write one text, given in pieces."""
        count, size = self._count, len(self._encoded)
        for codes in pieces:
            self._add(codes)
        self._lengths.append(np.array([self._count - count]))
        self._sizes.append(np.array([len(self._encoded) - size]))

    def _add(self, codes: Array) -> Index | None:
        """Write code points; where each begins in their bytes, and where these end. None: each is one byte."""
        size, next_noted = len(self._encoded), -self._count % STRIDE
        greatest = int(codes.max(initial=0))
        begins = None
        if greatest > 127:
            self._widen(np.uint16 if greatest <= 0xFFFF else np.uint32)
            begins = np.zeros(len(codes) + 1, np.int64)
            np.cumsum(utf8_widths(codes), out=begins[1:])
            self._encoded += from_codepoints(codes).encode("utf-8", "surrogateescape")
            self._starts.append(size + begins[next_noted:-1:STRIDE])
        else:
            self._encoded += codes.astype(np.uint8, copy=False).data
            self._starts.append(np.arange(size + next_noted, size + len(codes), STRIDE))
        if self._dtype is not np.uint8:
            self._points += codes.astype(self._dtype, copy=False).data
        self._count += len(codes)
        return begins

    def _widen(self, dtype: type[np.unsignedinteger]) -> None:
        """Hold points so wide at least."""
        if np.dtype(self._dtype).itemsize >= np.dtype(dtype).itemsize:
            return
        narrow = np.frombuffer(self._encoded if self._dtype is np.uint8 else self._points, self._dtype)
        wide = bytearray()
        for at in range(0, len(narrow), STRIDE):
            wide += narrow[at : at + STRIDE].astype(dtype).data
        self._points, self._dtype = wide, dtype

    def texts(self) -> Texts:
        """All that was written."""
        nothing = np.empty(0, np.int64)
        lengths = np.concatenate([nothing, *self._lengths])
        encoded = Ragged.from_lengths(np.frombuffer(self._encoded, np.uint8), np.concatenate([nothing, *self._sizes]))
        if self._dtype is np.uint8:
            return Texts(encoded, encoded)
        if self._count % STRIDE == 0:
            self._starts.append(np.array([len(self._encoded)]))
        points = Ragged.from_lengths(np.frombuffer(self._points, self._dtype), lengths)
        return Texts(encoded, points, np.concatenate(self._starts))
