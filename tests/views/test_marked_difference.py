"""Marks in a text: without what only one text has, the other is read, and words stay apart."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simdocs.matching.difference import difference
from simdocs.views.drawn_difference import COLORS, Marks, marked
from tests import strategies as some

MARKS = Marks()
words = st.lists(st.sampled_from(["one", "two", "three", "été", "4", "日本"]), max_size=8)
spaces = st.sampled_from([" ", "  ", "\n", "\r\n", " \n\n"])


@st.composite
def texts(draw: st.DrawFn) -> str:
    """Return words with spaces between them, and perhaps some around them."""
    text = "".join(word + draw(spaces) for word in draw(words))
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
@given(a=texts(), b=texts())
def test_without_the_passages_of_one_text_the_words_of_the_other_are_left(marks, unit, a, b):
    text = shown(a, b, unit, marks)
    assert only(text, marks.added, marks.removed).split() == a.split()
    assert only(text, marks.removed, marks.added).split() == b.split()


@given(a=st.text("ab ,.日\n", max_size=12), b=st.text("ab ,.日\n", max_size=12))
def test_with_signs_and_words_without_spaces_no_character_is_lost(a, b):
    text = shown(a, b, "words")
    assert "".join(only(text, MARKS.added, MARKS.removed).split()) == "".join(a.split())
    assert "".join(only(text, MARKS.removed, MARKS.added).split()) == "".join(b.split())


@pytest.mark.parametrize(
    ("a", "b", "unit", "expected"),
    [
        ("one two", "one two three", "words", "one two {+three+}"),
        ("one two three", "one two", "words", "one two [-three-]"),
        ("one, two", "one, two (or three), four", "words", "one, two {+(or three), four+}"),
        ("new 日本", "old日本", "words", "[-new-]{+old+} 日本"),
        ("one", "one\ntwo\n", "lines", "one\n{+two+}\n"),
    ],
)
def test_a_mark_does_not_make_one_word_of_two(a, b, unit, expected):
    assert shown(a, b, unit) == expected


def test_a_word_added_after_a_long_passage_has_a_space_before_it():
    long = "the same words " * 20
    assert shown(long.rstrip(), f"{long}and more", "words", whole=False).endswith("same words {+and more+}")
