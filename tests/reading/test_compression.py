"""Compressed files are read as other programs do, damaged ones are malformed, and bombs are never held decompressed."""

from __future__ import annotations

import gzip
import os
import random
import tracemalloc
from pathlib import Path

import pytest

from simdocs.model.skipped import DocumentSkipped
from simdocs.reading import compression, files
from tests.packing import each, packed, written

MIB = 1 << 20


def noise(size: int, seed: int = 0) -> bytes:
    """Return random bytes that gzip compresses to about half their size."""
    return random.Random(seed).randbytes(size // 2).hex().encode()


def bomb(name: str) -> bytes:
    """A file that decompresses to 256 MiB of zeros."""
    return written(name, *[bytes(16 * MIB)] * 16)


def refused(data: bytes, limit: int = MIB, name: str = "gzip") -> DocumentSkipped:
    with pytest.raises(DocumentSkipped) as caught:
        compression.decompress(name, data, limit)
    return caught.value


@each
@pytest.mark.parametrize("size", [0, 1, 1000, 300_000])
def test_a_file_of_exactly_the_limit_is_decompressed_and_a_larger_one_is_not(name: str, size: int) -> None:
    compressed = packed(name, noise(2 * size))
    assert len(compression.decompress(name, compressed, 2 * size)) == 2 * size
    if size:
        skip = refused(compressed, 2 * size - 1, name)
        assert (skip.reason, skip.detail) == ("oversized", f"more than {2 * size - 1} bytes decompressed")


@each
def test_a_bomb_is_refused_without_being_held_in_memory(name: str) -> None:
    data = bomb(name)
    tracemalloc.start()
    try:
        assert refused(data, name=name).reason == "oversized"
        assert tracemalloc.get_traced_memory()[1] < 2 * MIB
    finally:
        tracemalloc.stop()


@each
@pytest.mark.parametrize("content", [b"", b"one text", b"one text " * 40, noise(3000)])
def test_a_file_cut_anywhere_is_malformed(name: str, content: bytes) -> None:
    compressed = packed(name, content)
    two = compressed + compressed
    for length in range(len(two)):
        if length == len(compressed):
            assert compression.decompress(name, two[:length], MIB) == content
        else:
            assert refused(two[:length], name=name).reason == "malformed", length


@each
def test_damage_anywhere_is_never_another_text(name: str) -> None:
    content = noise(400)
    compressed = written(name, content)  # with a checksum
    for place in range(len(compressed)):
        damaged = bytearray(compressed)
        damaged[place] ^= 0x10
        try:  # the time and system in the header of gzip are not checked
            assert compression.decompress(name, bytes(damaged), MIB) == content, place
        except DocumentSkipped as skip:
            assert skip.reason == "malformed", place


@pytest.mark.reliability("zeros after gzip data")
def test_zeros_after_the_end_are_padding_up_to_64_mib(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hole of a terabyte is not read to its end."""
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(b"text"))
    with path.open("r+b") as stream:
        stream.truncate(40 * MIB)
        assert files.read(os.fsencode(path), 64 * MIB)[0] == b"text"
        stream.truncate(1 << 40)
        content = compression.pieces("gzip", lambda at: os.pread(stream.fileno(), 1 << 16, at))
        assert next(content) == b"text"
        with pytest.raises(DocumentSkipped, match="more than 64 MiB of padding"):
            next(content)
    monkeypatch.setattr(compression, "PADDING", 1 << 16)
    assert compression.decompress("gzip", packed("gzip", noise(MIB)), MIB) == noise(MIB)
