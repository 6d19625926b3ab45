"""Gzip files are decompressed correctly, damaged files are malformed, and bombs are never held decompressed."""

from __future__ import annotations

import gzip
import os
import random
import tracemalloc
import zlib
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simdocs.corpora import gzip_stream, read_file, single_text
from simdocs.corpora.stamp import Stamp
from simdocs.errors import InputError
from simdocs.model.skipped import DocumentSkipped

MIB = 1 << 20

members = st.lists(st.binary(max_size=300) | st.sampled_from([b"a" * 5000, b"\0" * 70000]), min_size=1, max_size=5)


def noise(size: int, seed: int = 0) -> bytes:
    """Return random bytes that gzip compresses to about half their size."""
    return random.Random(seed).randbytes(size // 2).hex().encode()


@pytest.fixture(scope="module")
def bomb() -> bytes:
    """A gzip file that decompresses to 256 MiB of zeros."""
    folder = zlib.compressobj(1, wbits=31)
    zeros = bytes(16 * MIB)
    return b"".join([*(folder.compress(zeros) for _ in range(16)), folder.flush()])


def refused(data: bytes, limit: int = MIB) -> DocumentSkipped:
    with pytest.raises(DocumentSkipped) as caught:
        gzip_stream.decompress(data, limit)
    return caught.value


def test_compressed_files_are_known_by_their_names() -> None:
    assert [read_file.is_compressed(name) for name in (b"a.gz", b"a.jsonl.gz", b"a.txt", b"gz", b"a.GZ")] == [
        True,
        True,
        *[False] * 3,
    ]


@given(members, st.integers(0, 40000))
def test_files_decompress_as_by_the_gzip_module(parts: list[bytes], padding: int) -> None:
    compressed = bytes(padding).join(map(gzip.compress, parts)) + bytes(padding)
    assert gzip.decompress(compressed) == b"".join(parts)
    assert gzip_stream.decompress(compressed, MIB) == b"".join(parts)


@pytest.mark.parametrize("size", [0, 1, 1000, 300_000])
def test_a_file_of_exactly_the_limit_is_decompressed_and_a_larger_one_is_not(size: int) -> None:
    compressed = gzip.compress(noise(2 * size))
    assert len(gzip_stream.decompress(compressed, 2 * size)) == 2 * size
    if size:
        skip = refused(compressed, 2 * size - 1)
        assert (skip.reason, skip.detail) == ("oversized", f"more than {2 * size - 1} bytes decompressed")


def test_a_bomb_is_refused_without_being_held_in_memory(bomb: bytes) -> None:
    tracemalloc.start()
    try:
        assert refused(bomb).reason == "oversized"
        assert tracemalloc.get_traced_memory()[1] < 2 * MIB
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("content", [b"", b"one text", b"one text " * 40])
def test_a_file_cut_anywhere_is_malformed(content: bytes) -> None:
    compressed = gzip.compress(content, mtime=0)
    two = compressed + compressed
    for length in range(len(two)):
        if length == len(compressed):
            assert gzip_stream.decompress(two[:length], MIB) == content
        else:
            assert refused(two[:length]).reason == "malformed", length


def test_damage_anywhere_is_never_another_text() -> None:
    content = noise(400)
    compressed = gzip.compress(content, mtime=0)
    for place in range(len(compressed)):
        damaged = bytearray(compressed)
        damaged[place] ^= 0x10
        try:
            assert gzip_stream.decompress(bytes(damaged), MIB) == content, (
                place
            )  # the header's time and system are not checked
        except DocumentSkipped as skip:
            assert skip.reason == "malformed", place


@pytest.mark.parametrize(
    "data",
    [b"plain text", b"\0" + gzip.compress(b"", mtime=0), gzip.compress(b"text", mtime=0) + b"more"],
    ids=["plain text", "a byte before", "bytes after"],
)
def test_a_file_that_is_not_gzip_is_malformed(data: bytes) -> None:
    assert refused(data).reason == "malformed"


@pytest.mark.reliability("zeros after gzip data")
def test_zeros_after_the_end_are_padding_up_to_64_mib(tmp_path: Path) -> None:
    """A hole of a terabyte is not read to its end."""
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(b"text"))
    with path.open("r+b") as stream:
        stream.truncate(40 * MIB)
        assert read_file.read(os.fsencode(path), 64 * MIB)[0] == b"text"
        stream.truncate(1 << 40)
        with pytest.raises(DocumentSkipped, match="more than 64 MiB of zeros after its end"):
            gzip_stream.SeekableGzip(stream.fileno()).read(0, 5)


def test_compressed_files_are_read_decompressed(tmp_path: Path) -> None:
    path, content = tmp_path / "a.txt.gz", noise(3000)
    name = os.fsencode(path)
    path.write_bytes(gzip.compress(content))
    data, stamp = read_file.read(name, 3000)
    assert (data, stamp) == (content, Stamp.of(path.stat()))
    assert single_text.read_single_text(name, 3000) == content
    with pytest.raises(DocumentSkipped, match="more than 2999 bytes decompressed"):
        read_file.read(name, 2999)
    with pytest.raises(DocumentSkipped, match=f"oversized.*{path.stat().st_size} bytes"):
        read_file.read(name, 100)
    path.write_bytes(content)
    with pytest.raises(DocumentSkipped, match="malformed"):
        read_file.read(name, 3000)
    with pytest.raises(InputError, match=r"malformed \(not a gzip file"):
        single_text.read_single_text(name, 3000)


ranges = st.lists(st.tuples(st.integers(0, 180_000), st.integers(0, 50_000) | st.integers(0, 20)), max_size=12)
MIXED = [noise(60_000), b"", b"z" * 90_000, b"end\n"]


@given(ranges, st.sampled_from([1, 1000, 40_000, 4 * MIB]))
def test_any_range_of_a_compressed_file_can_be_read(
    tmp_path_factory: pytest.TempPathFactory, wanted: list[tuple[int, int]], gap: int
) -> None:
    path = tmp_path_factory.getbasetemp() / "mixed.gz"
    if not path.exists():
        path.write_bytes(bytes(3).join(map(gzip.compress, MIXED)))
    whole = gzip.decompress(path.read_bytes())
    with path.open("rb", buffering=0) as stream:
        gzip_reader = gzip_stream.SeekableGzip(stream.fileno(), gap)
        for start, length in wanted:
            assert gzip_reader.read(start, length) == whole[start : start + length]
        assert stream.tell() == 0


def test_reading_backwards_uses_a_limited_number_of_checkpoints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, content = tmp_path / "a.gz", noise(2 * MIB)
    path.write_bytes(gzip.compress(content, 1))
    monkeypatch.setattr(gzip_stream, "_PIECE", 1024)
    with path.open("rb") as stream:
        gzip_reader = gzip_stream.SeekableGzip(stream.fileno(), 2048)
        assert gzip_reader.read(2 * MIB - 5, 9) == content[-5:]
        places = [checkpoint.at for checkpoint in gzip_reader._checkpoints]
        assert 30 < len(places) <= 64
        assert max(after - before for before, after in pairwise(places)) < 2 * MIB / 30
        for start in random.Random(1).sample(range(2 * MIB), 40):
            assert gzip_reader.read(start, 50) == content[start : start + 50]
            assert [checkpoint.at for checkpoint in gzip_reader._checkpoints] == places


def test_parts_before_damage_are_read_and_later_parts_are_malformed(tmp_path: Path) -> None:
    path, content = tmp_path / "a.gz", noise(MIB)
    compressed = gzip.compress(content)
    path.write_bytes(compressed[: len(compressed) // 2])
    with path.open("rb") as stream:
        gzip_reader = gzip_stream.SeekableGzip(stream.fileno())
        for _ in range(2):
            assert gzip_reader.read(1000, 1000) == content[1000:2000]
            with pytest.raises(DocumentSkipped, match="cut short"):
                gzip_reader.read(MIB - 10, 10)
            with pytest.raises(DocumentSkipped, match="cut short"):
                gzip_reader.read(1000, MIB)


def test_the_end_of_a_bomb_is_read_in_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "bomb.gz"
    path.write_bytes(gzip.compress(bytes(64 * MIB), 1))
    tracemalloc.start()
    try:
        with path.open("rb") as stream:
            assert gzip_stream.SeekableGzip(stream.fileno(), MIB // 2).read(64 * MIB - 7, 100) == bytes(7)
        assert tracemalloc.get_traced_memory()[1] < 8 * MIB
    finally:
        tracemalloc.stop()
