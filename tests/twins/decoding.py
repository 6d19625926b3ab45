"""Bytes told apart: UTF-16 and 32 by their marks, gzip; with the standard library, one file after the other."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Any

WIDE = {  # UTF-32 first, since its little-endian mark begins with the other's
    b"\xff\xfe\0\0": (4, "little"),
    b"\0\0\xfe\xff": (4, "big"),
    b"\xff\xfe": (2, "little"),
    b"\xfe\xff": (2, "big"),
}


def utf8(data: bytes) -> bytes:
    """A text as UTF-8, without its mark; of UTF-16 and 32 a unit that is not valid as the bytes that it is."""
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


def unfolded(data: bytes) -> tuple[bytes, bool]:
    """What a gzip file, of one member or more, unfolds to, as far as it can be had; and whether it is whole."""
    out = b""
    while True:
        member = zlib.decompressobj(31)
        try:
            out += member.decompress(data)
        except zlib.error:
            return out, False
        if not member.eof:
            return out, False
        data = member.unused_data.lstrip(b"\0")
        if not data:
            return out, True


def is_binary(data: bytes) -> bool:
    """A NUL in the first 8 KiB, and no mark of UTF-16 or 32."""
    return b"\0" in data[:8192] and not data.startswith(tuple(WIDE))
