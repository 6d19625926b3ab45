"""Differences as they are drawn: side by side, with marks in the text, and as a unified diff."""

from __future__ import annotations

import difflib
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from simdocs.matching.difference import difference
from simdocs.views.drawn_difference import COLORS, Marks, drawn_as, marked, unified
from simdocs.views.side_by_side import side_by_side
from tests import strategies as some

UNMARKED = Marks(("", ""), ("", ""), ("", ""))
words = st.text("ab\u0301日本 \t\n\r-", max_size=8) | st.just("x" * 40) | st.just("same line\n")
texts = st.lists(words, max_size=8).map("".join)


def lines_of(a: str, b: str, width: int = 60, marks: Marks = UNMARKED, **more: bool) -> list[str]:
    found = difference(a.encode(), b.encode(), some.shingling(), "words")
    return list(side_by_side(found, ("a", "b"), marks, width, **more))


def columns_of(line: str, width: int) -> tuple[str, str, str]:
    """The two sides of a line, and the sign between them."""
    column = (width - 3) // 2
    at = next((at for at in range(len(line) + 1) if cell_len(line[:at]) > column), len(line))
    left, rest = line[: at - 1 if at < len(line) else at], line[at - 1 if at < len(line) else at :]
    return left, rest[1:2], rest[3:]


@given(a=texts, b=texts, width=st.integers(60, 90))
def test_each_column_is_a_text_and_no_line_is_too_wide(a, b, width):
    drawn = lines_of(a, b, width)
    assert all(cell_len(line) <= width for line in drawn)
    rows = [columns_of(f"{line:<{width}}", width) for line in drawn[2:]]
    for side, text in ((0, a), (2, b)):
        assert "".join("".join(row[side].split()) for row in rows) == "".join(text.split())


def test_equal_lines_stand_on_one_height():
    a = "one\nonly the first has this\ntwo\nthree and four\nfive\n"
    b = "one\ntwo\nthree or four\nfive\nsix\n"
    assert [columns_of(line, 60) for line in (f"{line:<60}" for line in lines_of(a, b)[2:])] == [
        (f"{left:<28}", sign, f"{right:<29}")
        for left, sign, right in (
            ("one", " ", "one"),
            ("only the first has this", "<", ""),
            ("two", " ", "two"),
            ("three and four", "|", "three or four"),
            ("five", " ", "five"),
            ("", ">", "six"),
        )
    ]


def test_long_lines_are_wrapped_between_words_and_wide_characters_count_two_columns():
    drawn = lines_of("日本語" * 12 + " and some words", "日本語" * 12 + " and some words")
    assert [line.split() for line in drawn[2:]] == [
        ["日本語日本語日本語日本語日本"] * 2,
        ["語日本語日本語日本語日本語日"] * 2,
        ["本語日本語日本語", "and", "some"] * 2,
        ["words"] * 2,
    ]


def test_a_line_that_is_continued_does_not_begin_with_the_space_between_words():
    assert lines_of(f"{'x' * 28} next\n  indented", "")[2:] == [
        f"{'x' * 28} <",
        f"{'next':<28} <",
        f"{'  indented':<28} <",
    ]


def test_what_differs_is_marked_within_each_line():
    a, b = "shared old\nolder shared", "shared new\nnewer shared"
    assert [line.split() for line in lines_of(a, b, marks=Marks())[2:]] == [
        ["shared", "[-old-]", "|", "shared", "{+new+}"],
        ["[-older-]", "shared", "|", "{+newer+}", "shared"],
    ]
    assert lines_of(a, b, marks=COLORS)[2].startswith("shared \x1b[31;9mold\x1b[0m  ")


def test_equal_lines_far_from_a_difference_can_be_left_out():
    same = "".join(f"line {number}\n" for number in range(20))
    drawn = lines_of(f"old\n{same}", f"new\n{same}", marks=Marks(), whole=False)
    assert [line.split()[0] for line in drawn[2:]] == ["[-old-]", "line", "line", "line", "[..."]
    assert drawn[-1] == "[... 17 equal lines ...]"
    assert (
        lines_of(f"old\n{same[:28]}", f"new\n{same[:28]}", marks=Marks(), whole=False)[-1] == "[... 1 equal line ...]"
    )
    assert len(lines_of(f"old\n{same}", f"new\n{same}")) == 2 + 21


def test_a_narrow_terminal_shows_marks_within_the_text(monkeypatch):
    found = difference(b"shared old", b"shared new", some.shingling(), "words")
    more = {"whole": True, "colored": False, "terminal": False}
    for width, drawn in (
        ("59", b"shared [-old-]{+new+}\n"),
        ("60", b"shared [-old-]               | shared {+new+}\n"),
    ):
        monkeypatch.setenv("COLUMNS", width)
        assert drawn_as("side-by-side", found, ("a", "b"), **more).endswith(drawn)


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


# A unified diff has the hunks that difflib makes of the same difference.

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
