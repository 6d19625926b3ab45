"""The passages that texts have in common: the result of compare with `passages`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from simdocs.model.answers import NAME, NUMBER, Answer, Block, Look, table_head
from simdocs.model.figures import counted
from simdocs.model.names import display_name, text_to_name
from simdocs.parameters.families import UNITS

_PLACE = {"begin": NUMBER, "end": NUMBER, "line": NUMBER}

PASSAGE_PLACES = table_head(
    a=NAME,
    **{f"a_{name}": kind for name, kind in _PLACE.items()},
    b=NAME,
    **{f"b_{name}": kind for name, kind in _PLACE.items()},
    units=NUMBER,
)
"""The columns of passages in common."""


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


@dataclass(frozen=True, slots=True, repr=False, eq=False, kw_only=True)
class CommonPassages(Answer):
    """The passages that two texts have in common.

    names: the names of the texts.
    passages: those with most units first, and then in the order of the first text.
    least: the number of units that each has at least.
    unit: the unit, such as `word`.
    texts: the texts as they were decoded. Bytes that are not UTF-8 are lone surrogates.
    lengths: the number of units of each text.
    """

    names: tuple[Any, Any]
    passages: tuple[CommonPassage, ...]
    least: int
    unit: str
    texts: tuple[str, str]
    lengths: tuple[int, int]

    @property
    def is_found(self) -> bool:
        """Whether the texts have a passage in common."""
        return len(self.passages) > 0

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """Yield a row for each passage: the name of the text, begin, end and line in each, and the number of units."""
        for passage in self.passages:
            yield passage.row(*self.names)

    def blocks(self, look: Look) -> Iterator[Block]:  # noqa: ARG002
        """Yield the passages."""
        yield Block(PASSAGE_PLACES, list(self.rows()))

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes about texts that are too short for any passage."""
        short = [(name, size) for name, size in zip(self.names, self.lengths, strict=True) if size < self.least]
        return tuple(
            f"{display_name(text_to_name(str(name)))}: this text has {self._units(size) if size else 'nothing'} to"
            f" compare, and a passage has at least {self._units(self.least)}"
            for name, size in dict(short).items()
        )

    def _units(self, count: int) -> str:
        plural = UNITS[self.unit].plural
        return counted(count, plural.removesuffix("s"), plural)

    def __repr__(self) -> str:
        return f"<CommonPassages: passages={len(self.passages)}, names={self.names!r}>"
