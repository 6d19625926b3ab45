"""A growing array holds what was added, and byte strings end to end are those that went in."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simdocs.model.byte_strings import ByteStrings, GrowingArray, GrowingByteStrings, joined

NAMES = st.lists(st.sampled_from([b"", b"a", b"\0", b"ab", b"c" * 20]), max_size=9)


@given(parts=st.lists(st.integers(0, 5), max_size=9))
def test_a_growing_array_holds_all_rows_that_were_added(parts: list[int]) -> None:
    growing, pieces = GrowingArray(np.uint32, 3), [np.empty((0, 3), np.uint32)]
    for number, size in enumerate(parts):
        pieces.append(np.arange(3 * size).reshape(size, 3) + number)
        growing.add(pieces[-1])
    np.testing.assert_array_equal(growing.all(), np.concatenate(pieces))
    assert growing.all().dtype == np.uint32


def test_an_array_that_is_in_use_does_not_grow() -> None:
    growing = GrowingArray(np.uint8)
    growing.add(np.zeros(100))
    used = growing.all()
    with pytest.raises(BufferError):
        growing.add(used)


def test_a_growing_array_is_not_copied_as_a_whole() -> None:
    growing, piece = GrowingArray(np.uint64), np.zeros(1 << 13, np.uint64)
    tracemalloc.start()
    try:
        for _ in range(100):
            growing.add(piece)
        assert tracemalloc.get_traced_memory()[1] < 1.3 * growing.all().nbytes
    finally:
        tracemalloc.stop()


@given(blocks=st.lists(NAMES, max_size=5), begin=st.integers(0, 30), end=st.integers(0, 30))
def test_byte_strings_are_a_sequence_of_what_went_in(blocks: list[list[bytes]], begin: int, end: int) -> None:
    growing = GrowingByteStrings()
    for block in blocks:
        growing.add(block)
    every, expected = growing.all(), [name for block in blocks for name in block]
    assert list(every) == list(ByteStrings(joined(expected))) == expected
    assert [every[at] for at in range(len(every))] == expected
    assert every[begin:end] == expected[begin:end]
