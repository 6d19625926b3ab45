"""Two texts compared: their difference, and passages that they have in common; and the results of compare and tune."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, NamedTuple

from simdocs.model.figures import counted
from simdocs.model.ragged import Floats
from simdocs.model.result import Result, Table
from simdocs.names import escape_controls
from simdocs.options.declaration import loaded
from simdocs.options.families import COMPARED, UNITS
from simdocs.options.recipes import Banding

MOST_CELLS = 10**10
"""Pairs of units of two texts that are compared at most: 100,000 by 100,000 characters, which takes 1 CPU second."""

MOST_UNITS, CHARACTERS_A_UNIT = 4 << 20, 4
"""Words or lines of both texts that are compared at most: this number, or one for this many characters if that is more.
Each takes some 45 bytes."""

MOST_PASSAGES, CHARACTERS_A_PASSAGE = 1 << 17, 128
"""Shared passages that are returned at most: this number, or one for this many characters if that is more. Each takes
some 500 bytes."""

_ONLY_SPACES = "the texts differ only in what is not compared, such as spaces"

_LINES = re.compile(r"[^\n\r]*(?:\r\n|\n|\r)|[^\n\r]+")


def lines_in(text: str) -> Iterator[str]:
    """Yield the lines of a text with their ends: LF, CRLF or CR."""
    return (found[0] for found in _LINES.finditer(text))


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage of two texts.

    shared: whether both texts have it, perhaps with other spaces or letter case.
    a, b: the passage in each text. One of them may be empty if it is not shared.
    """

    shared: bool
    a: str
    b: str


@dataclass(frozen=True, slots=True, repr=False)
class Difference:
    """The passages of two texts, in order. Joined, the `a` of all passages are the first text, and the `b` the second.

    Bytes that are not UTF-8 are lone surrogates.

    asked: the unit that was asked for: `words` or `lines`.
    unit: the unit that was compared: the one asked for; `lines` if the texts have too many words, or are too long and
        different for words; or `text` if only their beginnings and ends were compared.
    passages: the passages, in order.
    run: 0; or the number of units in a run, if the texts are so long and different that runs that occur once in each
        were matched first. Then passages that differ may have some units in common.
    excess: what the texts have too much of to be compared by the unit asked for; empty if they do not.
    """

    asked: str
    unit: str
    passages: tuple[Passage, ...]
    _: KW_ONLY
    run: int = 0
    excess: str = ""

    @property
    def coarser(self) -> str:
        """How the texts were compared if not by the unit asked for; empty if they were."""
        if self.run:
            return f"by {self.unit} between runs of {self.run} {self.unit} that each of them has only once"
        if self.unit == self.asked:
            return ""
        return "by lines" if self.unit == "lines" else "only by how they begin and end"

    @property
    def equality(self) -> str:
        """A sentence that nothing differs; empty if a passage does."""
        if not all(passage.shared for passage in self.passages):
            return ""
        if all(passage.a == passage.b for passage in self.passages):
            return "the texts are equal"
        return _ONLY_SPACES

    @property
    def likeness(self) -> str:
        """The same as `equality`, also for texts that differ only in blank lines, where no mark would be seen."""
        differing = (text for passage in self.passages if not passage.shared for text in (passage.a, passage.b))
        return self.equality or ("" if any(map(str.strip, differing)) else _ONLY_SPACES)

    @property
    def places(self) -> int:
        """The number of passages that differ."""
        return sum(not passage.shared for passage in self.passages)

    def in_short(self, most: int) -> str:
        """The first words that differ, at most this many characters of each text, and how many other passages do."""
        differing = [passage for passage in self.passages if not passage.shared]
        if not differing:
            return self.equality
        parts = list[str]()
        for sign, text in (("-", differing[0].a), ("+", differing[0].b)):
            if words := " ".join(text.split()):
                parts.append(sign + escape_controls(words if len(words) <= most else words[: most - 1] + "…"))
        return " ".join([*parts, *([f"and {len(differing) - 1} more"] if len(differing) > 1 else [])])

    def first_places(self, most: int) -> Difference:
        """The difference up to this number of passages that differ, and the shared passage after the last of them."""
        differing = [at for at, passage in enumerate(self.passages) if not passage.shared]
        return self if len(differing) <= most else replace(self, passages=self.passages[: differing[most]])

    def rows(self) -> Iterator[tuple[bytes, bytes, bytes]]:
        """Yield a row for each passage: `shared` or `differs`, and its text in a and in b."""
        for passage in self.passages:
            a, b = (text.encode("utf-8", "surrogateescape") for text in (passage.a, passage.b))
            yield b"shared" if passage.shared else b"differs", a, b

    def drawn(self, names: Sequence[str] = ("a", "b")) -> str:
        """The difference as the command draws it: words marked in the text, or lines as a patch. names: of both texts.

        A patch of equal texts is empty. Bytes that are not UTF-8 are surrogates.
        """
        diff = next(name for name, compared in COMPARED.items() if compared == self.asked)
        if diff == "unified" and self.equality:
            return ""
        draw: Callable[..., bytes] = loaded("simdocs.views.drawn_difference:drawn_as")
        return draw(diff, self, names).decode("utf-8", "surrogateescape")

    def __repr__(self) -> str:
        return f"<Difference: unit={self.unit!r}, passages={len(self.passages)}>"


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


class SimilarityMatrix(Result):
    """The similarities of N texts to each other, or a trace of how their signatures are computed.

    names: the names of the texts.
    similarity: float64 (N, N), the Jaccard similarities, which are symmetric.
    """

    def __init__(self, table: Table, names: Sequence[Any], similarity: Floats, **more: Any) -> None:
        super().__init__("compare", table, **more)
        self.names, self.similarity = tuple(names), similarity


class Comparison(Result):
    """The similarity of two texts, by every measure.

    measures: the value of each measure by its name, as the command prints them; None: it is not defined.
    similarity: the similarity that is compared with the threshold: Jaccard, of multisets if repeats count.
    difference: their difference; None if it was not asked for.
    sameness: a phrase that both are the same, perhaps except for case and spaces; empty if anything else differs.
    verdict: a sentence on how similar they are, and perhaps a second one.
    in_common: the passages that both have, for a page; None if they were not asked for.
    """

    def __init__(
        self,
        table: Table,
        *,
        measures: Mapping[str, Any],
        similarity: float,
        difference: Difference | None,
        sameness: str,
        verdict: tuple[str, ...],
        in_common: Result | None,
        **more: Any,
    ) -> None:
        super().__init__("compare", table, **more)
        self.measures, self.similarity, self.difference = measures, similarity, difference
        self.sameness, self.verdict, self.in_common = sameness, verdict, in_common

    @property
    def names(self) -> tuple[Any, Any]:
        """The names of the texts."""
        return self.measures["a"], self.measures["b"]

    @property
    def jaccard(self) -> float:
        """The Jaccard similarity, of sets."""
        return float(self.measures["jaccard"])

    def html(self) -> bytes:
        """Both texts side by side, if the difference was asked for, and the measures, as a page of HTML."""
        page: bytes = loaded("simdocs.views.report_page:compared_page")(self)
        return page


class Tuning(Result):
    """What the bands find, and which options suit the documents. Its rows are for every twentieth of the similarity.

    banding: the bands, and what they were chosen for.
    pairs: the estimated number of pairs in each twentieth, (21,); none without two different texts.
    next: the call that is proposed; empty if there is none.
    """

    def __init__(self, table: Table, banding: Banding, pairs: tuple[int, ...], following: str, **more: Any) -> None:
        super().__init__("tune", table, **more)
        self.banding, self.pairs, self.next = banding, pairs, following
