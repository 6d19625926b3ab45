"""Similar pairs come in order, and those that a chain of copies leaves out are counted exactly."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

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
