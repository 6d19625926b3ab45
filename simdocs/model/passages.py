"""The difference of two texts: what they share, and where they differ."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass, replace
from operator import attrgetter

MOST_CELLS = 10**10
"""Pairs of units of two texts that are compared at most: 100,000 by 100,000 characters, which takes 1 CPU second."""

MOST_UNITS, CHARACTERS_A_UNIT = 4 << 20, 4
"""Up to so many words or lines of both texts are compared, or one for so many characters. Each takes some 45 bytes."""

MOST_PASSAGES, CHARACTERS_A_PASSAGE = 1 << 17, 128
"""Up to so many shared passages are returned, or one for so many characters. Each takes some 500 bytes."""

_ONLY_SPACES = "the texts differ only in what is not compared, such as spaces"

_LINES = re.compile(r"[^\n\r]*(?:\r\n|\n|\r)|[^\n\r]+")


def lines_of(text: str) -> list[str]:
    """The lines of a text with their ends: LF, CRLF or CR."""
    return _LINES.findall(text)


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage of two texts. shared: both have it, though perhaps with other spaces or letter case.

    a, b: how it reads in each text. If it is not shared, one of them may be empty.
    """

    shared: bool
    a: str
    b: str


@dataclass(frozen=True, slots=True, repr=False)
class Difference:
    """The passages of two texts, in order. Joined, the `a` of all passages are the first text, and the `b` the second.

    asked: what was to be compared: `words` or `lines`. unit: what was compared: that; `lines` if the texts are too long
    and different for words, or have too many; or `text` if only their beginnings and ends were compared. missing: why
    there are no passages; empty if there are. run: 0; or how many units a run has, if the texts are so long and
    different that runs which each of them has once were matched first. Some units in common may then be in passages
    that differ. Bytes that are not UTF-8 are lone surrogates. excess: what there was too much of to compare as it was
    asked; empty if there was not.
    """

    asked: str
    unit: str
    passages: tuple[Passage, ...]
    missing: str = ""
    _: KW_ONLY
    run: int = 0
    excess: str = ""

    @property
    def coarser(self) -> str:
        """How the texts were compared instead of as it was asked; empty if they were."""
        if self.run:
            return f"by {self.unit} between runs of {self.run} {self.unit} that each of them has only once"
        if self.missing or self.unit == self.asked:
            return ""
        return "by lines" if self.unit == "lines" else "only by how they begin and end"

    @property
    def equality(self) -> str:
        """That nothing differs, in words; empty if a passage does, or if there are none because a text is missing."""
        if self.missing or not all(passage.shared for passage in self.passages):
            return ""
        if all(passage.a == passage.b for passage in self.passages):
            return "the texts are equal"
        return _ONLY_SPACES

    @property
    def sameness(self) -> str:
        """That both are the same text, perhaps except for case and spaces; empty if they differ in anything else."""
        if not self.equality:
            return ""
        a, b = ("".join(map(attrgetter(side), self.passages)) for side in ("a", "b"))
        if a == b:
            return "the same text"
        words_a, words_b = a.split(), b.split()
        if list(map(str.casefold, words_a)) != list(map(str.casefold, words_b)):
            return ""
        which = (("case", words_a != words_b), ("spaces", a.casefold() != b.casefold()))
        return f"the same text, except for {' and '.join(name for name, differs in which if differs)}"

    @property
    def shared(self) -> float:
        """The share of the characters of both texts that are in shared passages; 1.0 if there are none at all."""
        sizes = [(passage.shared, len(passage.a) + len(passage.b)) for passage in self.passages]
        every = sum(size for _, size in sizes)
        return sum(size for shared, size in sizes if shared) / every if every else 1.0

    @property
    def likeness(self) -> str:
        """As `equality`, also of texts that differ in nothing but blank lines, where no mark would be seen."""
        differing = (text for passage in self.passages if not passage.shared for text in (passage.a, passage.b))
        return self.equality or ("" if self.missing or any(map(str.strip, differing)) else _ONLY_SPACES)

    @property
    def places(self) -> int:
        """How many passages differ."""
        return sum(not passage.shared for passage in self.passages)

    def first_places(self, most: int) -> Difference:
        """The difference as far as these first passages that differ, and the shared one after them."""
        differing = [at for at, passage in enumerate(self.passages) if not passage.shared]
        return self if len(differing) <= most else replace(self, passages=self.passages[: differing[most]])

    def rows(self) -> Iterator[tuple[bytes, bytes, bytes]]:
        """Each passage: `shared` or `differs`, and how it reads in each text."""
        for passage in self.passages:
            a, b = (text.encode("utf-8", "surrogateescape") for text in (passage.a, passage.b))
            yield b"shared" if passage.shared else b"differs", a, b

    def __repr__(self) -> str:
        return f"<Difference: unit={self.unit!r}, passages={len(self.passages)}>"
