"""Skipped documents are counted, and the first names of each reason are kept in order."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from simdocs.model.skipped import DocumentSkipped, Skip, Skipped
from tests.amounts import examples

SKIPS = st.builds(
    Skip,
    st.sampled_from(["binary", "malformed"]),
    st.sampled_from([b"a9", b"a10", b"b"]),
    st.just("why"),
    st.integers(0, 30),
)


@examples(25)
@given(skips=st.lists(SKIPS), most=st.integers(1, 4), order=st.randoms())
def test_a_limit_keeps_the_first_in_natural_order_whatever_order_they_come_in(skips, most, order):
    every, told = Skipped(), list[Skip]()
    some = Skipped(most=most, tell=told.append)
    every.extend(skips)
    shuffled = order.sample(skips, len(skips))
    some.extend(shuffled)
    assert told == shuffled
    assert some.counts == every.counts
    assert sum(every.counts.values()) == len(skips)
    for reason in every.counts:
        assert len(every.kept(reason)) == every.counts[reason]
        assert some.kept(reason) == every.kept(reason)[:most]


def test_what_was_skipped_is_told_by_reason_in_the_order_of_the_reasons():
    skipped = Skipped(most=1, warnings=["more"])
    skipped.extend(Skip("uninstalled", b"%d" % at, "needs x") for at in (2, 1, 3))
    skipped.extend([Skip("malformed", b"b", "why", 2, noun="row"), Skip("malformed", b"a"), Skip("oversized", b"\xff")])
    skipped.count("malformed", 1000)
    skipped.count("hidden", 2)
    assert list(skipped.counts.items()) == [("hidden", 2), ("uninstalled", 3), ("oversized", 1), ("malformed", 1002)]
    assert skipped.by_reason == {
        "hidden": [],
        "uninstalled": [(name, "needs x") for name in "123"],
        "oversized": [("\udcff", "")],
        "malformed": [("a", "")],
    }
    assert Skipped(_kept={"left": [Skip("left", b"a", "b", 2, noun="row")]}, _counts={"left": 1}).by_reason == {
        "left": [("a", "row 2: b")]
    }
    assert skipped.unjudged_in_words == "1: larger than --max-size; 1,002: malformed"
    assert (skipped.unjudged, Skipped().every_warning) == (1003, [])
    assert skipped.every_warning == ["1 and 2 more files skipped: needs x", "more"]


def test_a_file_that_is_gone_leaves_nothing_open_and_any_other_error_does():
    errors = FileNotFoundError(2, ""), NotADirectoryError(20, ""), PermissionError(13, "Denied"), OSError("odd")
    told = [("vanished", ""), ("vanished", ""), ("unreadable", "Denied"), ("unreadable", "odd")]
    assert [(each.reason, each.detail) for each in map(DocumentSkipped.of, errors)] == told
