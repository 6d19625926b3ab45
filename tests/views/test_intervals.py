"""Intervals of estimated numbers, as people see them."""

from __future__ import annotations

import pytest

from simdocs.model.figures import with_interval
from simdocs.model.tuning import Estimate


@pytest.mark.parametrize(
    ("estimate", "whole", "shown"),
    [
        ((4.0, 3.9, 4.1), True, ("4", "")),
        ((4.2, 3.4, 5.3), True, ("4", "(3 to 5)")),
        ((16.1, 15.9, 16.2), False, ("16", "")),
        ((154.2, 153.8, 154.9), True, ("154", "(154 to 155)")),
        ((0.35, 0.31, 0.4), False, ("0.35", "(0.31 to 0.4)")),
        ((0.3, 0.0, 2.8), True, ("0", "(0 to 3)")),
    ],
)
def test_pairs_are_whole_and_an_interval_says_something_or_is_left_out(estimate, whole, shown):
    assert with_interval(Estimate(*estimate), whole=whole) == shown
