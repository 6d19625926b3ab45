"""Ragged arrays behave like lists of lists."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simdocs.model import ragged
from tests import strategies as some

rows_of_truths = st.lists(st.lists(st.booleans(), max_size=9), max_size=9)


@given(rows_of_truths, st.sampled_from([1, 2, 5, 1 << 20]))
def test_true_values_are_counted_by_row(rows, at_once):
    made = some.ragged(rows, bool)
    with mock.patch.object(ragged, "_COUNT_BLOCK", at_once):
        assert ragged.count_true_in_rows(made.values, made.offsets).tolist() == [sum(row) for row in rows]


@given(st.lists(st.lists(st.integers(0, 3), max_size=4), max_size=6), st.data())
def test_rows_can_be_taken_in_any_order(rows, data):
    wanted = data.draw(st.lists(st.integers(0, len(rows) - 1), max_size=9) if rows else st.just([]))
    made = some.ragged(rows, np.uint32)
    assert some.rows_of(made.take(np.array(wanted, np.int64))) == [rows[row] for row in wanted]


@given(st.lists(st.lists(st.integers(0, 5), max_size=3), max_size=6))
def test_rows_ascend_if_each_is_a_sorted_set(rows):
    assert some.ragged(rows, np.uint32).rows_ascend == all(row == sorted(set(row)) for row in rows)


def test_taking_all_rows_in_their_order_copies_nothing():
    made = some.ragged([[1], [], [2, 3]], np.uint32)
    assert made.take(np.arange(3)).values is made.values
    assert made.take(np.array([0, 2, 1])).values is not made.values


@given(st.lists(st.integers(0, 9), max_size=30), st.integers(1, 12))
def test_blocks_of_rows_hold_at_most_the_given_number_of_values(lengths, most):
    cuts = list(ragged.row_blocks(ragged.offsets_of(np.array(lengths, np.int64)), most))
    assert [row for first, end in cuts for row in range(first, end)] == list(range(len(lengths)))
    for first, end in cuts:
        assert end - first == 1 or max(sum(lengths[first:end]), end - first) <= most


@pytest.mark.parametrize("lengths", [[0, 0, 0], [], [0]])
def test_empty_rows_hold_no_true_values(lengths):
    assert ragged.count_true_in_rows(np.empty(0, bool), ragged.offsets_of(np.array(lengths, np.int64))).tolist() == [
        0
    ] * len(lengths)


@given(st.lists(st.integers(0, 4), max_size=20))
def test_the_first_of_each_run_is_the_first_equal_item(items):
    values = np.array(items, np.int64)
    order = np.argsort(values, kind="stable")
    begins = np.append(True, values[order][1:] != values[order][:-1])[: len(items)]
    assert ragged.firsts_of_runs(order, begins).tolist() == [items.index(item) for item in items]
