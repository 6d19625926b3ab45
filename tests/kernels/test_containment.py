"""The containment join finds just the pairs of the twin, whatever is held at once."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from simdocs.kernels import containment
from tests import strategies as some
from tests.twins import similarity as twin

few_tokens = st.integers(0, 9) | some.tokens
set_rows = st.lists(st.sets(few_tokens, max_size=12), max_size=6)
thresholds = st.sampled_from([0.01, 0.3, 0.5, 2 / 3, 0.8, 0.9, 1.0])


def joined(parts: list[set[int]], wholes: list[set[int]], threshold: float) -> list[tuple[int, int, int]]:
    a, b = (some.ragged([sorted(row) for row in rows], np.uint32) for rows in (parts, wholes))
    columns = containment.containers(containment.Parts.of(a, threshold), b)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def expected(parts: list[set[int]], wholes: list[set[int]], threshold: float) -> list[tuple[int, int, int]]:
    return [
        (left, right, len(a & b))
        for right, b in enumerate(wholes)
        for left, a in enumerate(parts)
        if twin.containment(a, b) >= threshold
    ]


@given(set_rows, set_rows, thresholds)
@example([{0}, set(), {0, 2**32 - 1}], [{0, 2**32 - 1}, set(), {2**32 - 1}], 0.5)
def test_the_join_finds_the_pairs_of_the_twin(parts, wholes, threshold):
    assert joined(parts, wholes, threshold) == expected(parts, wholes, threshold)


@given(set_rows, set_rows, thresholds, st.integers(1, 5), st.integers(1, 5))
def test_the_pairs_do_not_depend_on_how_much_is_held_at_once(parts, wholes, threshold, tokens, pairs):
    with mock.patch.multiple(containment, _LOOKED_UP=tokens, _PAIRS_AT_ONCE=pairs):
        assert joined(parts, wholes, threshold) == expected(parts, wholes, threshold)


@pytest.mark.parametrize(("common", "found"), [(4, True), (3, False)])
def test_a_containment_of_exactly_the_threshold_counts(common, found):
    assert bool(joined([set(range(5))], [set(range(common)) | {77, 78}], 0.8)) == found
