"""Keep orders equal those of the twin."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simdocs.kernels.group.greedy_rounds import keep_order
from simdocs.parameters.families import KEEP
from tests import strategies as some
from tests.twins import groups as twin

facts = st.lists(
    st.tuples(st.integers(0, 3) | st.integers(0, 2**62), st.integers(-2, 2) | st.integers(-(2**62), 2**62))
)


@pytest.mark.parametrize("policy", KEEP)
@given(rows=facts)
def test_keep_orders_are_those_of_the_twin(policy, rows):
    sizes, mtimes = [size for size, _ in rows], [mtime for _, mtime in rows]
    arrays = [some.frozen(np.array(each, np.int64)) for each in (sizes, mtimes)]
    assert keep_order(policy, *arrays).tolist() == twin.keep_order(policy, sizes, mtimes)


@pytest.mark.parametrize(
    ("policy", "order"),
    [
        ("first", [0, 1, 2, 3]),
        ("longest", [1, 3, 0, 2]),
        ("shortest", [2, 0, 1, 3]),
        ("newest", [2, 0, 3, 1]),
        ("oldest", [1, 0, 3, 2]),
    ],
)
def test_ties_in_keep_order_go_by_row(policy, order):
    sizes, mtimes = np.array([20, 30, 10, 30]), np.array([5, -1, 9, 5])
    assert keep_order(policy, sizes, mtimes).tolist() == order
