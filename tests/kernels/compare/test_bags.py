"""What two documents share, with and without repeats, is what the twins count."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simdocs.kernels.compare.jaccard import bag_of, shared_tokens
from tests import strategies as some

bags = st.lists(st.integers(0, 4) | some.tokens, max_size=12)


@given(bags, bags)
def test_counts_are_those_of_python(a, b):
    found = shared_tokens(*(bag_of(some.frozen(np.array(bag, np.uint32))) for bag in (a, b)))
    ours, theirs = Counter(a), Counter(b)
    assert found[:3] == (len(set(a)), len(set(b)), len(set(a) & set(b)))
    assert (found.least, found.most) == ((ours & theirs).total(), (ours | theirs).total())
    assert found.product == sum(ours[token] * theirs[token] for token in ours)
    squares = [sum(count * count for count in bag.values()) for bag in (ours, theirs)]
    assert [found.squares_a, found.squares_b] == squares


@pytest.mark.parametrize(("a", "b", "least", "most"), [("aaab", "aabbc", 3, 6), ("", "a", 0, 1), ("", "", 0, 0)])
def test_bags_of_letters_share_the_smaller_count_of_each(a, b, least, most):
    """The bags of the courses: {a,a,a,b} and {a,a,b,b,c} have similarity 3/6."""
    found = shared_tokens(*(bag_of(np.frombuffer(bag.encode(), np.uint8).astype(np.uint32)) for bag in (a, b)))
    assert (found.least, found.most) == (least, most)
