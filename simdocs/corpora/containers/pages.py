"""Page headers of Parquet files: how much memory the pages of a column take, found without reading them.

The headers are structs in the compact protocol of Thrift, as https://github.com/apache/parquet-format defines them.
"""

from __future__ import annotations

from typing import Any

_HEAD = 1 << 12
"""Bytes that are read for a header. Most have fewer than 100, but statistics may be as long as two texts."""

_MOST_OF_HEAD = 1 << 24

_UNCOMPRESSED, _COMPRESSED = 2, 3
"""The fields of a header that hold the size of the page."""

_BOOLEANS, _BYTE, _INTEGERS, _DOUBLE, _BINARY, _LISTS, _STRUCT = (1, 2), 3, (4, 5, 6), 7, 8, (9, 10), 12
"""The types of the protocol."""


def largest_page(source: Any, start: int, size: int) -> int:
    """The size of the largest page, decompressed, of a column whose pages take `size` bytes from `start` on.

    source: an open file. Raises ValueError: the headers are damaged.
    """
    at, largest = start, 0
    while at < start + size:
        uncompressed, compressed, length = _header(source, at, start + size - at)
        largest = max(largest, uncompressed)
        at += length + compressed
    return largest


def _header(source: Any, at: int, most: int) -> tuple[int, int, int]:
    """The sizes of the page at a position, decompressed and compressed, and the length of its header."""
    taken = _HEAD
    while True:
        source.seek(at)
        head = _Struct(source.read(min(taken, most)))
        try:
            fields = head.integers()
            sizes = fields[_UNCOMPRESSED], fields[_COMPRESSED]
        except (IndexError, KeyError):
            if taken >= min(most, _MOST_OF_HEAD):
                raise ValueError("a page has no header") from None
            taken *= 16
            continue
        if min(sizes) < 0:
            raise ValueError("the header of a page states a negative size")
        return *sizes, head.at


class _Struct:
    """Reads a struct. at: the position after what was read. IndexError: the data ends before."""

    def __init__(self, data: bytes) -> None:
        self._data, self.at = data, 0

    def integers(self) -> dict[int, int]:
        """The integers among the fields of the struct here, by their ids. Other fields are passed over."""
        found, number = dict[int, int](), 0
        while kind := self._byte():
            number = number + (kind >> 4) if kind >> 4 else self._integer()
            if kind & 15 in _INTEGERS:
                found[number] = self._integer()
            else:
                self._skip(kind & 15)
        return found

    def _skip(self, kind: int) -> None:
        if kind in _BOOLEANS:
            return
        if kind in _INTEGERS:
            self._varint()
        elif kind in (_BYTE, _DOUBLE):
            self.at += 1 if kind == _BYTE else 8
        elif kind == _BINARY:
            size = self._varint()
            self.at += size
        elif kind == _STRUCT:
            self.integers()
        elif kind in _LISTS:
            head = self._byte()
            for _ in range(head >> 4 if head >> 4 < 15 else self._varint()):
                self._skip(_BYTE if head & 15 in _BOOLEANS else head & 15)
        else:
            raise ValueError("the header of a page has a field of an unknown type")

    def _byte(self) -> int:
        self.at += 1
        return self._data[self.at - 1]

    def _varint(self) -> int:
        value = shift = 0
        while (byte := self._byte()) & 128:
            value |= (byte & 127) << shift
            shift += 7
        return value | byte << shift

    def _integer(self) -> int:
        value = self._varint()
        return (value >> 1) ^ -(value & 1)
