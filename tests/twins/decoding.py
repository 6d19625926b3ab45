"""The twin of decoding: UTF-16 and UTF-32 by their byte order marks, compressed files, and binary files."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Any

from tests.packing import zstd

WIDE = {  # UTF-32 first, since its little-endian mark begins with the other's
    b"\xff\xfe\0\0": (4, "little"),
    b"\0\0\xfe\xff": (4, "big"),
    b"\xff\xfe": (2, "little"),
    b"\xfe\xff": (2, "big"),
}


def utf8(data: bytes) -> bytes:
    """Return a text as UTF-8 without its byte order mark. Invalid units of UTF-16 and UTF-32 keep their bytes."""
    for mark, (width, order) in WIDE.items():
        if data.startswith(mark):
            return b"".join(_characters(data[len(mark) :], width, order))
    return data.removeprefix(b"\xef\xbb\xbf")


def _characters(data: bytes, width: int, order: Any) -> Iterator[bytes]:
    at = 0
    while unit := data[at : at + width]:
        code, low = (int.from_bytes(data[place : place + width], order) for place in (at, at + width))
        at += width
        if width == 2 and 0xD800 <= code < 0xDC00 <= low < 0xE000 and at + width <= len(data):
            yield chr(0x10000 + (code - 0xD800 << 10) + low - 0xDC00).encode()
            at += width
        elif len(unit) == width and code <= 0x10FFFF and not 0xD800 <= code < 0xE000:
            yield chr(code).encode()
        else:
            yield unit


COMPRESSED = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd")
"""With what data begin that are compressed with gzip or Zstandard. Other binary formats have a NUL near the beginning,
or are not drawn."""


def decompressed(data: bytes, name: bytes) -> tuple[bytes, bool]:
    """Return the content of a file as far as it can be decompressed, and whether the file is whole.

    Of a frame with damage, nothing can be decompressed, because these files are small.
    """
    is_gzip = name.endswith(b".gz")
    if not is_gzip and not name.endswith(b".zst"):
        return data, True
    damage: type[Exception] = zlib.error if is_gzip else zstd().ZstdError
    out = b""
    while True:
        frame = zlib.decompressobj(31) if is_gzip else zstd().ZstdDecompressor()
        try:
            out += frame.decompress(data)
        except damage:
            return out, False
        if not frame.eof:
            return out, False
        data = frame.unused_data.lstrip(b"\0") if is_gzip else frame.unused_data
        if not data:
            return out, True


def is_binary(data: bytes) -> bool:
    """Return whether this is compressed, or has a NUL in the first 8 KiB and no byte order mark of UTF-16 or UTF-32."""
    return data.startswith(COMPRESSED) or (b"\0" in data[:8192] and not data.startswith(tuple(WIDE)))
