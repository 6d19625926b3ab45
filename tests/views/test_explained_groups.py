"""The sentences about each document, and those about long chains."""

from __future__ import annotations

import pytest

from simdocs.model.answers import DIFFERING, VALUE, Look
from simdocs.model.explanation import EXPLAINED_COMPONENTS, ExplainedDocument, Link
from simdocs.model.groups import MOST_LINKS
from simdocs.model.passages import Difference, Passage
from simdocs.model.search_result import PAIRS
from simdocs.views.explained_groups import ExplainedGroups, MarkedPairs

GROUP = {
    "kept": "a",
    "bands": 18,
    "documents": 2000,
    "smallest_to_kept": 0.25,
    "smallest_of_two": 0.125,
    "all_compared": False,
}
ALONE = {"compared_with": None, "jaccard": None, "estimate": None, "bands_met": None}
KEPT = ExplainedDocument(document="a", reason="chosen", **GROUP, **ALONE)


def linked(count: int) -> ExplainedDocument:
    """A document at the end of a chain."""
    links = tuple(Link(f"{at}", 0.75, 0.5) for at in range(count))
    compared = {"compared_with": "a", "jaccard": 0.25, "estimate": 0.5, "bands_met": (3, 7)}
    return ExplainedDocument(document=f"{count - 1}", reason="linked", links=links, **GROUP, **compared)


def drawn(one: ExplainedDocument, *, colored: bool = False) -> str:
    return ExplainedGroups(EXPLAINED_COMPONENTS, colored=colored).rows([one.row(13)]).decode()


def test_a_group_of_which_not_all_pairs_were_compared_says_so():
    similar = "smallest similarity to it 0.250000, of any two 0.125000 or less (not all were compared)"
    assert drawn(KEPT) == f"a: kept: chosen among 2,000 documents; {similar}\n"
    assert drawn(KEPT, colored=True).startswith("\x1b[1ma\x1b[0m: kept: ")


SENTENCE = "  {}: duplicate: similarity 0.250000, below the threshold, 2 of 18 bands agree\n"


def test_each_link_of_a_short_chain_has_a_line():
    links = "".join(f"    linked by {pair}: 0.750000\n" for pair in ("a and 0", "0 and 1", "1 and 2"))
    assert drawn(linked(3)) == SENTENCE.format(2) + links


@pytest.mark.parametrize(
    ("count", "told"), [(4, "4 similar pairs"), (MOST_LINKS, f"{MOST_LINKS} similar pairs or more")]
)
def test_a_long_chain_is_counted_and_its_last_link_named(count, told):
    last = f"{told}, the last of which is {count - 2} and {count - 1}: 0.750000"
    assert drawn(linked(count)) == SENTENCE.format(count - 1) + f"    linked by {last}\n"


# Pairs with their differences say when texts were not compared by words.


@pytest.mark.parametrize(
    ("unit", "said"), [("words", b""), ("lines", b"[by lines]\n"), ("text", b"[only by how they begin and end]\n")]
)
def test_a_coarser_difference_says_what_it_is(unit, said):
    found = Difference("words", unit, (Passage(False, "one", "two"), Passage(True, " x\n", " x\n")))
    view = MarkedPairs(PAIRS.but(DIFFERING, passages=VALUE), Look(diff="words"), header=True)
    assert view.begin() == b"document\tother\tjaccard\testimate\n"
    assert view.rows([(b"a", b"b", 0.5, None, found)]) == b"a\tb\t0.500000\t\n" + said + b"[-one-]{+two+} x\n\n"
