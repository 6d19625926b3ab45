"""Bitmaps bound from above how many tokens two sets have in common, whatever the sets are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simdocs.kernels import jaccard
from tests import strategies as some
from tests.twins import bitmaps as twin

TOKENS = st.one_of(st.integers(0, 40), st.integers(0, 2**32 - 1))
SETS = st.lists(st.sets(TOKENS, max_size=60), min_size=1, max_size=6)
WIDTHS = st.sampled_from([64, 128, 256, 1024])


def ragged(sets: list[set[int]]) -> some.Ragged:
    return some.Ragged.from_rows([np.array(sorted(one), np.uint32) for one in sets], np.uint32)


def as_number(words: np.ndarray) -> int:
    return int.from_bytes(words.tobytes(), "little")


@given(SETS, WIDTHS)
def test_a_bitmap_is_that_of_plain_python(sets, width):
    maps = jaccard.bitmaps(ragged(sets), width)
    assert maps.shape == (len(sets), width // jaccard.WORD)
    assert [as_number(words) for words in maps] == [twin.bitmap(one, width) for one in sets]


@given(st.sets(TOKENS, max_size=60), st.sets(TOKENS, max_size=60), WIDTHS)
def test_the_bound_is_never_below_what_two_sets_have_in_common(left, right, width):
    """And it is exact for sets whose tokens all fall on different bits, as without collisions."""
    maps = jaccard.bitmaps(ragged([left, right]), width)
    (bound,) = jaccard.most_common(maps[:1], maps[1:], np.array([len(left)]), np.array([len(right)]))
    differing = twin.differing(twin.bitmap(left, width), twin.bitmap(right, width))
    assert bound == min((len(left) + len(right) - differing) // 2, len(left), len(right))
    assert bound >= len(left & right)
    if len({token % width for token in left | right}) == len(left | right):
        assert bound == len(left & right)


@pytest.mark.parametrize("threshold", [0.3, 0.5, 0.8, 0.95])
def test_bitmaps_drop_pairs_that_differ_in_a_tenth_more_tokens_than_they_may(threshold):
    """Sets of 3,000 random tokens. Pairs at the threshold are never dropped."""
    rng, size = np.random.default_rng(1), 3000
    may_differ = 2 * (1 - threshold) / (1 + threshold) * size
    for share, dropped in ((1.1, True), (1.0, False)):
        only_in_one = int(share * may_differ / 2)
        tokens = rng.choice(2**32, size + only_in_one, replace=False).astype(np.uint32)
        sets = ragged([set(tokens[:size].tolist()), set(tokens[only_in_one:].tolist())])
        sizes = sets.lengths
        maps = jaccard.bitmaps(sets, jaccard.bits_for(size, threshold))
        bound = jaccard.most_common(maps[:1], maps[1:], sizes[:1], sizes[1:])
        assert (jaccard.of_overlaps(bound, sizes[:1], sizes[1:]) < threshold).tolist() == [dropped]


def test_bitmaps_have_enough_bits_for_the_tokens_that_may_differ_but_no_more_than_65536():
    assert [jaccard.bits_for(size, 0.8) for size in (0, 1, 100, 4000, 10**9)] == [64, 64, 512, 16384, 65536]
    assert jaccard.bits_for(4000, 1.0) == 64
