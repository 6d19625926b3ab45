"""Pairs to verify are cut into blocks whose documents fit in memory together."""

from __future__ import annotations

from unittest import mock

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from simdocs.matching.verification import verification_blocks
from simdocs.model.documents import FACTS

PAIRS = st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), max_size=30)


def cuts_one_pair_at_a_time(pairs: list[tuple[int, int]], sizes: list[int], most: int, most_pairs: int) -> list[slice]:
    """Return the cuts: the twin of `cuts_of_pairs`."""
    cuts: list[slice] = []
    start = 0
    for at in range(1, len(pairs) + 1):
        held = {place for pair in pairs[start : at + 1] for place in pair}
        if at == len(pairs) or sum(sizes[place] for place in held) > most or at - start == most_pairs:
            cuts.append(slice(start, at))
            start = at
    return cuts


@given(PAIRS, st.lists(st.integers(0, 40), min_size=9, max_size=9), st.sampled_from([1, 60, 1000]), st.integers(1, 9))
def test_blocks_are_those_of_the_twin(pairs, sizes, most, most_pairs):
    left, right = (np.array([pair[side] for pair in pairs], np.int64) for side in (0, 1))
    with mock.patch.multiple(verification_blocks, _BLOCK_BYTES=most, _MOST_PAIRS=most_pairs):
        found = verification_blocks.cuts_of_pairs(left, right, np.array(sizes))
    assert found == cuts_one_pair_at_a_time(pairs, sizes, most, most_pairs)


def test_blocks_are_larger_if_some_documents_are_rows_of_tables():
    facts = np.zeros(3, FACTS)
    facts["extent"] = 1
    assert verification_blocks.times_larger(facts) == 1
    facts["container"][1] = 7
    assert verification_blocks.times_larger(facts) > 1
    facts["extent"] = 200
    assert verification_blocks.times_larger(facts) == 1
