"""Tests of bands, buckets and candidate pairs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simdocs.kernels.lsh import buckets
from simdocs.model.ragged import Ragged
from tests import strategies as some
from tests.twins import bands as twin


@st.composite
def banded(draw):
    """Draw signatures of few values, so that bands agree, and numbers of bands and rows that fit them."""
    bands, rows, spare = draw(st.integers(1, 5)), draw(st.integers(1, 4)), draw(st.integers(0, 2))
    place = st.sampled_from([0, 1, 2**32 - 1])
    size = bands * rows + spare
    signatures = draw(st.lists(st.lists(place, min_size=size, max_size=size), max_size=12))
    return signatures, bands, rows


bucket_lists = st.integers(2, 12).flatmap(
    lambda nodes: st.tuples(
        st.just(nodes),
        st.lists(st.sets(st.integers(0, nodes - 1), min_size=2).map(sorted), max_size=8),
    )
)


def as_array(signatures: list[list[int]], bands: int, rows: int) -> np.ndarray:
    return some.frozen(np.array(signatures, np.uint32).reshape(len(signatures), -1 if signatures else bands * rows))


def keys_of(signatures: list[list[int]], bands: int, rows: int) -> np.ndarray:
    order = some.frozen(np.arange(len(signatures)))
    return buckets.band_keys(as_array(signatures, bands, rows), order, bands, rows)


@given(banded())
def test_band_keys_agree_where_all_rows_of_a_band_do(case):
    signatures, bands, rows = case
    keys = keys_of(signatures, bands, rows)
    assert keys.shape == (bands, len(signatures))
    assert keys.dtype == np.uint64
    for band, of_band in enumerate(keys.tolist()):
        cut = slice(band * rows, (band + 1) * rows)
        for key, signature in zip(of_band, signatures, strict=True):
            for other_key, other in zip(of_band, signatures, strict=True):
                assert (key == other_key) == (signature[cut] == other[cut])


@given(banded(), st.randoms(use_true_random=False))
def test_band_keys_of_any_documents_are_those_of_all(case, random):
    signatures, bands, rows = case
    order = random.sample(range(len(signatures)), len(signatures) // 2)
    keys = buckets.band_keys(as_array(signatures, bands, rows), np.array(order, np.int64), bands, rows)
    assert np.array_equal(keys, keys_of(signatures, bands, rows)[:, order])


@given(banded())
def test_buckets_and_candidate_pairs_are_those_of_the_twin(case):
    signatures, bands, rows = case
    shared = buckets.shared_buckets(some.frozen(keys_of(signatures, bands, rows)))
    expected = twin.buckets(signatures, bands, rows)
    assert sorted(map(tuple, some.rows_of(shared))) == expected
    assert pairs_in(buckets.candidate_pairs(shared, len(signatures))) == twin.pairs(expected)


@given(bucket_lists)
def test_each_candidate_pair_comes_once_and_ascending(case):
    nodes, members = case
    shared = some.ragged(members, np.int64)
    assert pairs_in(buckets.candidate_pairs(shared, nodes)) == twin.pairs(members)


@given(bucket_lists, st.data())
def test_pairs_with_wanted_members_are_the_candidate_pairs_that_have_one(case, data):
    nodes, members = case
    wanted = data.draw(st.lists(st.booleans(), min_size=nodes, max_size=nodes))
    found = pairs_in(buckets.candidate_pairs_with(some.ragged(members, np.int64), some.frozen(np.array(wanted))))
    assert found == [(a, b) for a, b in twin.pairs(members) if wanted[a] or wanted[b]]


def pairs_in(blocks) -> list[tuple[int, int]]:
    return [pair for left, right in blocks for pair in zip(left.tolist(), right.tolist(), strict=True)]


@given(bucket_lists, st.randoms(use_true_random=False))
def test_pairs_of_any_runs_are_those_of_the_twin(case, random):
    nodes, members = case
    flat = [member for bucket in members for member in bucket]
    starts = [random.randint(0, len(flat)) for _ in range(6)]
    counts = [random.randint(0, len(flat) - start) for start in starts]
    left = [random.randrange(nodes) for _ in starts]
    arrays = [some.frozen(np.array(each, np.int64)) for each in (left, starts, counts, flat)]
    spans = zip(left, starts, counts, strict=True)
    expected = {(a, member) for a, start, count in spans for member in flat[start : start + count]}
    assert pairs_in(buckets.distinct_pairs(*arrays, nodes)) == sorted(expected)


@pytest.mark.parametrize("count", [1, 1023, 1024, 1025, 3000])
def test_band_keys_of_large_batches_leave_no_seam(count):
    draw = np.random.default_rng(count)
    signatures = draw.integers(0, 3, (count, 8), np.uint32).tolist()
    shared = buckets.shared_buckets(keys_of(signatures, 4, 2))
    assert sorted(map(tuple, some.rows_of(shared))) == twin.buckets(signatures, 4, 2)


def test_candidate_pairs_in_blocks_leave_no_seam():
    nodes = 2_900
    everyone, some_again = np.arange(nodes), np.arange(0, nodes, 3)
    shared = Ragged.from_lengths(np.concatenate((everyone, some_again)), np.array([nodes, len(some_again)]))
    blocks = [left * nodes + right for left, right in buckets.candidate_pairs(shared, nodes)]
    keys = np.concatenate(blocks)
    assert len(blocks) > 1
    assert len(keys) == nodes * (nodes - 1) // 2
    assert (np.diff(keys) > 0).all()
    assert (keys // nodes < keys % nodes).all()


def test_pairs_of_members_that_are_not_wanted_take_no_time():
    """All pairs of this bucket would take 128 GiB."""
    nodes = 1 << 17
    everyone = Ragged.from_lengths(np.arange(nodes), np.array([nodes]))
    wanted = np.zeros(nodes, bool)
    wanted[[3, nodes - 2]] = True
    sizes = [len(left) for left, _ in buckets.candidate_pairs_with(everyone, wanted)]
    assert sum(sizes) == 2 * (nodes - 1) - 1


def test_no_documents_make_no_buckets_and_no_pairs():
    assert len(buckets.shared_buckets(np.empty((3, 0), np.uint64))) == 0
    assert len(buckets.shared_buckets(np.empty((0, 5), np.uint64))) == 0
    assert pairs_in(buckets.candidate_pairs(some.ragged([], np.int64), 0)) == []
    assert pairs_in(buckets.candidate_pairs_with(some.ragged([], np.int64), np.ones(3, bool))) == []
    assert keys_of([], 3, 2).shape == (3, 0)
