"""Connected components equal those of a breadth-first search."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from simdocs.kernels import grouping
from tests import strategies as some
from tests.twins import groups as twin


@st.composite
def graphs(draw):
    size = draw(st.integers(1, 20))
    node = st.integers(0, size - 1)
    return size, draw(st.lists(st.lists(st.tuples(node, node), max_size=12), max_size=4))


@st.composite
def bucketed(draw):
    size = draw(st.integers(2, 14))
    node = st.integers(0, size - 1)
    buckets = draw(st.lists(st.sets(node, min_size=2).map(sorted), max_size=7))
    return size, buckets, twin.components(size, draw(st.lists(st.tuples(node, node), max_size=10)))


def joined(labels: np.ndarray, edges: list[tuple[int, int]]) -> np.ndarray:
    left, right = np.array(edges, np.int64).reshape(-1, 2).T
    before = labels.copy()
    made = grouping.connect(labels, left, right)
    assert np.array_equal(labels, before)
    return made


@given(graphs())
def test_component_labels_are_those_of_the_twin(graph):
    size, parts = graph
    labels = np.arange(size)
    seen = []
    for edges in parts:
        labels = joined(labels, edges)
        seen += edges
        assert labels.tolist() == twin.components(size, seen)


@given(bucketed())
def test_star_pairs_join_the_first_of_a_bucket_to_the_others(case):
    size, buckets, _ = case
    expected = {(bucket[0], other) for bucket in buckets for other in bucket[1:]}
    assert some.pairs_in(grouping.star_pairs(some.ragged(buckets, np.int64), size)) == sorted(expected)


@given(bucketed())
def test_cross_component_pairs_are_those_of_different_labels(case):
    _, buckets, labels = case
    expected = {(a, b) for bucket in buckets for a in bucket for b in bucket if labels[a] < labels[b]}
    made = some.pairs_in(grouping.cross_component_pairs(some.ragged(buckets, np.int64), some.frozen(np.array(labels))))
    assert made == sorted(expected)


# The groups that pairs connect equal those of a breadth-first search.

SIZE = 12
members = st.integers(0, SIZE - 1)
counted_pairs = st.lists(st.tuples(members, members, st.booleans()).filter(lambda pair: pair[0] != pair[1]))


def graph_of(pairs: list[tuple[int, int, bool]], blocks: int) -> grouping.PairGraph:
    """Return the graph of these pairs, added in this number of blocks."""
    graph = grouping.PairGraph(SIZE)
    for block in range(blocks):
        part = np.array(pairs[block::blocks], np.int64).reshape(-1, 3)
        left, right, counted = part.T
        graph.add(some.frozen(left), some.frozen(right), counted.astype(bool))
        if block % 2:
            graph.groups()
    return graph


@given(counted_pairs, st.integers(1, 4))
def test_groups_are_those_of_a_breadth_first_search(pairs, blocks):
    labels = twin.components(SIZE, [(a, b) for a, b, _ in pairs])
    expected = [
        (first, labels.count(first), sum(counted for a, _, counted in pairs if labels[a] == first))
        for first in sorted(set(labels))
        if labels.count(first) > 1
    ]
    found = graph_of(pairs, blocks).groups()
    assert list(zip(*(fact.tolist() for fact in found), strict=True)) == expected
