"""Measures of how similar two texts are."""

from __future__ import annotations

import math
from dataclasses import dataclass

MeasureValue = str | int | float | None
"""The value of a measure. None: it is not defined, or was not computed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShingleMeasures:
    """The similarity of two texts by their shingles.

    unit, k: the unit of a shingle, and the number of units.
    shingles_a, shingles_b: the number of distinct shingles of each text.
    intersection, union: the number of distinct shingles of both texts, and of either.
    bag_intersection, bag_union: the same with repeats: the sum of the smaller count of each shingle, and of the larger.
    cosine: the cosine of the angle between the counts; None if a text has no shingle.
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
    """The similarity of two texts by the longest common subsequence (LCS) of their units.

    unit: the unit that was compared: `char`, `word` or `line`; empty if nothing was, because the texts are too long and
        different, or because it was not asked for.
    length_a, length_b: the number of units of each text.
    lcs: the length of the LCS in units; None if it was not computed.
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
"""The value where edit measures are not shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SignatureMeasures:
    """The similarity of two signatures, and whether their bands make the texts a candidate pair.

    num_perm: the number of places in a signature, K.
    estimate: the fraction of places that agree.
    standard_error: the standard error of the estimate, sqrt(J(1-J)/K).
    bands, rows: the bands into which a signature is cut, and the rows of each.
    equal_bands: the number of bands that agree.
    probability: the probability that at least one band agrees at this similarity.
    """

    num_perm: int
    estimate: float
    standard_error: float
    bands: int
    rows: int
    equal_bands: int
    probability: float
