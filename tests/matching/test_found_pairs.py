"""The collector of similar pairs, compared with adding all pairs at once."""

from __future__ import annotations

from unittest import mock

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from simdocs.kernels.group.connectivity import connected_groups
from simdocs.matching import similar_pairs
from simdocs.model.groups import Pairs

SIZE = 10
rows = st.integers(0, SIZE - 1)
scored_pairs = st.lists(st.tuples(rows, rows, st.sampled_from([0.5, 0.9, 1.0])))


def pairs_of(scored: list[tuple[int, int, float]]) -> Pairs:
    columns = np.array(scored, float).reshape(-1, 3).T
    return Pairs(columns[0].astype(np.int64), columns[1].astype(np.int64), columns[2], columns[2])


def groups_of(blocks: list[Pairs], buffered: int) -> list[list[int]]:
    with mock.patch.object(similar_pairs, "_BUFFERED", buffered):
        collector = similar_pairs.PairCollector(SIZE)
        for block in blocks:
            collector.add(block)
            collector.graph()  # looking at it does not change it
        return [fact.tolist() for fact in connected_groups(collector.graph())]


@given(st.lists(scored_pairs, max_size=5), st.integers(1, 20))
def test_the_graph_does_not_depend_on_blocks_or_the_buffer(blocks, buffered):
    together = groups_of([pairs_of([pair for block in blocks for pair in block])], 1 << 20)
    assert groups_of([pairs_of(block) for block in blocks], buffered) == together


def test_pairs_of_identical_texts_connect_documents_and_are_not_counted():
    collector = similar_pairs.PairCollector(SIZE)
    collector.add(pairs_of([(0, 1, 1.0), (1, 2, 0.9)]))
    assert [fact.tolist() for fact in connected_groups(collector.graph())] == [[0], [3], [1]]


def test_estimates_decide_where_no_exact_similarity_was_computed():
    collector = similar_pairs.PairCollector(SIZE)
    columns = np.array([0, 2]), np.array([1, 3]), np.full(2, np.nan), np.array([1.0, 0.9])
    collector.add(Pairs(*columns))
    assert [fact.tolist() for fact in connected_groups(collector.graph())] == [[0, 2], [2, 2], [0, 1]]


def test_copies_connect_documents_and_are_not_counted():
    graph = similar_pairs.with_copies(similar_pairs.PairCollector(SIZE).graph(), pairs_of([(0, 1, 0.9)]))
    assert [fact.tolist() for fact in connected_groups(graph)] == [[0], [2], [0]]
