"""Two texts side by side: each column is its text, and no line is wider than the terminal."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from simdocs.matching.difference import difference
from simdocs.views.drawn_difference import COLORS, Marks, drawn_as
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
