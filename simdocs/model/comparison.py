"""What compare comes back with: how similar texts are, by every measure."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from simdocs.model.documents import OTHER_ENCODING
from simdocs.model.names import display_name, text_to_name
from simdocs.model.passages import MOST_CELLS, Difference
from simdocs.model.ragged import Array, Floats, Mask, Tokens
from simdocs.parameters.families import UNITS, edited_units

_NAMED = 3
"""Names in a note."""

_LITTLE_CONTAINED, _LITTLE_SHARED, _FEW_PLACES = 0.2, 0.5, 5
"""Texts are unrelated if less than so much of either is in the other, if their difference has less than so many of
their characters in common, and if it has more than so many places: then it shows scattered words."""

_PAIRS = f"more than {MOST_CELLS:,} pairs of"

MeasureValue = str | int | float | None
"""The value of a measure. None: it is not defined, or was not computed."""


@dataclass(frozen=True, slots=True)
class ShingleMeasures:
    """How similar two texts are by their shingles.

    shingles_a, shingles_b: distinct shingles of each. intersection, union: distinct shingles of both, and of either.
    bag_intersection, bag_union: the same with repeats: the sums of the smaller and of the larger count of each. cosine:
    of the angle between the counts; None if a text has no shingle.
    """

    unit: str
    k: int
    shingles_a: int
    shingles_b: int
    intersection: int
    union: int
    bag_intersection: int
    bag_union: int
    cosine: float | None

    @property
    def jaccard(self) -> float:
        """Shared shingles over all distinct ones; 0.0 if a text has none."""
        return self.intersection / self.union if self.intersection else 0.0

    @property
    def distance(self) -> float:
        """The Jaccard distance: 1 - jaccard."""
        return 1.0 - self.jaccard

    @property
    def bag_jaccard(self) -> float:
        """The Jaccard similarity of the multisets, in which repeats count."""
        return self.bag_intersection / self.bag_union if self.bag_intersection else 0.0

    @property
    def bag_distance(self) -> float:
        """The Jaccard distance of the multisets: 1 - bag_jaccard."""
        return 1.0 - self.bag_jaccard

    @property
    def containment_a(self) -> float | None:
        """The share of the shingles of the first text that the second has, too."""
        return self.intersection / self.shingles_a if self.shingles_a else None

    @property
    def containment_b(self) -> float | None:
        """The share of the shingles of the second text that the first has, too."""
        return self.intersection / self.shingles_b if self.shingles_b else None

    @property
    def overlap(self) -> float | None:
        """The overlap coefficient: shared shingles over those of the text with fewer."""
        fewer = min(self.shingles_a, self.shingles_b)
        return self.intersection / fewer if fewer else None

    @property
    def angle(self) -> float | None:
        """The angle between the counts, in degrees: 0 to 90."""
        return None if self.cosine is None else math.degrees(math.acos(self.cosine))


@dataclass(frozen=True, slots=True)
class EditMeasures:
    """How similar two texts are by what remains in order: the longest common subsequence (LCS) of their units.

    unit: what was inserted and deleted: `char`, `word` or `line`; empty if the texts are too long and different for any
    of them, or if nobody asked. length_a, length_b: units of each text. lcs: units that they share in order; None if it
    was not computed.
    """

    unit: str
    length_a: int
    length_b: int
    lcs: int | None

    @property
    def distance(self) -> int | None:
        """The edit distance: how many units must be deleted and inserted to turn one text into the other."""
        return None if self.lcs is None else self.length_a + self.length_b - 2 * self.lcs

    @property
    def similarity(self) -> float | None:
        """Twice the length of the LCS over the lengths of both texts."""
        both = self.length_a + self.length_b
        return 2 * self.lcs / both if self.lcs is not None and both else None


NOT_COMPUTED = EditMeasures("", 0, 0, None)
"""In place of measures that are not shown."""


@dataclass(frozen=True, slots=True)
class SignatureMeasures:
    """How similar two signatures are, and whether their bands make the texts a candidate pair.

    estimate: the share of places that agree. standard_error: that of the estimate, sqrt(J(1-J)/K). bands, rows: how a
    signature is cut. equal_bands: bands that agree. probability: that at least one does, at this similarity.
    """

    num_perm: int
    estimate: float
    standard_error: float
    bands: int
    rows: int
    equal_bands: int
    probability: float


@dataclass(frozen=True, slots=True, repr=False)
class Comparison:
    """How similar two texts are.

    names: of both. every: by their shingles, for each unit and k that was asked for. edits, signatures: those of the
    first unit and k. matrix: their similarities as a matrix of two texts. difference: None if it was not asked for.
    decided_by: the measure that the threshold is about: `jaccard`, `bag_jaccard`, `overlap` or `overlap of
    multisets`.
    """

    names: tuple[str, str]
    every: tuple[ShingleMeasures, ...]
    edits: EditMeasures
    signatures: SignatureMeasures
    matrix: SimilarityMatrix
    difference: Difference | None = None
    decided_by: str = "jaccard"

    @property
    def similarity(self) -> float:
        """What the threshold is about: Jaccard, or the larger containment; of multisets if those were asked for."""
        return self.matrix.largest

    @property
    def similar(self) -> bool:
        """Whether the similarity is at the threshold or above."""
        return self.matrix.similar

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
        """Each measure with its value, in the order in which they are shown."""
        yield from zip(("a", "b"), self.names, strict=True)
        for group, prefix, names in _SHOWN:
            for name in names:
                yield f"{prefix}{name}", getattr(getattr(self, group), name)
        yield "threshold", self.matrix.threshold
        yield "similar", "yes" if self.similar else "no"

    @property
    def notes(self) -> tuple[str, ...]:
        """Which texts have no shingles; what was not computed as it was asked for, because the texts are too long."""
        too_long = list(self._too_long)
        if not too_long:
            return self.matrix.notes
        so = "; ".join(what for _, what in too_long)
        return *self.matrix.notes, f"the texts are too long and different ({too_long[0][0]}): {so}"

    @property
    def _too_long(self) -> Iterator[tuple[str, str]]:
        """Yield what there is too much of, and what was done instead."""
        edited = edited_units(self.shingles.unit)
        if self.edits is not NOT_COMPUTED and not self.edits.unit:
            yield f"{_PAIRS} {UNITS[edited[-1]].plural}", "there is no edit distance"
        elif self.edits is not NOT_COMPUTED and self.edits.unit != edited[0]:
            yield f"{_PAIRS} {UNITS[edited[0]].plural}", f"the edit distance is of {UNITS[self.edits.unit].plural}"
        if self.difference is not None and self.difference.coarser:
            yield self.difference.excess, f"they are compared {self.difference.coarser}"

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
"""The measures in the order in which they are shown: where they are, what their names begin with, and the names."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class SimilarityMatrix:
    """The similarity of each two of N texts. names: of the texts. threshold: in force.

    similarity: float64 (N, N). It is the Jaccard similarity, and so symmetric; or, if containment was asked for, the
    share of the shingles of the text of the row that the text of the column has. empty: the names of texts that are
    empty, but for spaces. short: of those with fewer units than a shingle, which then is the whole text. invalid: of
    those with bytes that are not UTF-8.
    """

    names: tuple[str, ...]
    similarity: Floats
    threshold: float
    empty: frozenset[str] = frozenset()
    short: frozenset[str] = frozenset()
    invalid: frozenset[str] = frozenset()

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
        """Which texts match nothing or only equal ones, as they have no shingles or one; which may not match a copy."""
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

    def rows(self) -> Iterator[tuple[str, list[float]]]:
        """Each name with the similarities to all texts."""
        yield from zip(self.names, self.similarity.tolist(), strict=True)

    def __repr__(self) -> str:
        return f"<SimilarityMatrix: documents={len(self.names)}>"


def _in_order(names: tuple[str, ...], some: frozenset[str]) -> list[str]:
    return [name for name in dict.fromkeys(names) if name in some]


def _named(names: list[str]) -> str:
    """The first of these names."""
    more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    return ", ".join(display_name(text_to_name(name)) for name in names[:_NAMED]) + more


Slots = tuple[int | None, ...]
"""Values of the hash functions, or the smallest so far of one document; None: infinity."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SlotTrace:
    """How the signatures of N documents were computed from R rows and K hash functions.

    shingles: of each row, in the order in which the texts have them first. tokens: uint32 (R,). members: which document
    has which shingle, bool (R, N). hashes: of each token, uint32 (R, K). slots: the smallest of the documents' hashes
    up to each row, uint32 (R, N, K), of meaning where `reached` (R, N). matrix: the exact similarities.
    """

    shingles: tuple[str, ...]
    tokens: Tokens
    members: Mask
    hashes: Tokens
    slots: Array
    signatures: Tokens
    matrix: SimilarityMatrix

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the documents."""
        return self.matrix.names

    @property
    def similar(self) -> bool:
        """Whether any two documents have a similarity at the threshold or above."""
        return self.matrix.similar

    @property
    def notes(self) -> tuple[str, ...]:
        """Which texts have no shingles."""
        return self.matrix.notes

    def rows(self) -> Iterator[tuple[str, tuple[int, ...], tuple[tuple[bool, Slots], ...]]]:
        """Each shingle, the values of the hash functions, and for each document whether it has it, and its slots."""
        reached = np.logical_or.accumulate(self.members, axis=0).tolist()
        each = zip(
            self.shingles, self.hashes.tolist(), self.members.tolist(), self.slots.tolist(), reached, strict=True
        )
        for shingle, hashes, members, slots, begun in each:
            after = (tuple(row) if any_yet else (None,) * len(row) for row, any_yet in zip(slots, begun, strict=True))
            yield shingle, tuple(hashes), tuple(zip(members, after, strict=True))

    def pairs(self) -> Iterator[tuple[str, str, int, float, float]]:
        """Each two documents, in how many places they agree, the share of these, and the exact Jaccard similarity."""
        for left, right in combinations(range(len(self.names)), 2):
            empty = not self.members[:, [left, right]].any(axis=0).all()
            agree = 0 if empty else int((self.signatures[left] == self.signatures[right]).sum())
            exact = float(self.matrix.similarity[left, right])
            yield self.names[left], self.names[right], agree, agree / self.signatures.shape[1], exact

    def __repr__(self) -> str:
        return f"<SlotTrace: rows={len(self.shingles)}, documents={len(self.names)}, places={self.signatures.shape[1]}>"
