"""Greedy groups in rounds equal those of the sequential definition, and a round costs what it decides."""

from __future__ import annotations

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
from simdocs.kernels.grouping import KEPT, REMOVED, UNDECIDED, capped_members
from simdocs.matching import candidates
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
    """Compares by known similarities, and writes down what was compared and found, and what was decided when."""

    def __init__(self, similarity: Callable[[int, int], float]) -> None:
        self._similarity = similarity
        self.met: list[Pair] = []
        self.found: list[Pair] = []
        self.decided: list[int] = []

    def __call__(self, left: Any, right: Any) -> Pairs:
        met = list(zip(left.tolist(), right.tolist(), strict=True))
        jaccard = np.array([self._similarity(*pair) for pair in met], float)
        similar = np.flatnonzero(jaccard >= THRESHOLD)
        self.met += met
        self.found += [met[at] for at in similar.tolist()]
        return Pairs(some.frozen(left), some.frozen(right), jaccard, jaccard / 2).take(similar)


def in_rounds(
    size: int,
    buckets: list[list[int]] | some.Ragged,
    similarity: dict[Pair, float] | Callable[[int, int], float],
    most: int,
    always_kept: int = 0,
    at_once: int = candidates._AT_ONCE,
) -> tuple[candidates.GroupingState, Compared]:
    """Decide in rounds. at_once: the positions looked at at once."""
    compared = Compared(similarity if callable(similarity) else lambda a, b: similarity[a, b])
    shared = buckets if isinstance(buckets, some.Ragged) else some.ragged(buckets, np.int64)
    blocks = mock.patch.object(bucket_kernels, "_POSITIONS_AT_ONCE", min(at_once, bucket_kernels._POSITIONS_AT_ONCE))
    with blocks, mock.patch.multiple(candidates, _AT_ONCE=at_once):
        found = candidates.BucketCandidates(shared, size, most, always_kept)
        return found.decide(compared, compared.decided.append), compared


def decided(state: candidates.GroupingState, buckets: list[list[int]], most: int, always_kept: int = 0) -> twin.Decided:
    kept = np.flatnonzero(state.status == KEPT)
    removed = np.flatnonzero(state.status == REMOVED)
    under = dict(zip(removed.tolist(), state.under[removed].tolist(), strict=True))
    capped = capped_members(some.ragged(buckets, np.int64), state.status, most)
    return twin.Decided(kept.tolist(), under, capped[capped >= always_kept].tolist())


LIMITS = st.integers(1, 4) | st.just(1000)
AT_ONCE = st.integers(1, 8) | st.just(candidates._AT_ONCE)


@given(families(), LIMITS, st.just(0) | st.integers(0, 12), AT_ONCE)
@example((3, [[0, 2], [1, 2]], {(0, 1): 0.0, (0, 2): 0.9, (1, 2): 0.9}), 1000, 0, 1)
@example((3, [[0, 1], [1, 2], [0, 2]], {(0, 1): 0.8, (1, 2): 1.0, (0, 2): 0.0}), 1000, 0, 1)
@example((4, [[0, 1, 2, 3]], dict.fromkeys(combinations(range(4), 2), 0.0)), 2, 0, 1)
@example((4, [[0, 1, 2, 3]], dict.fromkeys(combinations(range(4), 2), 0.9)), 1, 2, 3)
def test_groups_equal_those_of_the_sequential_greedy(family, most, always_kept, at_once):
    size, buckets, similarity = family
    always_kept = min(always_kept, size)
    state, compared = in_rounds(size, buckets, similarity, most, always_kept, at_once)
    expected = twin.greedy(size, buckets, lambda a, b: similarity[min(a, b), max(a, b)], THRESHOLD, most, always_kept)
    assert UNDECIDED not in state.status
    assert decided(state, buckets, most, always_kept) == expected
    assert compared.decided[-1:] in ([size], [])
    assert compared.decided == sorted(compared.decided)


@pytest.mark.parametrize("most", [1, 3])
def test_a_bucket_of_strangers_costs_at_most_the_cap_times_its_size(most):
    size = 200
    strangers = dict.fromkeys(combinations(range(size), 2), 0.0)
    state, compared = in_rounds(size, [list(range(size))], strangers, most)
    assert len(compared.met) == sum(size - 1 - kept for kept in range(most))
    assert decided(state, [list(range(size))], most) == (list(range(size)), {}, list(range(most + 1, size)))


def chain(size: int) -> tuple[some.Ragged, Callable[[int, int], float]]:
    """Revisions of a text. Each shares a bucket with the next four, and is similar to the next."""
    rows = np.arange(size - 4)[:, None] + np.arange(5)
    return some.Ragged.from_lengths(rows.ravel(), np.full(len(rows), 5)), lambda a, b: 0.9 * (b - a == 1)


@pytest.mark.reliability("thousands of revisions, each similar to its neighbours")
def test_each_pair_of_a_chain_is_compared_once_in_as_many_rounds_as_there_are_kept_revisions():
    size = 1500
    _, compared = in_rounds(size, *chain(size), 1000)
    assert len(compared.met) <= 2 * size
    assert len(compared.decided) >= size // 2 - 2
    assert compared.found == [(at, at + 1) for at in range(0, size - 1, 2)]


@pytest.mark.reliability("thousands of revisions, each similar to its neighbours")
def test_a_round_takes_no_more_memory_for_more_undecided_members():
    """Arrays as long as all members would show."""
    taken = {size: median(allocated_in_rounds(size)) for size in (100, 600)}
    assert taken[600] < 1.5 * taken[100]
    assert taken[600] < 600 * 16


def allocated_in_rounds(size: int) -> list[int]:
    """Return how many bytes each round of a chain allocated at most at once."""
    buckets, similarity = chain(size)
    peaks = list[int]()

    def progress(_decided: int) -> None:
        now, peak = tracemalloc.get_traced_memory()
        peaks.append(peak - now)
        tracemalloc.reset_peak()

    tracemalloc.start()
    try:
        candidates.BucketCandidates(buckets, size, 1000).decide(Compared(similarity), progress)
    finally:
        tracemalloc.stop()
    return peaks[1:]
