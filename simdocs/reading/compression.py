"""Compressed files: decompress one up to a limit, or piece by piece. Only the wanted bytes are held in memory.

A compressed file is a sequence of frames, which gzip calls members.
"""

from __future__ import annotations

import codecs
import io
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from types import ModuleType
from typing import Any

from simdocs.errors import MissingExtraError
from simdocs.extras import needs
from simdocs.model.skipped import DocumentSkipped
from simdocs.names import display_name
from simdocs.options.families import COMPRESSIONS, compression_of
from simdocs.reading.decode import binary_format

PADDING = 64 << 20
"""The most compressed bytes without content, such as zeros after a gzip member. More are not padding: reading through a
hole of terabytes would take hours."""

_COMPRESSED_AT_ONCE = 1 << 14
"""Compressed bytes that are read at once."""

_PIECE = 1 << 18
"""Decompressed bytes that are produced at once. Without this, 16 KiB of input could become 16 MiB."""

_GZIP = 31
"""The value of `wbits` for gzip with the largest window. The header that zlib writes has no name and no time."""

_MAGIC = {"gzip": b"\x1f\x8b", "zstd": b"\x28\xb5\x2f\xfd"}

_HEAD = 16
"""Bytes at the beginning of a frame that tell what it is."""


def misnamed(head: bytes, what: str, suffix: bytes = b"") -> str:
    """The detail of the skip of a file that begins with these bytes, and not as `what`. suffix: of its name."""
    found = binary_format(head, suffix)
    if not found:
        with suppress(UnicodeDecodeError):
            text = codecs.getincrementaldecoder("utf-8-sig")().decode(head)  # it may be cut within a character
            if text and all(character.isprintable() or character in "\t\n\r" for character in text):
                found = "text: give the file a name that ends as what it is"
    return f"not {what}, but {found}" if found else f"not {what}"


def library(module: str, what: str) -> ModuleType:
    """Import a module of an optional library to read a file: see `needs`.

    Raises DocumentSkipped (uninstalled): it cannot be imported. A file that a walk found is then skipped. One that was
    named is an error, before any file is read: see `need_libraries`.
    """
    try:
        return needs(module, what)
    except MissingExtraError as error:
        raise DocumentSkipped("uninstalled", error.problem) from error


def pieces(name: str, source: Callable[[int], bytes]) -> Iterator[bytes]:
    """Yield the content of a compressed file in pieces of at most 256 KiB, and never an empty one.

    name: the compression. source: returns compressed bytes from an offset on, none at the end.

    Raises DocumentSkipped, after the content before it: malformed (damaged, cut short, not compressed so, followed by
    other data than padding); uninstalled.
    """
    begin: Callable[[], Any] = partial(zlib.decompressobj, _GZIP)
    damage: type[Exception] = zlib.error
    if name == "zstd":
        zstd = library(COMPRESSIONS[name].module, f"reading {COMPRESSIONS[name].help}")
        begin, damage = zstd.ZstdDecompressor, zstd.ZstdError
    what, frame, is_first, head, data = f"a {name} file", begin(), True, b"", b""
    at = useful = 0  # compressed bytes that were read, and how many up to the last content
    while True:
        if is_hungry := not data and getattr(frame, "needs_input", True):
            data = source(at)
            at += len(data)
        is_end = is_hungry and not data
        if at - useful > PADDING:
            raise DocumentSkipped("malformed", f"{what} with more than {PADDING >> 20} MiB of padding")
        if not head and not is_first:
            data = data.lstrip(b"\0") if name == "gzip" else data
            if is_end:
                return
        head += data[: _HEAD - len(head)]
        try:
            piece = frame.decompress(data, _PIECE)
        except damage as error:
            why = f"{what} that cannot be decompressed: {str(error).rpartition(': ')[2]}"
            if not head.startswith(_MAGIC[name]):
                why = misnamed(head, what) if is_first else f"{what} with other data after its end"
            raise DocumentSkipped("malformed", why) from None
        if is_end and not piece and not frame.eof:
            raise DocumentSkipped("malformed", f"{what} cut short")
        data = frame.unused_data or getattr(frame, "unconsumed_tail", b"")  # a frame of zstd keeps what it has not used
        if frame.eof:
            frame, is_first, head = begin(), False, b""
        if piece:
            useful = at
            yield piece


def decompress(name: str, data: bytes, limit: int) -> bytes:
    """The content of a whole compressed file, with all its frames. name: the compression.

    Raises DocumentSkipped: oversized (more than limit bytes, which are never held in memory); malformed (damaged, cut
    short, not compressed so); uninstalled.
    """
    content = io.BytesIO()  # grows in place, and hands over what it holds without a copy
    for piece in pieces(name, lambda offset: data[offset : offset + _COMPRESSED_AT_ONCE]):
        content.write(piece)
        if content.tell() > limit:
            raise DocumentSkipped("oversized", f"more than {limit} bytes decompressed")
    return content.getvalue()


def regrouped(content: Iterator[bytes], size: int) -> Iterator[bytes]:
    """Yield the same content `size` bytes at a time; fewer only at the end, or before what the iterator raises."""
    held = bytearray()
    try:
        for piece in content:
            held += piece
            while len(held) >= size:
                yield bytes(held[:size])
                del held[:size]
    except DocumentSkipped:
        if held:
            yield bytes(held)
        raise
    if held:
        yield bytes(held)


class CompressedSink:
    """Takes the content of a file, and passes it on compressed as its name says; as it is, if it says nothing.

    The same content becomes the same bytes, however it is cut.

    name: of the file. sink: takes the bytes of the file.
    Raises MissingExtraError.
    """

    def __init__(self, name: bytes, sink: Callable[[bytes], object]) -> None:
        self._sink, known = sink, compression_of(name)
        self._compressor: Any = zlib.compressobj(wbits=_GZIP) if known == "gzip" else None
        if known == "zstd":
            zstd = needs(COMPRESSIONS[known].module, f"writing {COMPRESSIONS[known].help}", display_name(name))
            self._compressor = zstd.ZstdCompressor(options={zstd.CompressionParameter.checksum_flag: 1})

    def write(self, data: bytes) -> None:
        """Take the next bytes of the content."""
        if piece := data if self._compressor is None else self._compressor.compress(data):
            self._sink(piece)

    def end(self) -> None:
        """Pass on the rest, when all content was taken."""
        if self._compressor is not None:
            self._sink(self._compressor.flush())
