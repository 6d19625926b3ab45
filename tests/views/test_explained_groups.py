"""Pairs with their differences say when texts were not compared by words."""

from __future__ import annotations

import pytest

from simdocs.model.answers import DIFFERING, VALUE, Look
from simdocs.model.passages import Difference, Passage
from simdocs.model.search_result import PAIRS
from simdocs.views.explained_groups import MarkedPairs


@pytest.mark.parametrize(
    ("unit", "said"), [("words", b""), ("lines", b"[by lines]\n"), ("text", b"[only by how they begin and end]\n")]
)
def test_a_coarser_difference_says_what_it_is(unit, said):
    found = Difference("words", unit, (Passage(False, "one", "two"), Passage(True, " x\n", " x\n")))
    view = MarkedPairs(PAIRS.but(DIFFERING, passages=VALUE), Look(diff="words"), header=True)
    assert view.begin() == b"document\tother\tjaccard\testimate\n"
    assert view.rows([(b"a", b"b", 0.5, None, found)]) == b"a\tb\t0.500000\t\n" + said + b"[-one-]{+two+} x\n\n"
