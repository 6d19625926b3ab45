"""Tests of bands, buckets and candidate pairs."""

from __future__ import annotations

from itertools import pairwise
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simdocs.kernels import buckets
from simdocs.model.ragged import Ragged
from tests import strategies as some
from tests.twins import bands as twin
from tests.twins import lookup


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


def buckets_of(signatures: list[list[int]], bands: int, rows: int) -> Ragged:
    made, order = as_array(signatures, bands, rows), some.frozen(np.arange(len(signatures)))
    return buckets.joined_bands(buckets.buckets_of_band(made, order, band, rows) for band in range(bands))


@given(banded())
def test_buckets_and_candidate_pairs_are_those_of_the_twin(case):
    signatures, bands, rows = case
    shared = buckets_of(signatures, bands, rows)
    expected = twin.buckets(signatures, bands, rows)
    assert sorted(map(tuple, some.rows_of(shared))) == expected
    assert some.pairs_in(buckets.candidate_pairs(shared, len(signatures))) == twin.pairs(expected)


@given(bucket_lists, st.data())
def test_pairs_with_wanted_members_are_the_candidate_pairs_that_have_one(case, data):
    nodes, members = case
    wanted = data.draw(st.lists(st.booleans(), min_size=nodes, max_size=nodes))
    found = some.pairs_in(buckets.candidate_pairs(some.ragged(members, np.int64), nodes, some.frozen(np.array(wanted))))
    assert found == [(a, b) for a, b in twin.pairs(members) if wanted[a] or wanted[b]]


@pytest.mark.parametrize("count", [1, 1023, 1024, 1025, 3000])
def test_band_keys_of_large_batches_leave_no_seam(count):
    draw = np.random.default_rng(count)
    signatures = draw.integers(0, 3, (count, 8), np.uint32)
    shared = buckets_of(signatures.tolist(), 4, 2)
    assert sorted(map(tuple, some.rows_of(shared))) == twin.buckets(signatures.tolist(), 4, 2)
    keys, order = buckets.band_keys(signatures, np.arange(count), 4, 2), np.arange(count)[::-1]
    assert np.array_equal(buckets.band_keys(np.asfortranarray(signatures), order, 4, 2), keys[:, ::-1])


@given(st.lists(st.integers(0, 9)), st.integers(1, 12))
def test_joined_blocks_have_the_same_pairs_in_fewer_blocks(sizes, most):
    ends = np.cumsum([0, *sizes])
    blocks = [(np.arange(begin, end), -np.arange(begin, end)) for begin, end in pairwise(ends)]
    with mock.patch.object(buckets, "PAIRS_AT_ONCE", most):
        joined = list(buckets.joined_blocks(iter(blocks)))
    assert [left for some, _ in joined for left in some] == list(range(sum(sizes)))
    assert all((left == -right).all() for left, right in joined)
    assert all(len(left) <= max(most, *sizes) for left, _ in joined)
    assert all(len(a[0]) + len(b[0]) > most for a, b in pairwise(joined))


def test_candidate_pairs_in_blocks_leave_no_seam():
    nodes = 2_900
    everyone, some_again = np.arange(nodes), np.arange(0, nodes, 3)
    shared = some.Ragged.from_lengths(np.concatenate((everyone, some_again)), np.array([nodes, len(some_again)]))
    blocks = [left * nodes + right for left, right in buckets.candidate_pairs(shared, nodes)]
    keys = np.concatenate(blocks)
    assert len(blocks) > 1
    assert len(keys) == nodes * (nodes - 1) // 2
    assert (np.diff(keys) > 0).all()
    assert (keys // nodes < keys % nodes).all()


def test_pairs_of_members_that_are_not_wanted_take_no_time():
    """All pairs of this bucket would take 128 GiB."""
    nodes = 1 << 17
    everyone = some.Ragged.from_lengths(np.arange(nodes), np.array([nodes]))
    wanted = np.zeros(nodes, bool)
    wanted[[3, nodes - 2]] = True
    sizes = [len(left) for left, _ in buckets.candidate_pairs(everyone, len(wanted), wanted)]
    assert sum(sizes) == 2 * (nodes - 1) - 1


# Bucket tables are built correctly, keys are found in them, and their buckets can be read back.

keys = st.sampled_from([0, 1, 2, 2**63 - 1, 2**63, 2**64 - 2, 2**64 - 1])


@st.composite
def tables(draw):
    """Draw keys of few values in some bands, (B, M), and keys to look up, (B, Q)."""
    bands, width, asked = draw(st.integers(1, 4)), draw(st.integers(0, 20)), draw(st.integers(0, 6))
    rows = [draw(st.lists(keys, min_size=width, max_size=width)) for _ in range(bands)]
    return rows, [draw(st.lists(keys, min_size=asked, max_size=asked)) for _ in range(bands)]


def array(rows: list[list[int]]) -> np.ndarray:
    return some.frozen(np.array(rows, np.uint64).reshape(len(rows), -1 if rows[0] else 0))


def sought(table: np.ndarray, wanted: np.ndarray) -> tuple[np.ndarray, np.ndarray, set[int]]:
    """Return the result of bucket_bounds, and the positions that it read."""
    flat, seen = table.ravel(), set()

    def at(places: np.ndarray) -> np.ndarray:
        seen.update(places.tolist())
        return flat[places]

    return *buckets.bucket_bounds(wanted, table.shape[1], at), seen


@given(tables())
def test_bounds_are_where_keys_would_be_inserted(case):
    rows, wanted = case
    rows = [sorted(band) for band in rows]
    begins, ends, _ = sought(array(rows), array(wanted))
    found = [list(zip(*each, strict=True)) for each in zip(begins.tolist(), ends.tolist(), strict=True)]
    assert found == lookup.bounds(rows, wanted)
    assert begins.dtype == ends.dtype == np.int64


def test_a_search_looks_at_little_of_a_table():
    table = np.arange(1 << 16, dtype=np.uint64)[None, :]
    begins, ends, seen = sought(table, np.array([[40_000, 70_000]], np.uint64))
    assert (begins.tolist(), ends.tolist()) == ([[40_000, 65_536]], [[40_001, 65_536]])
    assert len(seen) <= 4 * 17
    assert max(seen) < 1 << 16


@given(tables(), st.randoms(use_true_random=False))
def test_tables_are_sorted_by_key_then_row(case, random):
    rows, _ = case
    numbers = sorted(random.sample(range(1000), len(rows[0])))
    ordered, owners = buckets.bucket_tables(array(rows), some.frozen(np.array(numbers, np.int64)))
    assert (ordered.dtype, owners.dtype) == (np.uint64, np.uint32)
    for band, of_band, rows_of_band in zip(rows, ordered.tolist(), owners.tolist(), strict=True):
        assert list(zip(of_band, rows_of_band, strict=True)) == sorted(zip(band, numbers, strict=True))


@given(tables(), st.randoms(use_true_random=False))
def test_buckets_can_be_read_from_tables(case, random):
    rows, _ = case
    ordered, owners = buckets.bucket_tables(array(rows), np.arange(len(rows[0])))
    shared = buckets.joined_bands(map(buckets.shared_of_table, some.frozen(ordered), owners.astype(np.int64)))
    assert sorted(map(tuple, some.rows_of(shared))) == lookup.buckets(rows)
    # Members may be numbered otherwise than rows are: in keep order.
    number = random.sample(range(len(rows[0])), len(rows[0]))
    renumbered = buckets.joined_bands(map(buckets.shared_of_table, ordered, np.array(number, np.int64)[owners]))
    expected = sorted(tuple(sorted(number[member] for member in bucket)) for bucket in some.rows_of(shared))
    assert sorted(map(tuple, some.rows_of(renumbered))) == expected
    assert all(bucket == sorted(bucket) for bucket in some.rows_of(renumbered))


@given(bucket_lists)
def test_positions_of_members_are_those_that_have_them(case):
    nodes, members = case
    shared = some.ragged(members, np.int32)
    found = buckets.positions_of_members(shared, nodes)
    values = shared.values.tolist()
    assert [found[node].tolist() for node in range(nodes)] == [
        [place for place, member in enumerate(values) if member == node] for node in range(nodes)
    ]
