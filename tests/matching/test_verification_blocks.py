"""Pairs to verify are cut into blocks whose documents fit in memory together."""

from __future__ import annotations

from unittest import mock

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from simdocs.matching import verification_blocks

PAIRS = st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), max_size=30)


SIZES = st.lists(st.integers(1, 40), min_size=9, max_size=9)


@given(PAIRS, SIZES, st.sampled_from([1, 60, 1000]), st.integers(1, 9))
def test_every_pair_is_in_one_block_of_bounded_size(pairs, sizes, most, most_pairs):
    left, right = (np.array([pair[side] for pair in pairs], np.int64) for side in (0, 1))
    with mock.patch.multiple(verification_blocks, _BLOCK_BYTES=most, _TILE_BYTES=most, _MOST_PAIRS=most_pairs):
        blocks = verification_blocks.blocks_of_pairs(left, right, np.array(sizes))
    assert sorted(number for block in blocks for number in block.tolist()) == list(range(len(pairs)))
    for block in blocks:
        some = [pairs[number] for number in block.tolist()]
        held = {place for pair in some for place in pair}
        assert len(some) == 1 or (len(some) <= most_pairs and sum(sizes[place] for place in held) <= most)
