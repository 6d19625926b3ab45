"""The figures that docs/choosing.md states are correct. Its commands are run in test_readme_and_examples."""

from __future__ import annotations

import re

import pytest

from tests.docs.executed import DOCS

GUIDE = DOCS / "guide.md"
CHOOSING = DOCS / "choosing.md"
UNITS = (("char", 9), ("char", 5), ("word", 5), ("word", 3))
FIRST_LETTER = 0x3400
"""The first letter of a text. Every letter of a text is different, so that no two shingles are equal by accident."""


def word(number: int) -> str:
    """Return a word of 5 letters that belongs to this number only."""
    return "".join(chr(FIRST_LETTER + 5 * number + at) for at in range(5))


def shingles(words: list[str], unit: str, k: int) -> set[tuple[str, ...]]:
    """Return the shingles of a text with these words."""
    units = words if unit == "word" else list(" ".join(words))
    return {tuple(units[at : at + k]) for at in range(len(units) - k + 1)}


def similarity_after(edits: int, words: int, unit: str, k: int) -> float:
    """Return the similarity of a text and the same text with this number of words, far apart, replaced."""
    text = [word(number) for number in range(words)]
    edited = list(text)
    for edit in range(edits):
        edited[round((edit + 1) * words / (edits + 1))] = word(words + edit)
    before, after = shingles(text, unit, k), shingles(edited, unit, k)
    return len(before & after) / len(before | after)


def test_table_of_edits_holds_for_texts_made_of_distinct_words() -> None:
    rows = re.findall(r"^\| (\d+) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$", CHOOSING.read_text("utf-8"), re.MULTILINE)
    assert [row[0] for row in rows] == ["25", "100", "400", "2000"]
    for words, *most in rows:
        for (unit, k), edits in zip(UNITS, map(int, most), strict=True):
            assert similarity_after(edits, int(words), unit, k) >= 0.8
            assert similarity_after(edits + 1, int(words), unit, k) < 0.8


def test_similarities_of_a_short_message_are_as_stated() -> None:
    text = " ".join(CHOOSING.read_text("utf-8").split())
    stated = re.search(
        r"one replaced word leaves a similarity of (\S+) \(`-k 9`\) or (\S+) \(`-k 5`\), two leave (\S+) or (\S+)\.",
        text,
    )
    assert stated
    computed = [similarity_after(edits, 25, "char", k) for edits in (1, 2) for k in (9, 5)]
    assert [float(figure) for figure in stated.groups()] == pytest.approx(computed, abs=0.005)
    assert similarity_after(4, 25, "char", 5) >= 0.6 > similarity_after(5, 25, "char", 5)
    assert "a threshold of 0.6 with `-k 5` allows four replaced words" in text
