"""The candidates of a containment join contain every pair of which one set has most of the other."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simdocs.kernels import containment, jaccard, prefix_index
from tests import strategies as some
from tests.amounts import examples
from tests.kernels.test_prefix_candidates import SPREAD, thresholds
from tests.twins import exact_join as twin
from tests.twins import similarity

tokens = st.integers(0, 60).map(lambda number: number * SPREAD % 2**32)
shares = st.sampled_from([0, 1 / 16, 0.3, 1])


@st.composite
def corpora(draw):
    """Sets, parts of them, and some tokens more: empty, tiny and larger ones."""
    sets = draw(st.lists(st.sets(tokens, max_size=30), max_size=5))
    for one in list(sets):
        part = {token for token in sorted(one) if draw(st.booleans())}
        sets.append(part | draw(st.sets(tokens, max_size=2)))
    return sets


def found_among(sets, threshold, share, wanted=None, at_once=1 << 18):
    rows = some.ragged([sorted(one) for one in sets], np.uint32)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(containment, "_SHARE_TO_SHARE", share)
        patch.setattr(containment, "_BLOCK", at_once)
        patch.setattr(prefix_index, "_MATCHES_AT_ONCE", at_once)
        index = containment.containment_index(rows, threshold)
        blocks = list(prefix_index.similar_candidates(index, np.arange(len(sets)), wanted))
    pairs = [pair for left, right in blocks for pair in zip(left.tolist(), right.tolist(), strict=True)]
    assert pairs == sorted(set(pairs))
    return set(pairs)


@examples(40)
@given(corpora(), thresholds, shares)
def test_candidates_are_those_of_the_twin_and_miss_no_pair(sets, threshold, share):
    found = found_among(sets, threshold, share)
    assert found == twin.containment_candidates(sets, threshold, share)
    assert found >= {
        (a, b)
        for a, b in combinations(range(len(sets)), 2)
        if max(similarity.containment(sets[a], sets[b]), similarity.containment(sets[b], sets[a])) >= threshold
    }


@pytest.mark.parametrize("at_once", [1, 2, 7])
@examples(20)
@given(corpora(), thresholds, st.data())
def test_candidates_do_not_depend_on_the_size_of_blocks(at_once, sets, threshold, data):
    wanted = np.array(data.draw(st.lists(st.booleans(), min_size=len(sets), max_size=len(sets))), bool)
    expected = found_among(sets, threshold, 1 / 16)
    assert found_among(sets, threshold, 1 / 16, at_once=at_once) == expected
    with_wanted = found_among(sets, threshold, 1 / 16, wanted, at_once)
    assert with_wanted == {pair for pair in expected if wanted[list(pair)].any()}


@pytest.mark.parametrize("size", [3, 300])
@pytest.mark.parametrize("parts", [(4, 5), (1, 2), (1, 3), (2, 3), (9, 10), (3, 10)])
def test_a_small_set_exactly_at_the_threshold_is_a_candidate_with_a_large_one(size, parts):
    draw = np.random.default_rng(size).choice(2**32, 3 * parts[1] * size, replace=False).tolist()
    small, large = set(draw[: parts[1] * size]), set(draw[parts[1] * size - parts[0] * size :])
    assert similarity.containment(small, large) == parts[0] / parts[1]
    assert found_among([large, small, set()], parts[0] / parts[1], 1 / 16) == {(0, 1)}


def test_tokens_of_a_small_set_that_many_have_are_not_counted_between_the_others():
    """A page with nothing but the template of all others: they share its tokens, but only it consists of them."""
    template = set(range(50))
    sets = [template | set(range(1000 * at, 1000 * at + 200)) for at in range(1, 40)]
    rows = some.ragged([sorted(one) for one in [*sets, template]], np.uint32)
    index = containment.containment_index(rows, 0.8)
    assert int(index.matches.sum()) < 50 * 40
    assert found_among([*sets, template], 0.8, 1 / 16) == {(at, 39) for at in range(39)}


@given(st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 10**9), st.integers(0, 10**9)), min_size=1))
def test_the_number_of_common_tokens_follows_from_the_similarity_and_the_sizes(cases):
    common, left, right = np.array([(c, c + a, c + b) for c, a, b in cases]).T
    similar = jaccard.of_overlaps(common, left, right)
    assert jaccard.overlaps_of(similar, left, right).tolist() == common.tolist()
