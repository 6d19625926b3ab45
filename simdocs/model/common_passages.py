"""The passages that texts have in common: the result of compare with `passages`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from simdocs.model.answers import EXCERPTS, NAME, NUMBER, PLAIN, QUOTING, Block, Look, Tabular, table_head
from simdocs.model.figures import counted
from simdocs.names import display_name, text_to_name
from simdocs.options.families import UNITS

if TYPE_CHECKING:
    from simdocs.model.comparison import Comparison

_PLACE = {"begin": NUMBER, "end": NUMBER, "line": NUMBER}

PASSAGE_PLACES = table_head(
    a=NAME,
    **{f"a_{name}": kind for name, kind in _PLACE.items()},
    b=NAME,
    **{f"b_{name}": kind for name, kind in _PLACE.items()},
    units=NUMBER,
)
"""The columns of passages in common."""

PASSAGE_TEXTS = PASSAGE_PLACES.but(PLAIN, text=NAME)
"""The same with the text of each passage, as it is in the first text."""

QUOTED_PASSAGES = PASSAGE_PLACES.but(QUOTING, passage=EXCERPTS)
"""The same for people, who also see each passage."""


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


@dataclass(frozen=True, slots=True, repr=False, eq=False, kw_only=True)
class CommonPassages(Tabular[tuple[Any, ...]]):
    """The passages that two texts have in common.

    names: the names of the texts.
    passages: those with most units first, and then in the order of the first text.
    least: the number of units that each has at least.
    unit: the unit, such as `word`.
    texts: the texts as they were decoded. Bytes that are not UTF-8 are lone surrogates.
    lengths: the number of units of each text.
    comparison: how similar they are and where they differ, for a page that has both; None if there is no page.
    """

    names: tuple[Any, Any]
    passages: tuple[CommonPassage, ...]
    least: int
    unit: str
    texts: tuple[str, str]
    lengths: tuple[int, int]
    comparison: Comparison | None = None

    @property
    def is_found(self) -> bool:
        """Whether the texts have a passage in common."""
        return len(self.passages) > 0

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """Yield a row for each passage: the name of the text, begin, end and line in each, and the number of units."""
        for passage in self.passages:
            yield passage.row(*self.names)

    def blocks(self, look: Look) -> Iterator[Block]:
        """Yield the passages, with their texts if there is room for them; for people, with what is around, too."""
        if not (look.for_people or look.nested):
            yield Block(PASSAGE_PLACES, list(self.rows()))
        elif not look.for_people:
            texts = (self.texts[0][each.a_begin : each.a_end] for each in self.passages)
            yield Block(PASSAGE_TEXTS, [(*row, text) for row, text in zip(self.rows(), texts, strict=True)])
        elif self.passages:
            quoted = (each.excerpt(self.texts[0], self.unit) for each in self.passages)
            yield Block(QUOTED_PASSAGES, [(*row, excerpt) for row, excerpt in zip(self.rows(), quoted, strict=True)])

    def lines(self, seconds: float, *, verbose: bool = False) -> Iterator[str]:  # noqa: ARG002
        """Yield how many passages there are, and how much of the first text is in them."""
        found = counted(len(self.passages), "passage") if self.passages else "no passages"
        part = f": {sum(each.units for each in self.passages):,} of {counted_units(self.lengths[0], self.unit)} of"
        name = display_name(text_to_name(str(self.names[0])))
        yield f"{found} of {self.least:,} {UNITS[self.unit].plural} or more" + f"{part} {name}" * bool(self.passages)

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes about texts that are too short for any passage."""
        shortest = f"and a passage has at least {counted_units(self.least, self.unit)}"
        sizes = dict(zip(self.names, self.lengths, strict=True))
        short = ((name, counted_units(size, self.unit) if size else "nothing") for name, size in sizes.items())
        return tuple(
            f"{display_name(text_to_name(str(name)))}: this text has {has} to compare, {shortest}"
            for name, has in short
            if sizes[name] < self.least
        )

    def __repr__(self) -> str:
        return f"<CommonPassages: passages={len(self.passages)}, names={self.names!r}>"
