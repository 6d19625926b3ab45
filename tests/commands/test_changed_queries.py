"""query of the changed documents of an index: the same matches as if these documents were named."""

from __future__ import annotations

import os
import tempfile
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import simdocs
from simdocs.model.result import Look
from tests import asked
from tests.amounts import examples
from tests.commands.test_changed import CUTS, built, drawn, subsets
from tests.runs import answered
from tests.similar_texts import corpora

ASKED: list[dict[str, Any]] = [
    {},
    {"top": 1},
    {"top": 2},
    {"nearest": 3},
    {"nearest": 3, "exact": True, "all_copies": True},
    {"verify": "estimate"},
    {"threshold": 0.8},
    {"exact": True},
]


def listed(index: simdocs.BandIndex, **options: Any) -> list[bytes]:
    """What `query --list matches` prints."""
    rows: list[Any] = []
    answered(asked.ASKED["query"](index=index, list="matches", **options), look=Look(), draw=rows.extend)
    return [name for (name,) in rows]


@examples(6)
@given(texts=corpora(20), subset=subsets, cut=st.sampled_from(CUTS), options=st.sampled_from(ASKED))
def test_matches_of_changed_documents_are_those_of_the_same_documents_named(texts, subset, cut, options):
    with tempfile.TemporaryDirectory() as place:
        index = drawn(built(place, texts, **cut), subset)
        names = [os.path.join(place, f"{row:04}") for row in index.changed.tolist()]
        found = simdocs.query(index, changed=True, **options)
        assert [found.documents.name(row) for row in range(len(found.documents))] == names
        if names:
            expected = simdocs.query(index, *names, **options)
            assert list(map(str, found.rows())) == list(map(str, expected.rows()))
            for name in ("matched", "verified"):
                assert found.summary()[name] == expected.summary()[name]
            assert listed(index, changed=True, **options) == listed(index, documents=tuple(names), **options)
