"""Exact and estimated similarities equal those of the twin, and the prefilter drops only low estimates."""

from __future__ import annotations

from collections import Counter
from itertools import product
from unittest import mock

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from simdocs.kernels import jaccard
from tests import strategies as some
from tests.twins import similarity as twin

few_tokens = st.integers(0, 5) | some.tokens
set_rows = st.lists(st.sets(few_tokens, max_size=12), max_size=6)


def every_pair(count: int) -> tuple[np.ndarray, np.ndarray]:
    left, right = np.indices((count, count))
    return some.frozen(left.reshape(-1)), some.frozen(right.reshape(-1))


@given(set_rows)
@example([{0}, {0}, {0, 2**32 - 1}, set(), {2**32 - 1}])
def test_exact_similarities_are_those_of_the_twin(rows):
    sets = some.ragged([sorted(row) for row in rows], np.uint32)
    expected = [twin.jaccard(a, b) for a, b in product(rows, rows)]
    made = jaccard.exact(sets, *every_pair(len(rows)))
    assert made.tolist() == expected  # the unrounded quotient, to the last bit
    assert made.dtype == np.float64


def assert_exact(rows: list[set[int]], pairs: list[tuple[int, int]]) -> None:
    """Check the similarities of these pairs of sets, in this order, with Python's sets."""
    sets = some.ragged([sorted(row) for row in rows], np.uint32)
    left, right = (some.frozen(side.copy()) for side in np.array(pairs, np.int64).reshape(-1, 2).T)
    assert jaccard.exact(sets, left, right).tolist() == [twin.jaccard(rows[a], rows[b]) for a, b in pairs]


@given(set_rows.filter(len))
def test_exact_similarities_of_one_with_all_others_are_those_of_the_twin(rows):
    for at in range(len(rows)):
        assert_exact(rows, [(at, other) for other in range(len(rows))] * 2)
        assert_exact(rows, [(other, at) for other in range(len(rows))] * 2)


@given(set_rows, st.sampled_from([1, 2, 5]))
def test_exact_similarities_of_sets_too_large_to_merge_at_once_are_right(rows, most):
    sets = some.ragged([sorted(row) for row in rows], np.uint32)
    expected = [twin.jaccard(a, b) for a, b in product(rows, rows)]
    with mock.patch.object(jaccard, "_MERGE_BLOCK", most):
        assert jaccard.exact(sets, *every_pair(len(rows))).tolist() == expected


def test_exact_similarities_of_large_sets_are_right():
    draw = np.random.default_rng(3)
    rows = [set(draw.integers(0, 200_000, size).tolist()) for size in (0, 90_000, 140_000, 1, 65_000, 140_000, 0)]
    every = list(product(range(len(rows)), repeat=2))
    assert_exact(rows, every)


def near_copies(draw: np.random.Generator, number: int, size: int) -> list[set[int]]:
    """Each set has nearly all of the same tokens, and a few of its own."""
    same = draw.integers(0, 1 << 32, size)
    return [
        set(same[draw.random(size) < 0.98].tolist()) | set(draw.integers(0, 1 << 32, 5).tolist()) for _ in range(number)
    ]


@pytest.mark.parametrize("size", [0, 63, 64, 300])
def test_exact_similarities_of_all_near_copies_are_right(size):
    draw = np.random.default_rng(size)
    rows = [*near_copies(draw, 70, size), *near_copies(draw, 30, 2 * size), set()]
    pairs = [(a, b) for a in range(len(rows)) for b in range(a)]
    assert_exact(rows, pairs)
    draw.shuffle(pairs)
    assert_exact(rows, pairs)
    assert_exact(rows, pairs[:500] * 2)


def test_exact_similarities_of_copies_of_large_sets_are_right():
    """Some are too large for bitmaps of a few together, or by themselves."""
    draw = np.random.default_rng(7)
    rows = [*near_copies(draw, 2, 50_000), *near_copies(draw, 1, 140_000), *near_copies(draw, 6, 9)]
    pairs = [pair for pair in product(range(len(rows)), repeat=2) for _ in range(2)]
    assert_exact(rows, pairs)
    assert_exact(rows, [(2, other) for other in range(len(rows))] * 2)


def test_exact_similarities_of_forged_sets_are_right():
    """All of their tokens want the same place in the table in which tokens are numbered."""
    inverse = pow(0x9E3779B1, -1, 1 << 32)
    forged = [at * inverse % (1 << 32) for at in range(6000)]
    rows = [set(forged[at:]) for at in range(12)]
    assert_exact(rows, list(product(range(len(rows)), repeat=2)))


@given(
    some.sizes.flatmap(lambda k: st.lists(st.lists(st.integers(0, 1), min_size=k, max_size=k), min_size=1, max_size=6))
)
def test_estimates_are_those_of_the_twin(rows):
    signatures = some.frozen(np.array(rows, np.uint32))
    expected = [twin.estimate(a, b) for a, b in product(rows, rows)]
    assert jaccard.estimates(signatures, *every_pair(len(rows))).tolist() == expected


@pytest.mark.parametrize("count", [0, 1024, 1025])
def test_estimates_of_many_pairs_are_those_of_the_twin(count):
    draw = np.random.default_rng(count)
    signatures = draw.integers(0, 3, (40, 6), np.uint32)
    left, right = draw.integers(0, 40, (2, count))
    rows = signatures.tolist()
    expected = [twin.estimate(rows[a], rows[b]) for a, b in zip(left.tolist(), right.tolist(), strict=True)]
    assert jaccard.estimates(signatures, left, right).tolist() == expected


@given(st.integers(1, 100).map(lambda n: n / 100), some.sizes | st.sampled_from([63, 64, 65, 256]))
def test_the_prefilter_drops_estimates_five_standard_errors_below(threshold, num_perm):
    estimated = [agree / num_perm for agree in range(num_perm + 1)]
    made = jaccard.below_prefilter(some.frozen(np.array(estimated)), threshold, num_perm)
    assert made.tolist() == [twin.below_prefilter(value, threshold, num_perm) for value in estimated]


@given(st.sets(st.integers(0, 4095).map(lambda high: high << 20 | high & 1), max_size=30), st.data())
def test_sets_whose_tokens_agree_in_their_lowest_bits_are_compared_right(tokens, data):
    """Many tokens name the same cell of the table in which the tokens of few sets are looked up."""
    part = st.sets(st.sampled_from(sorted(tokens))) if tokens else st.just(set())
    rows = [set(tokens), *data.draw(st.lists(part, min_size=8, max_size=8))]
    assert_exact(rows, [(0, other) for other in range(len(rows))])


# What two documents share, with and without repeats, is what the twins count.

bags = st.lists(st.integers(0, 4) | some.tokens, max_size=12)


@given(bags, bags, st.sampled_from([1, 4, 1 << 18]))
def test_counts_are_those_of_python(a, b, at_once):
    with mock.patch.object(jaccard, "_TOKENS_AT_ONCE", at_once):
        found = jaccard.shared_tokens(*(np.sort(some.frozen(np.array(bag, np.uint32))) for bag in (a, b)))
    ours, theirs = Counter(a), Counter(b)
    squares = [sum(count * count for count in bag.values()) for bag in (ours, theirs)]
    sums = (ours & theirs).total(), sum(ours[token] * theirs[token] for token in ours), *squares
    assert found == (len(set(a)), len(set(b)), len(set(a) & set(b)), *sums)
