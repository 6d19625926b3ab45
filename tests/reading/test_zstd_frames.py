"""Zstandard: frames of every kind are read as the library reads them, and what cannot be read is explained."""

from __future__ import annotations

import os
import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simdocs.model.skipped import DocumentSkipped
from simdocs.reading import compression
from tests.packing import needs_zstd, zstd

pytestmark = needs_zstd

MIB = 1 << 20
CANNOT = "a zstd file that cannot be decompressed"

texts = st.binary(max_size=300) | st.sampled_from([b"a" * 5000, b"\0" * 70_000, os.urandom(0), b"line\n" * 999])
pieces = st.lists(texts, max_size=4)
"""The content of a frame. After each piece, the block is flushed."""

files = st.lists(st.tuples(pieces, st.booleans(), st.integers(0, 40)), min_size=1, max_size=5)
"""Frames: the pieces, whether there is a checksum, and the size of a skippable frame before it."""


def skippable(size: int, kind: int = 0) -> bytes:
    return struct.pack("<II", 0x184D2A50 + kind, size) + bytes(size)


def frame(parts: list[bytes], *, checksum: bool = False, **options: int) -> bytes:
    library = zstd()
    known = library.CompressionParameter
    chosen = {getattr(known, name): value for name, value in options.items()} | {known.checksum_flag: int(checksum)}
    made = library.ZstdCompressor(options=chosen)
    blocks = [made.compress(part) + made.flush(made.FLUSH_BLOCK) for part in parts]
    return b"".join(blocks) + bytes(made.flush())


def file_of(frames: list[tuple[list[bytes], bool, int]]) -> tuple[bytes, bytes]:
    """A compressed file, and its content."""
    made = [skippable(size) * (size > 0) + frame(parts, checksum=checksum) for parts, checksum, size in frames]
    return b"".join(made), b"".join(b"".join(parts) for parts, _, _ in frames)


def refused(data: bytes, limit: int = MIB) -> str:
    with pytest.raises(DocumentSkipped) as caught:
        compression.decompress("zstd", data, limit)
    assert caught.value.reason == "malformed"
    return caught.value.detail


damage = st.tuples(st.integers(0, 1 << 20), st.integers(0, 8), st.binary(max_size=5))
"""A place in a file, how many bytes are cut out there, and what is put in."""


@given(files, damage, st.sampled_from([1, 7, 100, 1 << 14]), st.sampled_from([100, MIB]))
def test_a_damaged_file_is_refused_if_the_library_refuses_it(
    frames: list[tuple[list[bytes], bool, int]], change: tuple[int, int, bytes], at_once: int, most: int
) -> None:
    """However it is read: damage is never taken for the end, nor for other content.

    In small pieces, the library accepts a wrong size in the header of a frame whose last block is empty.
    """
    whole, (place, cut, put) = file_of(frames)[0], change
    place %= len(whole) + 1
    data = whole[:place] + put + whole[place + cut :]
    try:
        content = zstd().decompress(data) if data else None
    except zstd().ZstdError:
        content = None
    if content is None:
        refused(data)
    else:
        assert compression.decompress("zstd", data, MIB) == content
    read = b""
    try:
        pieces = compression.pieces("zstd", lambda offset: data[offset : offset + at_once])
        for piece in compression.regrouped(pieces, most):
            read += piece
    except DocumentSkipped:
        assert content is None
    else:
        assert content in (None, read)


@pytest.mark.reliability("a Zstandard file that needs more than the library gives")
@pytest.mark.parametrize("log", [28, 30, 31])
def test_a_window_that_is_too_large_is_explained(log: int) -> None:
    data = frame([b"some text"], window_log=log, enable_long_distance_matching=1)
    why = f"{CANNOT}: Frame requires too much memory for decoding"
    assert refused(data) == refused(skippable(3) + data) == why


@pytest.mark.reliability("a Zstandard file that needs more than the library gives")
def test_a_missing_dictionary_is_explained() -> None:
    library = zstd()
    samples = [b"the ferry leaves at %d, except on Sundays" % at for at in range(999)]
    dictionary = library.train_dict(samples, 1000)
    assert refused(library.compress(samples[7], zstd_dict=dictionary)) == f"{CANNOT}: Dictionary mismatch"
    nameless = library.compress(samples[7] * 9, zstd_dict=library.ZstdDict(samples[7] * 9, is_raw=True))
    assert refused(nameless) == f"{CANNOT}: Data corruption detected"


def test_skippable_frames_have_no_content_and_an_end() -> None:
    table = skippable(100, 14)
    assert (
        compression.decompress("zstd", table + frame([b"one "]) + table * 3 + frame([b"two"]) + table, 9) == b"one two"
    )
    assert compression.decompress("zstd", table, 9) == b""
    assert refused(table[:-1]) == "a zstd file cut short"


@pytest.mark.reliability("zeros after gzip data")
def test_a_skippable_frame_of_gigabytes_is_not_read_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "a.zst"
    path.write_bytes(frame([b"text"]) + struct.pack("<II", 0x184D2A50, (4 << 30) - 1))
    with path.open("r+b") as stream:
        stream.truncate(4 << 30)
        content = compression.pieces("zstd", lambda at: os.pread(stream.fileno(), 1 << 16, at))
        assert next(content) == b"text"
        with pytest.raises(DocumentSkipped, match="more than 64 MiB of padding"):
            next(content)
