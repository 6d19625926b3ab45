"""The results of compare: two texts, and several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from simdocs.model.passages import Difference
from simdocs.model.ragged import Floats
from simdocs.model.result import Result, Table
from simdocs.options.file_formats import FILE_FORMATS


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
        page: bytes = FILE_FORMATS["compared.html"].load()(self)
        return page
