"""Passages that two texts have in common, and passages with what is around them."""

from __future__ import annotations

from typing import Any, NamedTuple

from simdocs.model.figures import counted
from simdocs.options.families import UNITS

_AROUND = 60
"""Characters of a line that are shown before a passage in it, and after it."""


class Excerpt(NamedTuple):
    """A passage as it is in the first text, with the rest of the lines in which it begins and ends, or some of it.

    length: the number of its units in words.
    """

    length: str
    before: str
    passage: str
    after: str


class CommonPassage(NamedTuple):
    """A passage that two texts have in common: where it begins and ends in each, in which line, and its length.

    a_begin, a_end, b_begin, b_end: characters of the decoded text, from 0; the end is the character after the last.
    a_line, b_line: the line in which it begins, from 1.
    units: how many characters, words or lines of the normalised text it has.
    """

    a_begin: int
    a_end: int
    a_line: int
    b_begin: int
    b_end: int
    b_line: int
    units: int

    def row(self, a: Any, b: Any) -> tuple[Any, ...]:
        """The row of an answer. a, b: the names of the texts."""
        return a, *self[:3], b, *self[3:]

    def excerpt(self, a: str, unit: str) -> Excerpt:
        """The passage in the first text, which is `a`. unit: in which passages are counted."""
        return excerpt_of(a, self.a_begin, self.a_end, counted_units(self.units, unit))


def excerpt_of(text: str, begin: int, end: int, length: str) -> Excerpt:
    """The passage between these places of a text. length: the number of its units in words."""
    before, after = text[max(0, begin - _AROUND) : begin], text[end : end + _AROUND]
    first = 1 + max(before.rfind(each) for each in "\n\r")
    ends = [place for place in map(after.find, "\n\r") if place >= 0]
    return Excerpt(length, before[first:], text[begin:end], after[: min(ends, default=_AROUND)])


def counted_units(count: int, unit: str) -> str:
    """A number of characters, words or lines."""
    plural = UNITS[unit].plural
    return counted(count, plural.removesuffix("s"), plural)
