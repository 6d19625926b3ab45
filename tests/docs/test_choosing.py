"""The figures that docs/choosing.md states are correct. Its commands are run in test_readme_and_examples."""

from __future__ import annotations

import re

from tests.docs.executed import DOCS

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
