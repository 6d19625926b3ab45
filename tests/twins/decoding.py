"""The twin of decoding: UTF-16 and UTF-32 by their byte order marks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

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
