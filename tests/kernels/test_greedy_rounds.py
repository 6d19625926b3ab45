"""Keep orders, and the pairs with documents that are always kept, are those of the twins."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simdocs.kernels import grouping
from tests import strategies as some
from tests.twins import groups as twin
from tests.twins import lookup

facts = st.lists(
    st.tuples(st.integers(0, 3) | st.integers(0, 2**62), st.integers(-2, 2) | st.integers(-(2**62), 2**62))
)


@pytest.mark.parametrize("policy", some.members("keep"))
@given(rows=facts)
def test_keep_orders_are_those_of_the_twin(policy, rows):
    sizes, mtimes = [size for size, _ in rows], [mtime for _, mtime in rows]
    arrays = [some.frozen(np.array(each, np.int64)) for each in (sizes, mtimes)]
    assert grouping.keep_order(policy, *arrays).tolist() == twin.keep_order(policy, sizes, mtimes)


bucket_lists = st.lists(st.sets(st.integers(0, 11), min_size=1).map(sorted), max_size=8)


@given(bucket_lists, st.integers(0, 12), st.integers(1, 4) | st.just(1000))
def test_given_members_are_paired_with_the_others_of_their_buckets(shared, given_, most):
    found = list(grouping.pairs_with_always_kept(some.ragged(shared, np.int64), given_, most, 12))
    assert some.pairs_in(found) == lookup.given_pairs(shared, given_, most)


def test_pairs_of_given_members_come_in_blocks(monkeypatch):
    monkeypatch.setattr("simdocs.kernels.buckets.PAIRS_AT_ONCE", 50)
    shared = [list(range(40)), list(range(0, 40, 3))]
    found = list(grouping.pairs_with_always_kept(some.ragged(shared, np.int64), 25, 7, 40))
    assert len(found) > 1
    assert some.pairs_in(found) == lookup.given_pairs(shared, 25, 7)


similar_pairs = st.lists(
    st.tuples(st.integers(0, 4), st.integers(5, 9), st.sampled_from([0.5, 0.75, 1.0])), unique=True
)


@given(similar_pairs)
def test_the_most_similar_kept_member_is_the_earlier_of_two_whatever_the_order_of_pairs(pairs):
    kept, members, jaccard = (np.array([pair[at] for pair in pairs]) for at in range(3))
    found = grouping.most_similar_kept(kept.astype(np.int64), members.astype(np.int64), jaccard)
    expected = {member: min((-score, one) for one, other, score in pairs if other == member) for _, member, _ in pairs}
    assert [pairs[at] for at in found.tolist()] == [
        (one, member, -score) for member, (score, one) in sorted(expected.items())
    ]
