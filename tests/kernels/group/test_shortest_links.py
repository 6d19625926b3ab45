"""The chains of links from the first member of each component are those of a breadth-first search."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from simdocs.kernels.group.connectivity import shortest_links
from tests import strategies as some
from tests.twins import groups as twin


@st.composite
def graphs(draw):
    size = draw(st.integers(1, 12))
    node = st.integers(0, size - 1)
    return size, draw(st.lists(st.tuples(node, node), max_size=20))


def links_of(size: int, edges: list[tuple[int, int]]) -> tuple[list[int], list[int]]:
    labels = some.frozen(np.array(twin.components(size, edges)))
    left, right = some.frozen(np.array(edges, np.int64).reshape(-1, 2)).T
    before, link = shortest_links(labels, left, right)
    return before.tolist(), link.tolist()


@given(graphs())
def test_each_member_is_reached_by_the_fewest_links_and_the_smallest_member_before_it(graph):
    size, edges = graph
    before, link = links_of(size, edges)
    assert before == twin.members_before(size, edges)
    for member, number in enumerate(link):
        assert (number == -1) == (before[member] == -1)
        assert number == -1 or set(edges[number]) == {before[member], member}


def test_a_long_chain_is_followed_to_its_end():
    before, link = links_of(2000, list(pairwise(range(2000))))
    assert before == list(range(-1, 1999))
    assert link == [-1, *range(1999)]
