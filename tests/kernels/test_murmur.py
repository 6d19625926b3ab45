"""Hashes of many strings at once equal those of mmh3."""

from __future__ import annotations

import struct
from unittest import mock

import mmh3
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simdocs.kernels import murmur
from tests import strategies as some


def hash32(data: bytes, seed: int) -> int:
    return mmh3.hash(data, seed, signed=False)


def as_bytes(numbers: list[int]) -> bytes:
    return struct.pack(f"<{len(numbers)}I", *numbers)


def array(values: bytes | list[int], dtype: type = np.uint8) -> np.ndarray:
    return some.frozen(np.array(list(values), dtype))


def spans(size: int) -> st.SearchStrategy[list[tuple[int, int]]]:
    """Draw starts and lengths of runs within `size` elements. Runs overlap, and some are empty."""
    run = st.integers(0, size).flatmap(lambda start: st.tuples(st.just(start), st.integers(0, size - start)))
    return st.lists(run, max_size=20)


data_and_spans = st.binary(max_size=60).flatmap(lambda data: st.tuples(st.just(data), spans(len(data))))
numbers_and_spans = st.lists(some.tokens, max_size=20).flatmap(lambda run: st.tuples(st.just(run), spans(len(run))))


@given(data_and_spans, some.seeds, st.sampled_from([0, 3, 16, murmur.LONG]))
def test_hashes_of_strings_are_those_of_mmh3(given_spans, seed, long):
    data, runs = given_spans
    starts, lengths = array([a for a, _ in runs], np.int64), array([n for _, n in runs], np.int64)
    expected = [hash32(data[a : a + n], seed) for a, n in runs]
    assert murmur.hash_byte_strings(array(data), starts, lengths, seed, long).tolist() == expected


@given(numbers_and_spans, some.seeds)
def test_hashes_of_runs_of_numbers_are_those_of_mmh3(given_spans, seed):
    numbers, runs = given_spans
    starts, counts = array([a for a, _ in runs], np.int64), array([n for _, n in runs], np.int64)
    expected = [hash32(as_bytes(numbers[a : a + n]), seed) for a, n in runs]
    assert murmur.hash_number_runs(array(numbers, np.uint32), starts, counts, seed).tolist() == expected


@given(numbers_and_spans, data_and_spans, some.seeds)
def test_hashes_of_runs_and_strings_leave_no_seam_between_chunks(given_numbers, given_bytes, seed):
    numbers, runs = given_numbers
    data, spans = given_bytes
    with mock.patch.object(murmur, "CHUNK", 2):
        starts, counts = array([a for a, _ in runs], np.int64), array([n for _, n in runs], np.int64)
        expected = [hash32(as_bytes(numbers[a : a + n]), seed) for a, n in runs]
        assert murmur.hash_number_runs(array(numbers, np.uint32), starts, counts, seed, 9).tolist() == expected
        starts, lengths = array([a for a, _ in spans], np.int64), array([n for _, n in spans], np.int64)
        expected = [hash32(data[a : a + n], seed) for a, n in spans]
        assert murmur.hash_byte_strings(array(data), starts, lengths, seed, 31).tolist() == expected


@given(st.lists(some.tokens, max_size=30), st.integers(1, 12), some.seeds)
def test_hashes_of_windows_may_overwrite_the_numbers(numbers, count, seed):
    expected = murmur.hash_number_windows(array(numbers, np.uint32), count, seed).tolist()
    with mock.patch.object(murmur, "CHUNK", 3):
        place = np.array(numbers, np.uint32)
        assert murmur.hash_number_windows(place, count, seed, out=place).tolist() == expected


@pytest.mark.parametrize("extra", [-1, 0, 1, 4])
def test_hashes_leave_no_seam_between_chunks(extra):
    size = 2 * murmur.CHUNK + extra
    data = np.random.default_rng(size).integers(0, 256, size, np.uint8).tobytes()
    starts = np.arange(size)
    lengths = np.minimum(starts % 23, size - starts)
    expected = [hash32(data[a : a + n], 5) for a, n in zip(starts.tolist(), lengths.tolist(), strict=True)]
    assert murmur.hash_byte_strings(array(data), starts, lengths, 5).tolist() == expected
    alone = murmur.hash_byte_strings(array(data), np.array([1]), np.array([size - 1]), 5)
    assert alone.tolist() == [hash32(data[1:], 5)]
    numbers = np.frombuffer(data + bytes(3 * size), "<u4")
    raw = numbers.tobytes()
    expected = [hash32(raw[4 * at : 4 * at + 12], 5) for at in range(size - 2)]
    assert murmur.hash_number_windows(numbers, 3, 5).tolist() == expected
