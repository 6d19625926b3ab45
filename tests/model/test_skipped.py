"""Skipped documents are counted, and the first names of each reason are kept in order."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from simdocs.model.skipped import DocumentSkipped, Skip, Skipped

SKIPS = st.builds(
    Skip,
    st.sampled_from(["binary", "malformed"]),
    st.sampled_from([b"a9", b"a10", b"b"]),
    st.just("why"),
    st.integers(0, 30),
)


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


def test_lines_sort_by_number():
    skipped = Skipped()
    given_names = [(b"b", 0), (b"a", 10), (b"a", 9), (b"a", 0)]
    skipped.extend(Skip("malformed", name, "why", line) for name, line in given_names)
    assert [(skip.name, skip.line) for skip in skipped.kept("malformed")] == given_names[::-1]


def test_a_file_that_is_gone_leaves_nothing_open_and_any_other_error_does():
    errors = FileNotFoundError(2, ""), NotADirectoryError(20, ""), PermissionError(13, "Denied"), OSError("odd")
    told = [("vanished", ""), ("vanished", ""), ("unreadable", "Denied"), ("unreadable", "odd")]
    assert [(each.reason, each.detail) for each in map(DocumentSkipped.of, errors)] == told
