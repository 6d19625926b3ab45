"""Greedy groups in rounds equal those of the sequential definition, and a round costs what it decides."""

from __future__ import annotations

import random
import tracemalloc
from collections.abc import Callable
from itertools import combinations
from statistics import median
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from simdocs.kernels import buckets as bucket_kernels
from simdocs.kernels.grouping import KEPT, REMOVED, UNDECIDED, capped_members, first_undecided
from simdocs.matching import rounds
from simdocs.model.groups import Pairs
from tests import strategies as some
from tests.twins import groups as twin

THRESHOLD = 0.8

Pair = tuple[int, int]


@st.composite
def families(draw):
    """Draw buckets, and a similarity for every two members. There are few values, so ties are frequent."""
    size = draw(st.integers(1, 12))
    few_or_all = st.integers(2, 3) | st.just(size)
    members = few_or_all.flatmap(lambda most: st.sets(st.integers(0, size - 1), max_size=most).map(sorted))
    buckets = [bucket for bucket in draw(st.lists(members, max_size=10)) if len(bucket) > 1]
    value = st.sampled_from(draw(st.sampled_from([[0.8, 0.9], [0.0, 0.79, 0.8, 0.9, 1.0], [0.0, 0.0, 0.0, 0.8, 0.81]])))
    return size, buckets, {pair: draw(value) for pair in combinations(range(size), 2)}


class Compared:
    """Compares by known similarities, and writes down what was compared and used, and what was decided when."""

    def __init__(self, similarity: Callable[[int, int], float]) -> None:
        self._similarity = similarity
        self.calls: list[list[Pair]] = []
        self.used: list[Pair] = []
        self.decided: list[int] = []

    def similar(self, left: Any, right: Any) -> Pairs:
        self.calls.append(list(zip(left.tolist(), right.tolist(), strict=True)))
        jaccard = np.array([self._similarity(*pair) for pair in self.calls[-1]], float)
        pairs = Pairs(some.frozen(left), some.frozen(right), jaccard, jaccard / 2)
        return pairs.take(np.flatnonzero(jaccard >= THRESHOLD))

    def use(self, pairs: Pairs) -> None:
        self.used += zip(pairs.left.tolist(), pairs.right.tolist(), strict=True)

    def progress(self, decided: int) -> None:
        self.decided.append(decided)

    @property
    def met(self) -> list[Pair]:
        """All pairs that were compared."""
        return [pair for call in self.calls for pair in call]


def in_rounds(
    size: int,
    buckets: list[list[int]] | some.Ragged,
    similarity: dict[Pair, float] | Callable[[int, int], float],
    most: int,
    always_kept: int = 0,
    few: int = rounds._FEW,
    at_once: int = rounds._AT_ONCE,
) -> tuple[rounds.GroupingState, Compared]:
    """Decide in rounds. few: so many pairs are verified at once at least. at_once: the positions looked at at once."""
    compared = Compared(similarity if callable(similarity) else lambda a, b: similarity[a, b])
    shared = buckets if isinstance(buckets, some.Ragged) else some.ragged(buckets, np.int64)
    blocks = mock.patch.object(bucket_kernels, "_POSITIONS_AT_ONCE", min(at_once, bucket_kernels._POSITIONS_AT_ONCE))
    with blocks, mock.patch.multiple(rounds, _FEW=few, _AT_ONCE=at_once):
        return rounds.Rounds(shared, size, most, compared, always_kept).decide(), compared


def decided(state: rounds.GroupingState, buckets: list[list[int]], most: int, always_kept: int = 0) -> twin.Decided:
    kept = np.flatnonzero(state.status == KEPT)
    removed = np.flatnonzero(state.status == REMOVED)
    under = dict(zip(removed.tolist(), state.under[removed].tolist(), strict=True))
    capped = capped_members(some.ragged(buckets, np.int64), state.status, most)
    return twin.Decided(kept.tolist(), under, capped[capped >= always_kept].tolist())


LIMITS = st.integers(1, 4) | st.just(1000)
FEW = st.integers(1, 8) | st.just(rounds._FEW)
AT_ONCE = st.integers(1, 8) | st.just(rounds._AT_ONCE)


@given(families(), LIMITS, FEW, st.just(0) | st.integers(0, 12), AT_ONCE)
@example((3, [[0, 2], [1, 2]], {(0, 1): 0.0, (0, 2): 0.9, (1, 2): 0.9}), 1000, 256, 0, 1)
@example((3, [[0, 1], [1, 2], [0, 2]], {(0, 1): 0.8, (1, 2): 1.0, (0, 2): 0.0}), 1000, 256, 0, 1)
@example((4, [[0, 1, 2, 3]], dict.fromkeys(combinations(range(4), 2), 0.0)), 2, 256, 0, 1)
@example((4, [[0, 1, 2, 3]], dict.fromkeys(combinations(range(4), 2), 0.9)), 1, 256, 2, 3)
def test_groups_equal_those_of_the_sequential_greedy(family, most, few, always_kept, at_once):
    size, buckets, similarity = family
    always_kept = min(always_kept, size)
    state, compared = in_rounds(size, buckets, similarity, most, always_kept, few, at_once)
    expected = twin.greedy(size, buckets, lambda a, b: similarity[min(a, b), max(a, b)], THRESHOLD, most, always_kept)
    assert UNDECIDED not in state.status
    assert decided(state, buckets, most, always_kept) == expected
    assert compared.decided[-1:] in ([size], [])
    assert compared.decided == sorted(compared.decided)


@given(families(), LIMITS, FEW)
def test_every_removed_member_is_similar_enough_to_a_kept_one_before_it(family, most, few):
    size, buckets, similarity = family
    state, _ = in_rounds(size, buckets, similarity, most, few=few)
    for member, keeper in decided(state, buckets, most).under.items():
        assert state.status[keeper] == KEPT
        assert keeper < member
        assert similarity[keeper, member] == state.jaccard[member] >= THRESHOLD
        assert state.estimate[member] == state.jaccard[member] / 2


@given(families(), LIMITS, FEW)
def test_only_pairs_that_share_a_bucket_are_compared_and_only_once(family, most, few):
    size, buckets, similarity = family
    state, compared = in_rounds(size, buckets, similarity, most, few=few)
    assert len(compared.met) == len(set(compared.met))
    assert all(a < b and any({a, b} <= set(bucket) for bucket in buckets) for a, b in compared.met)
    assert len(compared.used) == len(set(compared.used))
    assert set(compared.used) <= {pair for pair in compared.met if similarity[pair] >= THRESHOLD}
    assert all(state.status[kept] == KEPT for kept, _ in compared.used)


@pytest.mark.parametrize("most", [1, 3])
def test_a_bucket_of_strangers_costs_at_most_the_cap_times_its_size(most):
    size = 200
    strangers = dict.fromkeys(combinations(range(size), 2), 0.0)
    state, compared = in_rounds(size, [list(range(size))], strangers, most)
    assert len(compared.met) == sum(size - 1 - kept for kept in range(most))
    assert decided(state, [list(range(size))], most) == (list(range(size)), {}, list(range(most + 1, size)))


def test_a_family_of_twins_costs_its_size():
    size = 300
    twins = dict.fromkeys(combinations(range(size), 2), 1.0)
    state, compared = in_rounds(size, [list(range(size))] * 3, twins, 1000)
    assert compared.met == [(0, member) for member in range(1, size)]
    assert decided(state, [list(range(size))] * 3, 1000) == ([0], dict.fromkeys(range(1, size), 0), [])


def test_no_members_make_no_groups():
    state, compared = in_rounds(0, [], {}, 1000)
    assert len(state.status) == 0
    assert compared.met == []


def chain(size: int, order: list[int]) -> tuple[some.Ragged, Callable[[int, int], float]]:
    """Revisions of a text in this keep order. Each shares a bucket with the next four, and is similar to the next."""
    number = np.argsort(order)
    rows = np.sort(number[np.arange(size - 4)[:, None] + np.arange(5)], axis=1)
    return some.Ragged.from_lengths(
        rows.ravel(), np.full(len(rows), 5)
    ), lambda a, b: 0.9 * (abs(order[a] - order[b]) == 1)


def orders(size: int) -> dict[str, list[int]]:
    forwards = list(range(size))
    return {"forwards": forwards, "backwards": forwards[::-1], "shuffled": random.Random(1).sample(forwards, size)}


@pytest.mark.reliability("thousands of revisions, each similar to its neighbours")
@pytest.mark.parametrize("order", orders(0))
def test_a_chain_of_revisions_is_verified_in_a_few_calls(order):
    """In keep order, every second one is kept, each in a round of its own."""
    size = 1500
    buckets, similarity = chain(size, orders(size)[order])
    _, compared = in_rounds(size, buckets, similarity, 1000)
    assert len(compared.calls) < 20
    assert len(compared.met) <= 4 * size
    if order != "shuffled":
        assert len(compared.decided) >= size // 2 - 2
        assert set(compared.used) == {(at, at + 1) for at in range(0, size - 1, 2)}


@pytest.mark.reliability("thousands of revisions, each similar to its neighbours")
def test_a_round_takes_no_more_memory_for_more_undecided_members():
    """Arrays as long as all members would show."""
    taken = {size: median(allocated_in_rounds(size)) for size in (100, 600)}
    assert taken[600] < 1.5 * taken[100]
    assert taken[600] < 600 * 16


def allocated_in_rounds(size: int) -> list[int]:
    """Return how many bytes each round of a chain allocated at most at once."""
    buckets, similarity = chain(size, list(range(size)))
    compared, peaks = Compared(similarity), list[int]()

    def progress(_decided: int) -> None:
        now, peak = tracemalloc.get_traced_memory()
        peaks.append(peak - now)
        tracemalloc.reset_peak()

    tracemalloc.start()
    try:
        with mock.patch.object(compared, "progress", progress):
            rounds.Rounds(buckets, size, 1000, compared).decide()
    finally:
        tracemalloc.stop()
    return peaks[1:]


@given(st.lists(st.lists(st.sampled_from([UNDECIDED, KEPT, REMOVED]), max_size=20), max_size=5))
def test_the_first_undecided_member_of_each_bucket_is_found(rows):
    statuses = some.ragged(rows, np.int8)
    members = np.arange(len(statuses.values))[::-1].copy()
    found = first_undecided(members, statuses.offsets[:-1], statuses.offsets[1:], statuses.values[::-1])
    places = [row.index(UNDECIDED) if UNDECIDED in row else len(row) for row in rows]
    assert (found - statuses.offsets[:-1]).tolist() == places


def test_finding_the_first_undecided_member_looks_at_few_others():
    """Going on from the last place, a bucket is looked at a few times, however often it is asked about."""
    size, looked_at = 1000, 0
    status, members, head = np.zeros(size, np.int8), Watched(np.arange(size)), np.zeros(1, np.int64)
    for at in range(size):
        status[at] = REMOVED
        head = first_undecided(members, head, np.array([size]), status)  # type: ignore[arg-type]
        assert head.tolist() == [at + 1]
        looked_at, members.seen = looked_at + members.seen, 0
    assert looked_at < 6 * size


class Watched:
    """An array that counts the values that are read."""

    def __init__(self, values: np.ndarray) -> None:
        self._values, self.seen = values, 0

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, places: np.ndarray) -> np.ndarray:
        self.seen += len(places)
        return self._values[places]


def two_parts(chained: range, alike: range) -> tuple[some.Ragged, Callable[[int, int], float]]:
    """A chain, in which half of what is ahead is used, and members of which each is similar to the next ten."""
    one = np.array(chained)[:-4, None] + np.arange(5)
    other = np.array(alike)[:-10, None] + np.arange(11)
    lengths = np.repeat([5, 11], [len(one), len(other)])
    buckets = some.Ragged.from_lengths(np.concatenate((one.ravel(), other.ravel())), lengths)
    return buckets, lambda a, b: 0.9 * (b - a == 1 or a in alike)


def test_little_is_verified_ahead_after_it_did_not_pay():
    chained, alike = range(600), range(600, 4000)
    state, compared = in_rounds(4000, *two_parts(chained, alike), 1000)
    needed = [pair for pair in compared.met if pair[0] in alike and state.status[pair[0]] == KEPT]
    unmatched = [pair for pair in compared.met if pair[0] in alike and state.status[pair[0]] == REMOVED]
    assert len(needed) > 1000
    assert len(unmatched) < 2 * len(needed)


def test_more_is_verified_ahead_when_it_pays_again():
    alike, chained = range(1000), range(1000, 2000)
    _, compared = in_rounds(2000, *two_parts(chained, alike), 1000)
    of_chain = [call for call in compared.calls if all(left in chained for left, _ in call)]
    assert 0 < len(of_chain) < 100
