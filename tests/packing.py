"""Compress data as other programs do. Tests of Zstandard are skipped where its library is missing."""

from __future__ import annotations

import gzip
from importlib import import_module
from typing import Any

import pytest

from simdocs.options.families import COMPRESSIONS
from simdocs.reading.compression import CompressedSink

NAMES = tuple(COMPRESSIONS)
SUFFIXES = {name: member.suffix.decode() for name, member in COMPRESSIONS.items()}


def zstd() -> Any:
    """The library of Zstandard."""
    module = COMPRESSIONS["zstd"].module
    return pytest.importorskip(module, reason=f"{module} is not installed")


def packed(name: str, data: bytes, level: int = 6) -> bytes:
    """The data, compressed in this way, as one frame."""
    return gzip.compress(data, level, mtime=0) if name == "gzip" else bytes(zstd().compress(data, level))


def written(name: str, *pieces: bytes) -> bytes:
    """The pieces of a file, compressed as simdocs does: with a checksum."""
    frame: list[bytes] = []
    sink = CompressedSink(f"a{SUFFIXES[name]}".encode(), frame.append)
    for piece in pieces:
        sink.write(piece)
    sink.end()
    return b"".join(frame)


def unpacked(name: str, data: bytes) -> bytes:
    """The content of a compressed file."""
    return gzip.decompress(data) if name == "gzip" else bytes(zstd().decompress(data))


def has_zstd() -> bool:
    """Whether the library of Zstandard is installed."""
    try:
        import_module(COMPRESSIONS["zstd"].module)
    except ImportError:
        return False
    return True


needs_zstd = pytest.mark.skipif(not has_zstd(), reason="the library of Zstandard is not installed")

each = pytest.mark.parametrize("name", ["gzip", pytest.param("zstd", marks=needs_zstd)])
"""Run a test with each compression."""
