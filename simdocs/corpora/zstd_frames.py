"""Zstandard: the frames of a file. Skippable frames have no content."""

from __future__ import annotations

from typing import Any, NamedTuple

from simdocs.corpora.compression import Compressor, library, misnamed
from simdocs.extras import needs
from simdocs.model.skipped import DocumentSkipped
from simdocs.options.file_formats import COMPRESSIONS

_MAGIC = b"\x28\xb5\x2f\xfd"

_HEAD = 18
"""The longest header of a frame, in bytes."""

_LARGEST_WINDOW = 1 << 27
"""The largest window that the library decompresses by default. It is also the most memory that a stream takes."""

_DICTIONARY_BYTES = (0, 1, 2, 4)
"""The size of the field for the id of a dictionary, by the last two bits of the descriptor of the frame."""


class _Frame:
    """Decompresses one frame: see Frame of compression.py. zstd: the library. is_first: whether the file begins so."""

    __slots__ = ("_error", "_head", "_is_first", "_size", "_zstd")

    def __init__(self, zstd: Any, *, is_first: bool) -> None:
        self._zstd, self._error = zstd.ZstdDecompressor(), zstd.ZstdError
        self._head, self._is_first, self._size = b"", is_first, 0

    @property
    def eof(self) -> bool:
        return bool(self._zstd.eof)

    @property
    def is_hungry(self) -> bool:
        return bool(self._zstd.needs_input)

    @property
    def rest(self) -> bytes:
        return bytes(self._zstd.unused_data)

    def decompress(self, data: bytes, most: int) -> bytes:
        if len(self._head) < _HEAD:
            self._head += data[:_HEAD]
        try:
            content = bytes(self._zstd.decompress(data, most))
        except self._error as error:
            raise DocumentSkipped("malformed", self._trouble(str(error))) from None
        self._size += len(content)
        if self.eof and self._head.startswith(_MAGIC):
            stated = _stated(self._head).size
            if stated not in (None, self._size):  # the library does not always find this
                why = f"a damaged zstd file: {self._size:,} bytes were found where {stated:,} are stated"
                raise DocumentSkipped("malformed", why)
        return content

    def _trouble(self, error: str) -> str:
        """What is wrong with the frame, for a message."""
        if not self._head.startswith(_MAGIC):
            what = misnamed(self._head, "a zstd file")
            return what if self._is_first else "a zstd file with other data after its end"
        window, dictionary, _ = _stated(self._head)
        if window > _LARGEST_WINDOW:
            most = f"at most {_LARGEST_WINDOW >> 20} MiB are supported"
            return f"a zstd file with a window of {window >> 20} MiB, and {most}: compress it again without --long"
        if dictionary:
            return f"a zstd file that needs its dictionary (ID {dictionary}): decompress it with zstd -d -D DICTIONARY"
        if "checksum" in error:
            return "a damaged zstd file, whose checksum does not match"
        return "a damaged zstd file, or one that needs a dictionary"


class _Stated(NamedTuple):
    """What the header of a frame states.

    window: the size of the window in bytes.
    dictionary: the id of the dictionary; 0: none.
    size: the size of the content; None: it is not stated.
    """

    window: int
    dictionary: int
    size: int | None


def _stated(head: bytes) -> _Stated:
    """What the header at the beginning of these bytes states: RFC 8878, section 3.1.1.1."""
    head = head.ljust(_HEAD, b"\0")
    descriptor, at, window = head[4], 5, 0
    is_single_segment = descriptor & 0x20
    if not is_single_segment:
        window = 1 << (10 + (head[at] >> 3))
        window += (window >> 3) * (head[at] & 7)
        at += 1
    width = _DICTIONARY_BYTES[descriptor & 3]
    dictionary = int.from_bytes(head[at : at + width], "little")
    at += width
    width = 1 << (descriptor >> 6)
    if width == 1 and not is_single_segment:
        return _Stated(window, dictionary, None)
    size = int.from_bytes(head[at : at + width], "little") + (256 if width == 2 else 0)
    return _Stated(window or size, dictionary, size)


class _Zstd:
    """Zstandard as a member of the family: see Compression."""

    padding = "zstd data without content"

    def frame(self, *, is_first: bool) -> _Frame:
        """The decompressor of a frame. Raises DocumentSkipped: uninstalled."""
        member = COMPRESSIONS["zstd"]
        return _Frame(library(member.module, f"reading {member.help}"), is_first=is_first)

    def unpadded(self, data: bytes) -> bytes:
        """The same bytes: nothing may stand between frames."""
        return data

    def compressor(self, name: str = "") -> Compressor:
        """A new compressor, which adds a checksum. Raises MissingExtraError."""
        member = COMPRESSIONS["zstd"]
        zstd = needs(member.module, f"writing {member.help}", name)
        made: Compressor = zstd.ZstdCompressor(options={zstd.CompressionParameter.checksum_flag: 1})
        return made


ZSTD = _Zstd()
