"""Bucket tables are built correctly, keys are found in them, and their buckets can be read back."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simdocs.kernels.group import greedy_rounds
from simdocs.kernels.lsh import buckets
from simdocs.kernels.lsh.buckets import bucket_bounds
from tests import strategies as some
from tests.kernels.lsh.test_buckets import pairs_in
from tests.twins import lookup as twin

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

    return *bucket_bounds(wanted, table.shape[1], at), seen


@given(tables())
def test_bounds_are_where_keys_would_be_inserted(case):
    rows, wanted = case
    rows = [sorted(band) for band in rows]
    begins, ends, _ = sought(array(rows), array(wanted))
    found = [list(zip(*each, strict=True)) for each in zip(begins.tolist(), ends.tolist(), strict=True)]
    assert found == twin.bounds(rows, wanted)
    assert begins.dtype == ends.dtype == np.int64


@pytest.mark.parametrize("width", [0, 1, 2, 3, 1000, 4097])
def test_bounds_are_those_of_searchsorted(width):
    draw = np.random.default_rng(width)
    table = np.sort(draw.integers(0, 2**64, (5, width), np.uint64, endpoint=False) >> np.uint64(56), axis=1)
    wanted = draw.integers(0, 300, (5, 77)).astype(np.uint64)
    begins, ends, _ = sought(some.frozen(table), some.frozen(wanted))
    for band in range(5):
        assert begins[band].tolist() == (band * width + np.searchsorted(table[band], wanted[band], "left")).tolist()
        assert ends[band].tolist() == (band * width + np.searchsorted(table[band], wanted[band], "right")).tolist()


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
    shared = buckets.shared_buckets(array(rows))
    assert sorted(map(tuple, some.rows_of(shared))) == twin.buckets(rows)
    ordered, owners = buckets.bucket_tables(array(rows), np.arange(len(rows[0])))
    again = buckets.shared_buckets_of_tables(some.frozen(ordered), owners.astype(np.int64))
    assert some.rows_of(again) == some.rows_of(shared)
    # Members may be numbered otherwise than rows are: in keep order.
    number = random.sample(range(len(rows[0])), len(rows[0]))
    renumbered = buckets.shared_buckets_of_tables(ordered, (np.array(number, np.int64)[band] for band in owners))
    expected = sorted(tuple(sorted(number[member] for member in bucket)) for bucket in some.rows_of(shared))
    assert sorted(map(tuple, some.rows_of(renumbered))) == expected
    assert all(bucket == sorted(bucket) for bucket in some.rows_of(renumbered))


def test_no_bands_or_no_members_make_no_buckets():
    for shape in ((0, 3), (3, 0), (3, 1)):
        none = np.zeros(shape, np.uint64)
        assert len(buckets.shared_buckets_of_tables(none, np.zeros(shape, np.int64))) == 0


bucket_lists = st.lists(st.sets(st.integers(0, 11), min_size=1).map(sorted), max_size=8)


@given(bucket_lists, st.integers(0, 12), st.integers(1, 4) | st.just(1000))
def test_given_members_are_paired_with_the_others_of_their_buckets(shared, given_, most):
    found = list(greedy_rounds.pairs_with_always_kept(some.ragged(shared, np.int64), given_, most, 12))
    assert pairs_in(found) == twin.given_pairs(shared, given_, most)


def test_pairs_of_given_members_come_in_blocks(monkeypatch):
    monkeypatch.setattr(buckets, "PAIRS_AT_ONCE", 50)
    shared = [list(range(40)), list(range(0, 40, 3))]
    found = list(greedy_rounds.pairs_with_always_kept(some.ragged(shared, np.int64), 25, 7, 40))
    assert len(found) > 1
    assert pairs_in(found) == twin.given_pairs(shared, 25, 7)
