"""What an artifact has already: the signatures of documents with the same token set."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from simdocs.options.recipes import Updating
from simdocs.pipeline.reuse import Earlier
from tests.artifacts.tiny import documents_of

Digest = tuple[int, int]
digests = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 1)), max_size=8)


def documents(sets: list[Digest]) -> Any:
    """Make documents whose token sets have these digests."""
    return documents_of([b""] * len(sets), {"set_digest": np.array(sets, np.uint64).reshape(-1, 2)}, {})


def rows_of_same_sets(before: list[Digest], after: list[Digest], earlier: Any = None) -> list[int]:
    artifact: Any = SimpleNamespace(documents=earlier or documents(before))
    return cast("list[int]", Earlier(artifact, 0, 0, Updating()).rows_of_same_sets(documents(after)).tolist())


@given(digests, digests)
def test_a_set_is_taken_from_an_earlier_document_only_if_both_halves_of_its_digest_are_equal(
    before: list[Digest], after: list[Digest]
) -> None:
    for mine, row in zip(after, rows_of_same_sets(before, after), strict=True):
        assert row == -1 or before[row] == mine


@given(st.lists(st.integers(0, 3), max_size=8), st.integers(0, 3))
def test_each_of_several_equal_sets_is_taken_from_the_one_that_had_its_place(begun: list[int], more: int) -> None:
    """So rows that follow each other are read in one piece."""
    before = [(number, number) for number in begun]
    after = [(9, 9)] * more + before + before[-1:]
    last = [len(before) - 1] * bool(before)
    assert rows_of_same_sets(before, after) == [-1] * more + list(range(len(before))) + last


def test_nothing_is_taken_from_a_document_whose_set_has_another_size() -> None:
    """Its artifact was forged, and would leave more tokens than there are."""
    sets = [(1, 1), (2, 2), (3, 3)]
    forged = documents(sets)
    forged.facts["count"] = [0, 7, 0]
    assert rows_of_same_sets(sets, sets, forged) == [0, -1, 2]
