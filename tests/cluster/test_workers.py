"""What workers of a cluster make of rows, without a cluster."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

pa = pytest.importorskip("pyarrow")

from simdocs.options.recipes import Bands, SignatureRecipe  # noqa: E402
from simdocs.spark.workers import Plan, settled  # noqa: E402

PLAN = Plan(SignatureRecipe.__new__(SignatureRecipe), 0, Bands(1, 1))


def batches(rows: Sequence[tuple[int | None, ...]], names: str, most: int) -> Iterator[Any]:
    """Rows as record batches of at most so many."""
    for at in range(0, len(rows), most):
        columns = list(zip(*rows[at : at + most], strict=True))
        yield pa.RecordBatch.from_arrays([pa.array(each, pa.int64()) for each in columns], names.split())


def rows(made: Iterator[Any]) -> list[tuple[Any, ...]]:
    return [row for batch in made for row in zip(*(column.to_pylist() for column in batch.columns), strict=True)]


chains = st.integers(2, 30).map(lambda size: {(at, at + 1) for at in range(size)})
crowds = st.tuples(st.integers(0, 9), st.integers(2, 9)).map(lambda m: set(combinations(range(m[0], sum(m)), 2)))
some = st.sets(st.integers(0, 30))
anything = st.sets(st.tuples(st.integers(0, 20), st.integers(0, 20)).filter(lambda pair: pair[0] < pair[1]))


@given(
    st.lists(st.one_of(chains, crowds, anything), max_size=3), st.sets(st.integers(0, 30)), st.sets(st.integers(0, 30))
)
def test_rounds_decide_as_one_document_after_the_other(parts, alone, waiting):
    edges = {edge for part in parts for edge in part}
    given_rows = [*edges, *((each, None) for each in alone), *((None, each) for each in waiting)]
    found = rows(settled(PLAN, batches(given_rows, "left right", 7)))
    earlier: dict[int, list[int]] = {document: [] for edge in edges for document in edge} | {each: [] for each in alone}
    for left, right in edges:
        earlier.setdefault(right, []).append(left)
    fate: dict[int, bool] = {}
    for document in sorted(earlier):
        if any(fate.get(other) for other in earlier[document]):
            fate[document] = False
        elif document not in waiting and all(other in fate for other in earlier[document]):
            fate[document] = True
    assert {document: kept for document, kept in found if document in earlier} == fate
