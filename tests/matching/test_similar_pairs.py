"""Similar pairs, and those of which one contains the other, come in order; what is left out is counted exactly."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import simdocs
from simdocs.model import groups
from tests import strategies as some
from tests.amounts import examples
from tests.commands.deduping import sketched, write_texts
from tests.similar_texts import corpora
from tests.twins.text_answers import Choices, Text, Twin

MEANS: list[dict[str, object]] = [
    {"bands": 128, "rows": 1},
    {"bands": 12, "rows": 4},
    {"bands": 12, "rows": 4, "verify": "estimate"},
    {"exact": True},
]
"""Ways to find pairs, some of which miss a few."""


def counts(texts: list[Text], **options: object) -> tuple[int, int, int, int]:
    """Return the numbers of pairs listed and left out, without and with all copies."""
    with tempfile.TemporaryDirectory() as root:
        write_texts(Path(root), texts)
        with sketched([root], **options) as work:
            found = []
            for all_copies in (False, True):
                rows = work.pairs(all_copies)
                assert isinstance(work.result, groups.SimilarPairs)
                facts = work.facts()
                assert len(rows) == facts["pairs"]
                found += [facts["pairs"], facts["pairs_left_out"]]
    return found[0], found[1], found[2], found[3]


@examples(20)
@given(texts=corpora(18), unit=some.one_of("unit"), means=st.sampled_from(MEANS))
def test_pairs_left_out_are_those_that_all_copies_adds(texts, unit, means):
    chained, left_out, every, none = counts(texts, unit=unit, k=2, threshold=0.5, **means)
    assert (left_out, none) == (every - chained, 0)


@examples(15)
@given(
    corpora(),
    st.sampled_from([0.3, 0.5, 2 / 3, 0.8, 1.0]),
    some.one_of("unit"),
    st.booleans(),
    st.booleans(),
)
def test_pairs_are_those_of_the_twin(texts, threshold, unit, multiset, all_copies):
    choices = Choices(unit, 2, multiset, threshold)
    twin = Twin(texts, choices)
    twin.criteria = twin.criteria._replace(by_containment=True)
    expected = list[tuple[Any, ...]]()
    for a, b, similarity in twin.all_pairs() if all_copies else twin.pairs():
        larger, side = twin.larger_containment(a, b)
        expected.append((str(a), str(b), similarity, larger, side.decode()))
    asked: dict[str, Any] = {name: value for name, value in choices._asdict().items() if name != "keep"}
    found = simdocs.pairs(texts=[text.data for text in texts], measure="containment", all_copies=all_copies, **asked)
    assert [(*row[:3], *row[4:6]) for row in found.rows()] == expected
