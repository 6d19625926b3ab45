"""Prefix filtering misses no pair, and --exact finds the same pairs as a comparison of every two documents."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simdocs.kernels.lsh.rare_prefixes import prefix_tokens, rows_sharing_values, token_frequencies
from simdocs.model.ragged import Ragged
from tests.commands.deduping import sketched
from tests.twins.similarity import jaccard

SETS = st.lists(st.sets(st.integers(0, 40).map(lambda number: number * 0x05F5E101 % 2**32), max_size=12), max_size=9)
THRESHOLDS = st.sampled_from([0.1, 1 / 3, 0.5, 0.6, 2 / 3, 0.8, 0.9, 1.0])


def ragged(sets: list[set[int]]) -> Ragged:
    return Ragged.from_rows([np.array(sorted(one), np.uint32) for one in sets], np.uint32)


@given(SETS, THRESHOLDS)
def test_sets_at_the_threshold_share_a_token_of_their_prefixes(sets: list[set[int]], t: float) -> None:
    rows = ragged(sets)
    found = prefix_tokens(rows, t, token_frequencies(rows.values))
    buckets = rows_sharing_values(found)
    together = {pair for at in range(len(buckets)) for pair in combinations(buckets[at].tolist(), 2)}
    for one, other in combinations(range(len(sets)), 2):
        if sets[one] and sets[other] and jaccard(sets[one], sets[other]) >= t:
            assert (one, other) in together
    for row, own in enumerate(sets):
        assert set(found[row].tolist()) <= own
        assert len(found[row]) == (len(own) - int(np.ceil(t * len(own) - 1e-9)) + 1 if own else 0)


@given(st.lists(st.lists(st.integers(0, 9), unique=True, max_size=5), max_size=8))
def test_buckets_are_the_rows_that_hold_a_value(rows: list[list[int]]) -> None:
    found = rows_sharing_values(Ragged.from_rows([np.array(row, np.uint32) for row in rows], np.uint32))
    expected = [[at for at, row in enumerate(rows) if value in row] for value in range(10)]
    assert [found[at].tolist() for at in range(len(found))] == [one for one in expected if len(one) > 1]


@pytest.mark.parametrize("t", [0.3, 0.5, 0.8])
@pytest.mark.parametrize("all_copies", [False, True])
def test_the_exact_join_finds_every_pair(tmp_path: Path, t: float, all_copies: bool) -> None:
    random = np.random.default_rng(7)
    words = [f"w{number}" for number in range(60)]
    texts = [" ".join(random.choice(words, 12)) for _ in range(40)]
    for text in texts[:20]:
        changed = text.split()
        changed[int(random.integers(12))] = "other"
        texts.append(" ".join(changed))
    for number, text in enumerate(texts):
        (tmp_path / f"{number:03}").write_text(text)
    sets = [frozenset(text.split()) for text in texts]
    expected = {
        (left, right): jaccard(set(sets[left]), set(sets[right]))
        for left, right in combinations(range(len(texts)), 2)
        if jaccard(set(sets[left]), set(sets[right])) >= t
    }
    with sketched([tmp_path], unit="word", k=1, threshold=t, exact=True) as work:
        rows = work.pairs(all_copies)
        assert {(int(left[-3:]), int(right[-3:])): found for left, right, found, _ in rows} == expected
    assert len(expected) > 15


def test_the_exact_join_needs_no_bands_that_reach_the_recall(tmp_path: Path) -> None:
    for name, text in {"a": "one two three", "b": "three four five"}.items():
        (tmp_path / name).write_text(text)
    with sketched([tmp_path], unit="word", k=1, threshold=0.01, num_perm=1, exact=True) as work:
        assert [row[2] for row in work.groups()] == [1 / 5]
        assert work.result.comparison.bands is None
