"""Similar pairs come in order, and those that a chain of copies leaves out are counted exactly."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

import simdocs
from simdocs.model import groups
from tests import strategies as some
from tests.amounts import examples
from tests.commands.deduping import sketched, write_texts
from tests.similar_texts import corpora
from tests.twins.text_answers import Text

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


def test_pairs_with_a_copy_stand_between_the_other_pairs_of_its_document():
    """Rows 1 and 3 are similar to the text of rows 0 and 2, and not to each other."""
    texts = ["a b c d e f g h i j", "a b c d e f", "a b c d e f g h i j", "e f g h i j"]
    for means in ({"exact": True}, {"bands": 128, "rows": 1}):
        found = simdocs.pairs(texts=texts, unit="word", k=1, threshold=0.5, **means)
        assert [row[:2] for row in found.rows()] == [("0", "1"), ("0", "2"), ("0", "3")]


# The collector of similar pairs, compared with adding all pairs at once.

SIZE = 10
rows = st.integers(0, SIZE - 1)
