"""The groups that pairs connect equal those of a breadth-first search."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from simdocs.kernels.group.connectivity import PairGraph, connected_groups, with_pairs
from tests import strategies as some
from tests.twins import groups as twin

SIZE = 12
members = st.integers(0, SIZE - 1)
counted_pairs = st.lists(st.tuples(members, members, st.booleans()).filter(lambda pair: pair[0] != pair[1]))


def graph_of(pairs: list[tuple[int, int, bool]], blocks: int) -> PairGraph:
    """Return the graph of these pairs, added in this number of blocks."""
    graph = PairGraph.unconnected(SIZE)
    for block in range(blocks):
        part = np.array(pairs[block::blocks], np.int64).reshape(-1, 3)
        left, right, counted = part.T
        graph = with_pairs(graph, some.frozen(left), some.frozen(right), counted.astype(bool))
    return graph


@given(counted_pairs, st.integers(1, 4))
def test_groups_are_those_of_a_breadth_first_search(pairs, blocks):
    labels = twin.components(SIZE, [(a, b) for a, b, _ in pairs])
    expected = [
        (first, labels.count(first), sum(counted for a, _, counted in pairs if labels[a] == first))
        for first in sorted(set(labels))
        if labels.count(first) > 1
    ]
    found = connected_groups(graph_of(pairs, blocks))
    assert list(zip(*(fact.tolist() for fact in found), strict=True)) == expected


@given(counted_pairs)
def test_adding_pairs_leaves_the_graph_before_as_it_was(pairs):
    before = PairGraph(some.frozen(np.arange(SIZE)), some.frozen(np.zeros(SIZE, np.int64)))
    part = np.array(pairs, np.int64).reshape(-1, 3)
    with_pairs(before, part[:, 0], part[:, 1], part[:, 2].astype(bool))
    assert before.labels.tolist() == list(range(SIZE))
    assert not before.pairs.any()


def test_without_documents_there_are_no_groups():
    assert [fact.tolist() for fact in connected_groups(PairGraph.unconnected(0))] == [[], [], []]
