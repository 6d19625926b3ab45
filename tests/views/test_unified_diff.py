"""A unified diff has the hunks that difflib makes of the same difference."""

from __future__ import annotations

import difflib
import re

import pytest

from simdocs.matching.difference import difference
from simdocs.views.drawn_difference import unified
from tests import strategies as some

LINES = [f"line {number}\n" for number in range(40)]


def drawn(a: list[str], b: list[str]) -> str:
    found = difference("".join(a).encode(), "".join(b).encode(), some.shingling(), "lines")
    return "".join(text for text, _ in unified(found, ("a", "b"), colored=False))


def expected(a: list[str], b: list[str]) -> str:
    text = "".join(difflib.unified_diff(a, b, "a", "b"))
    # difflib leaves out a count of 1.
    return re.sub(r"(?<=[-+])\d+(?= (?:\+|@@))", r"\g<0>,1", text)


@pytest.mark.parametrize("apart", range(1, 12))
@pytest.mark.parametrize("first", [0, 1, 2, 3, 4, 20])
def test_differences_are_one_hunk_up_to_six_lines_between_them(first, apart):
    places = (first, first + apart, first + 2 * apart)
    for changed in (lambda line: [f"other {line}"], lambda line: [], lambda line: [f"more {line}", line]):
        b = [text for at, line in enumerate(LINES) for text in (changed(line) if at in places else [line])]
        assert drawn(LINES, b) == expected(LINES, b)
        assert drawn(b, LINES) == expected(b, LINES)


@pytest.mark.parametrize("last", range(30, 40))
def test_the_last_hunk_ends_with_the_text(last):
    b = [*LINES[:last], "other\n", *LINES[last + 1 :]]
    assert drawn(LINES, b) == expected(LINES, b)


@pytest.mark.parametrize(("a", "b"), [([], LINES[:1]), (LINES[:1], []), (LINES[:1], LINES[1:2]), (LINES, LINES)])
def test_short_texts_have_the_counts_of_their_lines(a, b):
    assert drawn(a, b) == expected(a, b)
