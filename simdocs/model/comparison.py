"""The results of compare and similarity: two texts, several, and a trace of how MinHash computes signatures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from simdocs.model.answers import (
    KEYED,
    NAME,
    NUMBER,
    PASSAGES,
    PLAIN,
    SIMILARITY,
    VALUE,
    Answer,
    Block,
    Look,
    Tabular,
    table_head,
)
from simdocs.model.documents import OTHER_ENCODING
from simdocs.model.measures import (
    MEANINGS,
    NOT_COMPUTED,
    EditMeasures,
    MeasureValue,
    ShingleMeasures,
    SignatureMeasures,
)
from simdocs.model.passages import MOST_CELLS, Difference
from simdocs.model.ragged import Floats
from simdocs.names import display_name, text_to_name
from simdocs.options.families import UNITS, edited_units
from simdocs.options.file_formats import FILE_FORMATS

_MAIN = frozenset({"jaccard", "containment_a", "containment_b", "edit_distance", "estimate"})
"""The measures that a table shows to people who do not ask for all of them."""

_OF_SHINGLES = ("jaccard", "bag_jaccard", "containment_a", "containment_b", "cosine")
"""The measures in a table over units and k."""

_MEASURES, _NOTES = table_head(KEYED, measure=NAME, value=VALUE), table_head(note=NAME)
_OVER_SHINGLES = table_head(unit=NAME, k=NUMBER, **dict.fromkeys(_OF_SHINGLES, SIMILARITY))

_NAMED = 3
"""Names in a note."""

_LITTLE_CONTAINED, _LITTLE_SHARED, _FEW_PLACES = 0.2, 0.5, 5
"""Texts are unrelated if less than the first fraction of either is in the other, if their difference has less than the
second fraction of their characters in common, and if it has more than this number of places: then it shows scattered
words."""

_PAIRS = f"more than {MOST_CELLS:,} pairs of"


@dataclass(frozen=True, slots=True)
class Measured(Answer):
    """The similarity of two texts by one measure, from 0.0 to 1.0."""

    similarity: float

    def for_python(self) -> float:
        """The number itself."""
        return self.similarity


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class Comparison(Tabular[tuple[str, MeasureValue]]):
    """The similarity of two texts, by every measure.

    names: their names.
    every: the measures of their shingles, for each unit and k that was asked for.
    edits, signatures: the other measures, for the first unit and k.
    matrix: their similarity as a matrix of two texts.
    difference: their difference; None if it was not asked for.
    decided_by: the measure that is compared with the threshold: `jaccard`, `bag_jaccard`, `overlap` or `overlap of
        multisets`.
    """

    COMMAND = "compare"

    names: tuple[Any, Any]
    every: tuple[ShingleMeasures, ...]
    edits: EditMeasures
    signatures: SignatureMeasures
    matrix: SimilarityMatrix
    difference: Difference | None = None
    decided_by: str = "jaccard"

    @property
    def similarity(self) -> float:
        """The similarity that is compared with the threshold: Jaccard, or the larger containment; see `decided_by`."""
        return self.matrix.largest

    @property
    def similar(self) -> bool:
        """Whether the similarity is at the threshold or above."""
        return self.matrix.similar

    @property
    def is_found(self) -> bool:
        """Whether the texts are similar."""
        return self.similar

    @property
    def shingles(self) -> ShingleMeasures:
        """The measures of the first unit and k."""
        return self.every[0]

    @property
    def jaccard(self) -> float:
        """The Jaccard similarity, for the first unit and k."""
        return self.shingles.jaccard

    @property
    def unrelated(self) -> bool:
        """Whether the texts have so little in common that their difference shows nothing but scattered words."""
        found, overlap = self.difference, self.shingles.overlap
        if found is None or overlap is None or overlap >= _LITTLE_CONTAINED:
            return False
        return found.places > _FEW_PLACES and found.shared < _LITTLE_SHARED

    def rows(self) -> Iterator[tuple[str, MeasureValue]]:
        """Yield each measure with its value, in the order in which they are shown."""
        yield from zip(("a", "b"), self.names, strict=True)
        for group, prefix, names in _SHOWN:
            for name in names:
                yield f"{prefix}{name}", getattr(getattr(self, group), name)
        yield "threshold", self.matrix.threshold
        yield "similar", "yes" if self.similar else "no"

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes about texts without shingles, and about what was not computed because the texts are too long."""
        too_long = list(self._too_long)
        if not too_long:
            return self.matrix.notes
        so = "; ".join(what for _, what in too_long)
        return *self.matrix.notes, f"the texts are too long and different ({too_long[0][0]}): {so}"

    @property
    def _too_long(self) -> Iterator[tuple[str, str]]:
        """Yield pairs of phrases: what there is too much of, and what was done instead."""
        edited = edited_units(self.shingles.unit)
        if self.edits is not NOT_COMPUTED and not self.edits.unit:
            yield f"{_PAIRS} {UNITS[edited[-1]].plural}", "there is no edit distance"
        elif self.edits is not NOT_COMPUTED and self.edits.unit != edited[0]:
            yield f"{_PAIRS} {UNITS[edited[0]].plural}", f"the edit distance is of {UNITS[self.edits.unit].plural}"
        if self.difference is not None and self.difference.coarser:
            yield self.difference.excess, f"they are compared {self.difference.coarser}"

    def html(self) -> bytes:
        """Both texts side by side, if the difference was asked for, and the measures, as a page of HTML."""
        page: bytes = FILE_FORMATS["compared.html"].load()(self)
        return page

    def view(self, look: Look) -> str:
        """The function that draws the difference, if it is shown, and the measures beside it."""
        if self.difference is None:
            return ""
        if look.for_people:
            return "simdocs.views.compared_texts:drawn"
        return "" if look.nested else "simdocs.views.compared_texts:difference"

    def blocks(self, look: Look) -> Iterator[Block]:
        """Yield the measures, then the passages and the notes, if the difference was asked for."""
        yield self._measures(look)
        if self.difference is not None and not look.for_people:
            yield Block(PASSAGES, list(self.difference.rows()))
            yield Block(_NOTES, [(note,) for note in self.notes])

    def _measures(self, look: Look) -> Block:
        """The measures of both texts, for people the main ones; or some, for each unit and k."""
        if len(self.every) > 1:
            rows = [(each.unit, each.k, *(getattr(each, name) for name in _OF_SHINGLES)) for each in self.every]
            return Block(_OVER_SHINGLES, list(rows))
        main = _MAIN | {self.decided_by.partition(" ")[0]}
        shown = [
            (name, None if value == "" else value, self._meaning(name))
            for name, value in self.rows()
            if look.verbose or not look.for_people or name in main
        ]
        if look.explained:
            return Block(_MEASURES.but(KEYED, meaning=NAME), list(shown))
        return Block(_MEASURES, [row[:2] for row in shown])

    def _meaning(self, name: str) -> str:
        return f"whether {self.decided_by} >= threshold" if name == "similar" else MEANINGS[name]

    def __repr__(self) -> str:
        return f"<Comparison: jaccard={self.jaccard:.6f}, names={self.names!r}>"


_SHOWN = (
    ("shingles", "", ("unit", "k", "shingles_a", "shingles_b", "intersection", "union", "jaccard", "distance")),
    ("shingles", "", ("bag_jaccard", "bag_distance", "containment_a", "containment_b", "overlap", "cosine", "angle")),
    ("edits", "edit_", ("unit",)),
    ("edits", "", ("lcs",)),
    ("edits", "edit_", ("distance", "similarity")),
    ("signatures", "", SignatureMeasures.__slots__),
)
"""The measures in the order in which they are shown: the field that holds them, their prefix, and their names."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class SimilarityMatrix(Tabular[tuple[Any, list[float]]]):
    """The similarities of N texts to each other.

    names: the names of the texts.
    similarity: float64 (N, N), the Jaccard similarities, which are symmetric; or, if containment was asked for, the
        fraction of the shingles of the row's text that the column's text has.
    threshold: the threshold in force.
    empty: the names of the texts that have nothing but spaces.
    short: the names of the texts with fewer units than a shingle. The whole text is then the only shingle.
    invalid: the names of the texts with bytes that are not UTF-8.
    """

    COMMAND = "compare"

    names: tuple[Any, ...]
    similarity: Floats
    threshold: float
    _: KW_ONLY
    empty: frozenset[Any] = frozenset()
    short: frozenset[Any] = frozenset()
    invalid: frozenset[Any] = frozenset()

    @property
    def matrix(self) -> SimilarityMatrix:
        """The matrix itself. A Comparison has one, too."""
        return self

    @property
    def is_found(self) -> bool:
        """Whether any two texts are similar."""
        return self.similar

    def blocks(self, look: Look) -> Iterator[Block]:  # noqa: ARG002
        """Yield the matrix, with a column for each text."""
        head = table_head(number=NUMBER, document=NAME).but(PLAIN, **dict.fromkeys(self._numbers, SIMILARITY))
        yield Block(head, [(number, name, *row) for number, (name, row) in enumerate(self.rows(), 1)])

    @property
    def _numbers(self) -> Iterator[str]:
        return map(str, range(1, len(self.names) + 1))

    @property
    def largest(self) -> float:
        """The largest similarity of two different texts."""
        return float(self.similarity[~np.eye(len(self.names), dtype=bool)].max())

    @property
    def similar(self) -> bool:
        """Whether any two different texts have a similarity at the threshold or above."""
        return self.largest >= self.threshold

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes about texts that match nothing or only the same text, and about texts that may not match a copy."""
        bare = [name for name, own in zip(self.names, self.similarity.diagonal(), strict=True) if not own]
        empty, others = ([name for name in bare if (name in self.empty) is inside] for inside in (True, False))
        notes = []
        if empty:
            so = "this text is empty, so it matches" if len(empty) == 1 else "these texts are empty, so they match"
            notes.append(f"{_named(empty)}: {so} nothing")
        if others:
            have, match = ("this text has", "it matches") if len(others) == 1 else ("these texts have", "they match")
            notes.append(f"{_named(others)}: {have} no shingles to compare, so {match} nothing")
        if self.short and self.largest < 1:
            are = "this text is shorter" if len(self.short) == 1 else "these texts are shorter"
            so = "it matches" if len(self.short) == 1 else "they match"
            notes.append(
                f"{_named(_in_order(self.names, self.short))}: {are} than a shingle, so {so} only the same text"
            )
        if 0 < len(self.invalid) < len(set(self.names)):
            are = "is" if len(self.invalid) == 1 else "are"
            notes.append(f"{_named(_in_order(self.names, self.invalid))} {are} not UTF-8: {OTHER_ENCODING}")
        return tuple(notes)

    def rows(self) -> Iterator[tuple[Any, list[float]]]:
        """Yield each name with the similarities to all texts."""
        yield from zip(self.names, self.similarity.tolist(), strict=True)

    def __repr__(self) -> str:
        return f"<SimilarityMatrix: documents={len(self.names)}>"


def _in_order(names: tuple[Any, ...], some: frozenset[Any]) -> list[Any]:
    return [name for name in dict.fromkeys(names) if name in some]


def _named(names: list[Any]) -> str:
    """The first of these names."""
    more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    return ", ".join(display_name(text_to_name(str(name))) for name in names[:_NAMED]) + more
