"""The candidates of an exact join contain every similar pair, whatever the sizes of the sets and of the blocks."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simdocs.kernels import prefix_index
from tests import strategies as some
from tests.amounts import examples
from tests.twins import exact_join as twin
from tests.twins.similarity import jaccard

SPREAD = 0x05F5E101
"""Numbers times this are tokens in all parts of the range of tokens."""

tokens = st.integers(0, 40).map(lambda number: number * SPREAD % 2**32)
families = st.lists(st.sets(tokens, max_size=12), max_size=6)
thresholds = st.sampled_from([0.3, 1 / 3, 0.5, 0.6, 2 / 3, 0.8, 0.9, 1.0])


@st.composite
def corpora(draw):
    """Sets, copies of them, and copies with a token more or less: empty, tiny and larger ones."""
    sets = draw(families)
    for one in list(sets):
        if draw(st.booleans()):
            sets.append(one ^ draw(st.sets(tokens, max_size=3)))
    return sets


def found_among(sets, threshold, members=None, wanted=None):
    rows = some.ragged([sorted(one) for one in sets], np.uint32)
    index = prefix_index.prefix_index(rows, threshold)
    members = np.arange(len(sets)) if members is None else np.array(members, np.int64)
    blocks = list(prefix_index.similar_candidates(index, members, wanted))
    pairs = [pair for left, right in blocks for pair in zip(left.tolist(), right.tolist(), strict=True)]
    assert pairs == sorted(set(pairs))
    lefts = [set(left.tolist()) for left, _ in blocks]
    assert all(not (a & b) for a, b in combinations(lefts, 2))
    return set(pairs)


def similar_pairs(sets, threshold):
    return {
        (a, b)
        for a, b in combinations(range(len(sets)), 2)
        if sets[a] and sets[b] and jaccard(sets[a], sets[b]) >= threshold
    }


@examples(30)
@given(corpora(), thresholds)
def test_candidates_are_those_of_the_twin_and_miss_no_similar_pair(sets, threshold):
    found = found_among(sets, threshold)
    assert found == twin.candidates(sets, threshold)
    assert found >= similar_pairs(sets, threshold)


@pytest.mark.parametrize("at_once", [1, 2, 7])
@examples(20)
@given(corpora(), thresholds, st.data())
def test_candidates_do_not_depend_on_the_size_of_blocks(at_once, sets, threshold, data):
    wanted = np.array(data.draw(st.lists(st.booleans(), min_size=len(sets), max_size=len(sets))), bool)
    some_members = sorted(data.draw(st.sets(st.sampled_from(range(len(sets)))))) if sets else []
    asked = [(None, None), (some_members, None), (None, wanted)]
    expected = [found_among(sets, threshold, *each) for each in asked]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(prefix_index, "_MATCHES_AT_ONCE", at_once)
        patch.setattr(prefix_index, "_SORT_BLOCK", at_once)
        assert [found_among(sets, threshold, *each) for each in asked] == expected
    of_all, of_some, with_wanted = expected
    assert of_some == {pair for pair in of_all if pair[0] in some_members}
    assert with_wanted == {pair for pair in of_all if wanted[list(pair)].any()}


@pytest.mark.parametrize("size", [3, 300])
@pytest.mark.parametrize("parts", [(4, 5), (1, 2), (1, 3), (2, 3), (9, 10), (3, 10)])
def test_a_pair_exactly_at_the_threshold_is_a_candidate(size, parts):
    common, union = parts[0] * size, parts[1] * size
    draw = np.random.default_rng(size).choice(2**32, union, replace=False).tolist()
    more = (union - common) // 2
    sets = [set(draw[: common + more]), set(draw[:common] + draw[common + more :])]
    assert jaccard(*sets) == parts[0] / parts[1]
    assert found_among(sets, parts[0] / parts[1]) == {(0, 1)}


@pytest.mark.parametrize("percent", [7, 14, 55, 58])
@pytest.mark.parametrize("size", [100, 700])
def test_a_part_exactly_at_the_threshold_is_a_candidate(percent, size):
    """Such as 55 tokens of 100 at 0.55, whose product with 100 is above 55 as a floating-point number."""
    large = set(range(size))
    small = set(range(size - percent * size // 100, size))
    threshold = percent / 100
    assert jaccard(small, large) >= threshold
    others = [{token} for token in small]  # so that the tokens of the part are more frequent
    assert (0, 1) in found_among([small, large, *others], threshold)
    assert (0, 1) in found_among([large, small, *others], threshold)


def test_prefixes_of_more_sets_than_fit_beside_a_frequent_token_are_right():
    """Rows, frequencies and tokens are sorted as one number of 64 bits: a large frequency leaves few bits for rows."""
    own = np.arange(100, 70_100, dtype=np.uint32)
    sets = some.Ragged.from_lengths(
        np.column_stack((np.full(len(own), 7, np.uint32), own)).ravel(), np.full(len(own), 2)
    )
    made = prefix_index.prefix_tokens(sets, 0.5)
    assert np.array_equal(made.values.reshape(-1, 2), np.column_stack((own, np.full(len(own), 7))))
