"""simdocs compare --passages: which passages two texts have in common, and where."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from tests.cli.program import simdocs
from tests.cli.terminal import on_terminal

QUOTE = "The bridge stood open from six until three, as a pin sheared off. Nobody was hurt, and traffic was sent round."
LETTER = f"Dear all,\n\n{QUOTE}\n\nThat is all that we know. 𝔘𝔫𝔡 mehr nicht.\n"
PAPER = "\r\n".join(
    (
        "The paper",
        "of today",
        "",
        QUOTE.upper().replace(" ", "  ").replace(",  ", ",\r\n "),
        "Costs are put at 4,200.",
    )
)


@pytest.fixture
def here(tmp_path: Path) -> Path:
    (tmp_path / "letter").write_bytes(LETTER.encode())
    (tmp_path / "paper").write_bytes(PAPER.encode())
    return tmp_path


def passages(here: Path, *arguments: str, a: str = "letter", b: str = "paper") -> list[list[str]]:
    done = simdocs("compare", a, b, "--passages", *arguments, cwd=here)
    assert (done.status, done.err) == (0, "")
    return [[field.decode() for field in row] for row in done.rows]


def test_a_passage_is_listed_with_its_place_in_both_texts(here):
    a, b = LETTER.index("The bridge"), PAPER.index("THE  BRIDGE")
    end = PAPER.index("ROUND.") + 6
    assert passages(here) == [
        ["letter", str(a), str(a + len(QUOTE)), "3", "paper", str(b), str(end), "4", str(len(QUOTE))]
    ]
    assert passages(here, "--unit", "word")[0][8] == "21"


def test_each_format_has_the_same_columns(here):
    head = ["a", "a_begin", "a_end", "a_line", "b", "b_begin", "b_end", "b_line", "units"]
    row = passages(here)[0]
    assert passages(here, "--header") == [head, row]
    of_csv = simdocs("compare", "letter", "paper", "--passages", "--format", "csv", cwd=here).out.decode()
    assert list(csv.reader(io.StringIO(of_csv))) == [head, row]
    assert simdocs("compare", "letter", "paper", "--passages", "-o", "x.jsonl", cwd=here).status == 0
    (found,) = map(json.loads, (here / "x.jsonl").read_text().splitlines())
    assert list(found) == [*head, "text"]
    assert [str(value) for value in found.values()] == [*row, (here / "letter").read_text()[int(row[1]) : int(row[2])]]


def test_passages_come_longest_first_and_are_as_long_as_was_asked_for(here):
    (here / "two").write_text("x it was at noon y\nThe COST is put at 4,200 z\n")
    (here / "one").write_text("the cost is put at 4,200!\n\nIt was at noon.")
    found = passages(here, "--unit", "word", "-k", "2", "--min-passage", "3", a="one", b="two")
    assert [(row[1], row[3], row[7], row[8]) for row in found] == [("0", "1", "2", "7"), ("27", "3", "1", "4")]
    assert [row[8] for row in passages(here, "--unit", "word", "--min-passage", "5", a="one", b="two")] == ["7"]
    assert passages(here, "--unit", "word", a="one", b="two") == []


def test_a_run_that_is_too_short_without_its_spaces_takes_no_place_of_a_passage(tmp_path):
    """The longest run that both texts have is of 61 characters, of which 2 are spaces, and ends within a passage."""
    words = " some words, which come before the passage that is quoted in "
    passage = "in full, and that is exactly sixty characters long: no more."
    assert (len(words), len(words.strip()), len(passage)) == (61, 59, 60)
    (tmp_path / "x").write_text(f"Ann,{words}{passage[3:]}! Yours")
    (tmp_path / "y").write_text(f"Bob:{words}Y:{passage}? Bye")
    (row,) = simdocs("compare", "x", "y", "--passages", cwd=tmp_path).rows
    text = (tmp_path / "x").read_text()
    assert text[int(row[1]) : int(row[2])] == passage


def test_empty_texts_have_no_passages_and_are_named(here):
    (here / "empty").write_bytes(b" \n \n")
    done = simdocs("compare", "empty", "letter", "--passages", cwd=here)
    assert (done.status, done.out) == (0, b"")
    assert done.err == "simdocs: empty: this text has nothing to compare, and a passage has at least 60 characters\n"


def test_the_exit_status_can_say_whether_there_are_passages(here):
    (here / "other").write_text("nothing of it")
    for b, status in (("paper", 1), ("other", 0)):
        assert simdocs("compare", "letter", b, "--passages", "--exit-code", "-q", cwd=here).status == status


def test_a_passage_can_do_no_harm_to_a_terminal(here):
    for name in ("letter", "paper"):
        (here / name).write_text(f"\x1b[31m{QUOTE}\x1b]0;x\x07{QUOTE}")
    done = on_terminal("compare", "letter", "paper", "--passages", colored=False, cwd=here)
    assert b"\x1b" not in done.out
    assert b"\x07" not in done.out
