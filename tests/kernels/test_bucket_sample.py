"""Pairs are drawn from all pairs that share a bucket, each as likely."""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simdocs.kernels import buckets
from simdocs.options.recipes import Bands
from tests import strategies as some
from tests.twins import bands as twin_bands

key_lists = st.lists(st.integers(0, 4), max_size=12)


def pairs_of_band(values: list[int], most: int, dice: Any = None) -> list[list[Any]]:
    keys, order = np.array(values, np.uint64), np.argsort(values, kind="stable")
    return [each.tolist() for each in buckets.pairs_of_band(some.frozen(keys[order]), some.frozen(order), most, dice)]


def pairs_of(values: list[int]) -> list[tuple[int, int]]:
    return twin_bands.pairs(twin_bands.buckets([[value] for value in values], 1, 1))


@given(key_lists)
def test_every_pair_of_a_band_is_listed_once(values):
    left, right, stands_for = pairs_of_band(values, 1000)
    assert sorted(map(sorted, zip(left, right, strict=True))) == list(map(list, pairs_of(values)))
    assert stands_for == [1.0] * len(left)


@pytest.mark.parametrize("values", [[7, 7], [1, 2, 1, 2, 2], [3, 3, 3, 9, 1, 9, 3]])
def test_each_pair_of_a_band_is_drawn_as_often(values):
    sides = 12  # a multiple of the sizes of buckets, and of one less
    grid = [((bucket + 0.5) / len(pairs_of(values)), (one + 0.5) / sides, (other + 0.5) / sides)
            for bucket, one, other in product(range(len(pairs_of(values))), range(sides), range(sides))]  # fmt: skip
    left, right, stands_for = pairs_of_band(values, 0, mock.Mock(random=lambda _: np.array(grid)))
    found = Counter(tuple(sorted(pair)) for pair in zip(left, right, strict=True))
    assert found == dict.fromkeys(pairs_of(values), sides**2)
    assert sum(stands_for) == pytest.approx(len(pairs_of(values)))


@given(st.integers(1, 4), st.integers(1, 3), st.lists(st.integers(0, 1), min_size=36, max_size=36))
def test_the_bands_in_which_signatures_agree_are_those_of_the_twin(bands, rows, values):
    signatures = some.frozen(np.array(values, np.uint32).reshape(3, 12))
    left, right = (some.frozen(np.array(side)) for side in ([0, 0, 1, 2], [1, 2, 2, 2]))
    made = buckets.agreeing_bands(signatures, left, right, Bands(bands, rows))
    rows_of = signatures.tolist()
    assert made.tolist() == [
        twin_bands.agreeing_bands(rows_of[a], rows_of[b], bands, rows) for a, b in zip(left, right, strict=True)
    ]
