"""The results of compare: two texts, and several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from simdocs.model.measures import EditMeasures, ShingleMeasures, SignatureMeasures
from simdocs.model.passages import Difference
from simdocs.model.ragged import Floats
from simdocs.model.result import Result, Table
from simdocs.options.file_formats import FILE_FORMATS

_LITTLE_CONTAINED, _LITTLE_SHARED, _FEW_PLACES = 0.2, 0.5, 5
"""Texts are unrelated if less than the first fraction of either is in the other, if their difference has less than the
second fraction of their characters in common, and if it has more than this number of places: then it shows scattered
words."""


class SimilarityMatrix(Result):
    """The similarities of N texts to each other, or a trace of how their signatures are computed.

    names: the names of the texts.
    similarity: float64 (N, N), the Jaccard similarities, which are symmetric; or, if containment was asked for, the
        fraction of the shingles of the row's text that the column's text has.
    """

    def __init__(self, table: Table, names: Sequence[Any], similarity: Floats, **more: Any) -> None:
        super().__init__("compare", table, **more)
        self.names, self.similarity = tuple(names), similarity


class CommonPassages(Result):
    """The passages that two texts have in common.

    comparison: how similar they are and where they differ, for a page that has both; None if there is no page.
    """

    comparison: Comparison | None = None


class Comparison(Result):
    """The similarity of two texts, by every measure.

    names: their names.
    every: the measures of their shingles, for each unit and k that was asked for.
    edits, signatures: the other measures, for the first unit and k.
    similarity: the similarity that is compared with the threshold: Jaccard, or the larger containment.
    difference: their difference; None if it was not asked for.
    """

    def __init__(
        self,
        table: Table,
        *,
        names: tuple[Any, Any],
        every: tuple[ShingleMeasures, ...],
        edits: EditMeasures,
        signatures: SignatureMeasures,
        matrix: Floats,
        difference: Difference | None,
        verdict: str,
        **more: Any,
    ) -> None:
        """matrix: their similarity to each other: see SimilarityMatrix. verdict: a sentence on how similar they are."""
        super().__init__("compare", table, **more)
        self.names, self.every, self.edits, self.signatures = names, every, edits, signatures
        self.similarity, self.difference = float(max(matrix[0, 1], matrix[1, 0])), difference
        self._matrix, self._verdict = matrix, verdict

    @property
    def shingles(self) -> ShingleMeasures:
        """The measures of the first unit and k."""
        return self.every[0]

    @property
    def jaccard(self) -> float:
        """The Jaccard similarity, for the first unit and k."""
        return self.shingles.jaccard

    def html(self) -> bytes:
        """Both texts side by side, if the difference was asked for, and the measures, as a page of HTML."""
        page: bytes = FILE_FORMATS["compared.html"].load()(self)
        return page


def matrix_of(result: Comparison | SimilarityMatrix) -> Floats:
    """The similarities of all texts to each other: float64 (N, N)."""
    return result._matrix if isinstance(result, Comparison) else result.similarity


def verdict_of(result: Comparison) -> str:
    """A sentence on how similar two texts are, and whether they are near-duplicates; perhaps with a second line."""
    return result._verdict


def are_unrelated(result: Comparison) -> bool:
    """Whether texts have so little in common that their difference shows nothing but scattered words."""
    found, overlap = result.difference, result.shingles.overlap
    if found is None or overlap is None or overlap >= _LITTLE_CONTAINED:
        return False
    return found.places > _FEW_PLACES and found.shared < _LITTLE_SHARED
