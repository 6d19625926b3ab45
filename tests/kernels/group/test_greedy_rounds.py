"""Greedy groups in rounds equal those of the sequential definition."""

from __future__ import annotations

from dataclasses import fields
from itertools import combinations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from simdocs.kernels.group import greedy_rounds
from simdocs.kernels.group.greedy_rounds import KEPT, REMOVED, GroupingState
from tests import strategies as some
from tests.twins import groups as twin

THRESHOLD = 0.8


@st.composite
def families(draw):
    """Draw buckets, and a similarity for every two members. There are few values, so ties are frequent."""
    size = draw(st.integers(1, 12))
    few_or_all = st.integers(2, 3) | st.just(size)
    members = few_or_all.flatmap(lambda most: st.sets(st.integers(0, size - 1), max_size=most).map(sorted))
    buckets = [bucket for bucket in draw(st.lists(members, max_size=10)) if len(bucket) > 1]
    value = st.sampled_from(draw(st.sampled_from([[0.8, 0.9], [0.0, 0.79, 0.8, 0.9, 1.0], [0.0, 0.0, 0.0, 0.8, 0.81]])))
    return size, buckets, {pair: draw(value) for pair in combinations(range(size), 2)}


def in_rounds(size: int, buckets: list[list[int]], similarity: dict, most: int) -> tuple[GroupingState, list]:
    """Run the rounds as matching/greedy.py does, and return the state and every pair that was compared."""
    state, shared = GroupingState.undecided(size), some.ragged(buckets, np.int64)
    met = []
    for _ in range(size + 1):
        if state.settled:
            break
        shared = greedy_rounds.prune_buckets(shared, state, most)
        kept, firsts = greedy_rounds.next_kept(shared, state)
        for left, right in greedy_rounds.pairs_with_newly_kept(shared, kept, firsts, size):
            pairs = list(zip(left.tolist(), right.tolist(), strict=True))
            met += pairs
            jaccard = np.array([similarity[pair] for pair in pairs])
            some_similar = jaccard >= THRESHOLD
            found = left[some_similar], right[some_similar], jaccard[some_similar]
            before = copies_of(state)
            after = greedy_rounds.mark_removed(state, *map(some.frozen, found), jaccard[some_similar] / 2)
            assert copies_of(state) == before
            state = after
        state = greedy_rounds.mark_kept(state, kept)
    return state, met


def copies_of(state: GroupingState) -> list[list]:
    """Return a copy of a state, to compare with later."""
    return [getattr(state, field.name).tolist() for field in fields(state)]


def decided(state: GroupingState, buckets: list[list[int]], most: int) -> twin.Decided:
    kept = np.flatnonzero(state.status == KEPT)
    removed = np.flatnonzero(state.status == REMOVED)
    under = dict(zip(removed.tolist(), state.under[removed].tolist(), strict=True))
    capped = greedy_rounds.capped_members(some.ragged(buckets, np.int64), state, most)
    return twin.Decided(kept.tolist(), under, capped.tolist())


@given(families(), st.integers(1, 4) | st.just(1000))
@example((3, [[0, 2], [1, 2]], {(0, 1): 0.0, (0, 2): 0.9, (1, 2): 0.9}), 1000)
@example((3, [[0, 1], [1, 2], [0, 2]], {(0, 1): 0.8, (1, 2): 1.0, (0, 2): 0.0}), 1000)
@example((4, [[0, 1, 2, 3]], dict.fromkeys(combinations(range(4), 2), 0.0)), 2)
def test_groups_equal_those_of_the_sequential_greedy(family, most):
    size, buckets, similarity = family
    state, _ = in_rounds(size, buckets, similarity, most)
    expected = twin.greedy(size, buckets, lambda a, b: similarity[min(a, b), max(a, b)], THRESHOLD, most)
    assert state.settled
    assert decided(state, buckets, most) == expected


@given(families(), st.integers(1, 4) | st.just(1000))
def test_every_removed_member_is_similar_enough_to_a_kept_one_before_it(family, most):
    size, buckets, similarity = family
    state, _ = in_rounds(size, buckets, similarity, most)
    for member, keeper in decided(state, buckets, most).under.items():
        assert state.status[keeper] == KEPT
        assert keeper < member
        assert similarity[keeper, member] == state.jaccard[member] >= THRESHOLD
        assert state.estimate[member] == state.jaccard[member] / 2


@given(families(), st.integers(1, 4) | st.just(1000))
def test_only_pairs_that_share_a_bucket_are_compared_and_only_once(family, most):
    size, buckets, similarity = family
    _, met = in_rounds(size, buckets, similarity, most)
    assert len(met) == len(set(met))
    assert all(a < b and any({a, b} <= set(bucket) for bucket in buckets) for a, b in met)


@pytest.mark.parametrize("most", [1, 3])
def test_a_bucket_of_strangers_costs_at_most_the_cap_times_its_size(most):
    size = 200
    strangers = dict.fromkeys(combinations(range(size), 2), 0.0)
    state, met = in_rounds(size, [list(range(size))], strangers, most)
    assert len(met) == sum(size - 1 - kept for kept in range(most))
    assert decided(state, [list(range(size))], most) == (list(range(size)), {}, list(range(most + 1, size)))


def test_a_family_of_twins_costs_its_size():
    size = 300
    twins = dict.fromkeys(combinations(range(size), 2), 1.0)
    state, met = in_rounds(size, [list(range(size))] * 3, twins, 1000)
    assert met == [(0, member) for member in range(1, size)]
    assert decided(state, [list(range(size))] * 3, 1000) == ([0], dict.fromkeys(range(1, size), 0), [])


def test_no_members_make_no_groups():
    state, met = in_rounds(0, [], {}, 1000)
    assert state.settled
    assert met == []
