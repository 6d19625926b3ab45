"""Differences as they are drawn: in rows of a page, with marks in the text, and as a unified diff."""

from __future__ import annotations

import difflib
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simdocs.matching.difference import difference
from simdocs.model.comparison import Difference, Passage
from simdocs.views.drawn_difference import (
    COLORS,
    DifferenceRow,
    Marks,
    difference_rows,
    ends_of,
    marked,
    unified,
)
from tests import strategies as some

texts = st.lists(st.text("ab\u0301日本 \t\n\r-", max_size=8) | st.just("same line\n"), max_size=8).map("".join)


def rows_of(a: str, b: str) -> list[DifferenceRow]:
    return list(difference_rows(difference(a.encode(), b.encode(), some.shingling(), "words")))


@given(a=texts, b=texts)
def test_each_side_of_the_rows_is_a_text(a, b):
    rows = rows_of(a, b)
    for side, text in ((0, a), (1, b)):
        assert "".join("".join("".join(row[side]).split()) for row in rows) == "".join(text.split())


def test_equal_lines_stand_on_one_height():
    a = "one\nonly the first has this\ntwo\nthree and four\nfive\n"
    b = "one\ntwo\nthree or four\nfive\nsix\n"
    assert rows_of(a, b) == [
        (["one"], ["one"], False),
        (["", "only the first has this", ""], [""], True),
        (["two"], ["two"], False),
        (["three ", "and", " four"], ["three ", "or", " four"], True),
        (["five"], ["five"], False),
        ([""], ["", "six", ""], True),
    ]


# Marks in a text: without what only one text has, the other is read, and words stay apart.

MARKS = Marks()
spaced_words = st.lists(st.sampled_from(["one", "two", "three", "été", "4", "日本"]), max_size=8)
spaces = st.sampled_from([" ", "  ", "\n", "\r\n", " \n\n"])


@st.composite
def spaced_texts(draw: st.DrawFn) -> str:
    """Return words with spaces between them, and perhaps some around them."""
    text = "".join(word + draw(spaces) for word in draw(spaced_words))
    return draw(st.just("") | spaces) + (text if draw(st.booleans()) else text.rstrip())


def shown(a: str, b: str, unit: str, marks: Marks = MARKS, *, whole: bool = True) -> str:
    found = difference(a.encode(), b.encode(), some.shingling(), unit)
    return "".join(text for text, _ in marked(found, marks, whole=whole))


def without(text: str, mark: tuple[str, str]) -> str:
    return re.sub(f"{re.escape(mark[0])}.*?{re.escape(mark[1])}", "", text, flags=re.DOTALL)


def only(text: str, left_out: tuple[str, str], kept: tuple[str, str]) -> str:
    """Return the text without these passages, and without the marks of the others."""
    rest = without(text, left_out)
    return rest.replace(kept[0], "").replace(kept[1], "")


@pytest.mark.parametrize("unit", ["words", "lines"])
@pytest.mark.parametrize("marks", [MARKS, COLORS], ids=["marks", "colours"])
@given(a=spaced_texts(), b=spaced_texts())
def test_without_the_passages_of_one_text_the_words_of_the_other_are_left(marks, unit, a, b):
    text = shown(a, b, unit, marks)
    assert only(text, marks.added, marks.removed).split() == a.split()
    assert only(text, marks.removed, marks.added).split() == b.split()


def passages(*each: tuple[str, str]) -> Difference:
    return Difference("words", "words", tuple(Passage(a == b, a, b) for a, b in each))


def brief(*each: tuple[str, str]) -> str:
    return "".join(text for text, _ in marked(passages(*each), MARKS, whole=False))


def test_only_what_is_near_a_difference_is_shown_of_long_passages():
    words, far = "and " * 20, "so it goes " * 12
    assert brief((words, words), ("x", "y")) == f"{words}[-x-]{{+y+}}"
    assert brief((f"{words}.", f"{words}."), ("x", "y")) == f"[... 44 equal characters ...]\n{'and ' * 9}.[-x-]{{+y+}}"
    assert brief(("x ", ""), (far, far), (" ", "y")) == (
        f"[-x-] {'so it goes ' * 3}so it\n[... 56 equal characters ...]\ngoes {'so it goes ' * 3}{{+y+}} "
    )
    assert brief(("x ", ""), (far, far)) == f"[-x-] {'so it goes ' * 3}so it\n[... 94 equal characters ...]\n"
    assert brief(("a" * 600, " b" * 301)) == (
        f"[-{'a' * 600}-]{{+{' b' * 74}+}}[... 305 more characters ...]{{+{('b ' * 75)[:-1]}+}}"
    )


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("a" * 600, ("a" * 600,)),
        ("a" * 601, ("a" * 150, "a" * 150)),
        (f"{'a' * 140} {'b' * 600} {'c' * 140}", ("a" * 140, "c" * 140)),
    ],
)
def test_a_long_text_is_cut_between_words_if_possible(text, parts):
    assert ends_of(text) == parts


# A unified diff has the hunks that difflib makes of the same difference.

LINES = [f"line {number}\n" for number in range(40)]


def drawn(a: list[str], b: list[str]) -> str:
    found = difference("".join(a).encode(), "".join(b).encode(), some.shingling(), "lines")
    return "".join(text for text, _ in unified(found, ("a", "b"), colored=False))


def expected(a: list[str], b: list[str]) -> str:
    text = "".join(difflib.unified_diff(a, b, "a", "b"))
    # difflib leaves out a count of 1.
    return re.sub(r"(?<=[-+])\d+(?= (?:\+|@@))", r"\g<0>,1", text)


@pytest.mark.parametrize("apart", [1, 6, 7, 8])
@pytest.mark.parametrize("first", [0, 3, 4])
def test_differences_are_one_hunk_up_to_six_lines_between_them(first, apart):
    places = (first, first + apart, first + 2 * apart)
    for changed in (lambda line: [f"other {line}"], lambda line: [], lambda line: [f"more {line}", line]):
        b = [text for at, line in enumerate(LINES) for text in (changed(line) if at in places else [line])]
        assert drawn(LINES, b) == expected(LINES, b)
        assert drawn(b, LINES) == expected(b, LINES)
