"""The sketch for containment: tokens below a cut-off, and how many of them a document must share to be a candidate."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simdocs.kernels.fracminhash import SCALE, least_hits, sketch_table, sketches
from simdocs.kernels.prefix_index import smallest_part
from tests import strategies
from tests.amounts import slow

tokens = st.integers(0, (1 << 32) - 1) | st.integers(0, (1 << 27))


def at_least(sizes: int, sketched: int, shared: int, hits: int) -> float:
    """With which probability `shared` of `sizes` tokens have so many of the sketched ones."""
    chances = range(hits, min(sketched, shared) + 1)
    ways = sum(comb(sketched, hit) * comb(sizes - sketched, shared - hit) for hit in chances if hit <= shared)
    return ways / comb(sizes, shared)


@given(st.lists(st.lists(tokens, unique=True), max_size=5))
def test_a_sketch_has_the_tokens_below_the_cut_off(sets):
    found = sketches(strategies.Ragged.from_rows([np.array(sorted(one), np.uint32) for one in sets], np.uint32))
    assert [row.tolist() for row in map(found.__getitem__, range(len(sets)))] == [
        [token for token in sorted(one) if token < 2**32 / SCALE] for one in sets
    ]


counts = st.integers(1, 90).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(0, n)))


@given(st.lists(counts, max_size=5), st.sampled_from([0.3, 0.9, 0.95, 0.999]))
def test_the_least_number_of_hits_is_the_largest_that_is_reached_with_the_recall(some, recall):
    sizes, sketched, shared = (np.array([one[side] for one in some], np.int64) for side in range(3))
    for (n, m, k), hits in zip(some, least_hits(sizes, sketched, shared, recall).tolist(), strict=True):
        assert at_least(n, m, k, hits) >= recall - 1e-9
        assert hits == min(m, k) or at_least(n, m, k, hits + 1) < recall + 1e-9


entries = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 9)), unique=True)


@given(entries, entries)
def test_the_table_has_all_entries_by_token_and_row(old, new):
    new = [entry for entry in new if entry not in old]
    rows = sorted({row for _, row in new})
    sets = [np.array(sorted(token for token, of in new if of == row), np.uint32) for row in rows]
    old = sorted(old)
    given_tokens, given_rows = (np.array([entry[side] for entry in old], np.uint32) for side in (0, 1))
    made = sketch_table(
        strategies.Ragged.from_rows(sets, np.uint32), np.array(rows, np.int64), given_tokens, given_rows
    )
    assert list(zip(*(column.tolist() for column in made), strict=True)) == sorted(old + new)
    assert [column.dtype for column in made] == [np.uint32, np.uint32]


CASES = [(200, 0.8, 0.95), (1000, 0.5, 0.9), (2000, 0.8, 0.95)]
MORE = [(200, 0.5, 0.95), (500, 0.3, 0.95), (1000, 0.8, 0.99), (2000, 0.9, 0.95), (20_000, 0.8, 0.95)]


@pytest.mark.parametrize(("size", "threshold", "recall"), [*CASES, *slow(*MORE)])
def test_sets_at_the_threshold_become_candidates_with_the_recall(size, threshold, recall):
    """Random sets, each against one that has exactly its threshold of tokens; each is a trial with that probability."""
    trials = 400 if size < 20_000 else 40
    random = np.random.default_rng([size, int(1000 * threshold)])
    sets = strategies.Ragged.from_rows(list(random.integers(0, 2**32, (trials, size), np.uint32)), np.uint32)
    sizes = sets.lengths
    shared = smallest_part(sizes, threshold)
    least = least_hits(sizes, sketches(sets).lengths, shared, recall)
    part = strategies.Ragged.from_rows([sets[row][: shared[row]] for row in range(trials)], np.uint32)
    decided = least > 0
    found = (sketches(part).lengths >= least)[decided]
    assert decided.any()
    assert found.mean() >= recall - 3 * np.sqrt(recall * (1 - recall) / len(found))
    # A number that is one larger would not be reached so often in all.
    assert (sketches(part).lengths >= least + 2)[decided].mean() < recall
