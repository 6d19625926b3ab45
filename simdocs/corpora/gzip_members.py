"""gzip: the members of a file, with any number of zeros after each."""

from __future__ import annotations

import zlib

from simdocs.corpora.compression import Compressor, misnamed
from simdocs.model.skipped import DocumentSkipped

_MAGIC = b"\x1f\x8b"

_GZIP = 31
"""The value of `wbits` for gzip with the largest window."""


class _Member:
    """Decompresses one member: see Frame."""

    __slots__ = ("_is_new", "_zlib")

    is_hungry = True

    def __init__(self, state: zlib._Decompress, *, is_new: bool) -> None:
        self._zlib, self._is_new = state, is_new

    @property
    def eof(self) -> bool:
        return self._zlib.eof

    @property
    def rest(self) -> bytes:
        return self._zlib.unused_data or self._zlib.unconsumed_tail

    def decompress(self, data: bytes, most: int) -> bytes:
        try:
            content = self._zlib.decompress(data, most)
        except zlib.error:
            if self._is_new and not data.startswith(_MAGIC):
                raise DocumentSkipped("malformed", misnamed(data, "a gzip file")) from None
            raise DocumentSkipped("malformed", "not a gzip file, or a damaged one") from None
        self._is_new = False
        return content


class _Gzip:
    """gzip as a member of the family: see Compression."""

    padding = "zeros after its end"

    def frame(self, *, is_first: bool) -> _Member:
        """The decompressor of a member."""
        return _Member(zlib.decompressobj(wbits=_GZIP), is_new=is_first)

    def unpadded(self, data: bytes) -> bytes:
        """Bytes after a member, without zeros."""
        return data.lstrip(b"\0")

    def compressor(self, name: str = "") -> Compressor:  # noqa: ARG002  (Python has zlib)
        """A new compressor. The header that zlib writes has no name and no time."""
        return zlib.compressobj(wbits=_GZIP)


GZIP = _Gzip()
