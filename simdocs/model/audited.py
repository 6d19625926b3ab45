"""The result of audit: how many similar pairs the bands find."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from simdocs.model.documents import Documents
from simdocs.model.skipped import Skipped
from simdocs.parameters.recipes import IndexRecipe


@dataclass(frozen=True, slots=True)
class MeasuredRecall:
    """Which fraction of the similar pairs shares a bucket.

    found: that with the signatures as they are. predicted: the mean probability of these pairs; None if the sample has
    none of them. mean: the mean over `seeds` other hash functions; None without any. low, high: the 95% interval: of
    what `mean` is expected to be, or, without other hash functions, of `found`, which was estimated from a sample.
    """

    found: float
    predicted: float | None
    mean: float | None
    low: float
    high: float
    seeds: int


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Audit:
    """How many of the similar pairs of documents the bands find.

    documents: those that were read. texts: how many different ones there are. pairs: how many pairs of different texts
    are similar; found: how many of these share a bucket. candidates: how many pairs of different texts share a bucket.
    recall: None if there are no similar pairs. stated: the recall that was asked for. skipped: documents
    that could not be compared. sampled: 0; or how many documents were drawn, and `pairs` is an estimate from them.
    missed_family: 0; or the size of the largest family of similar documents without a found pair of which such a sample
    has none with a probability of 5%.
    """

    documents: Documents
    recipe: IndexRecipe
    texts: int
    pairs: int
    found: int
    candidates: int
    recall: MeasuredRecall | None
    stated: float
    skipped: Skipped
    sampled: int = 0
    missed_family: int = 0

    advice: tuple[str, ...] = ()

    @property
    def precision(self) -> float | None:
        """The fraction of the candidate pairs that is similar; None if there are no candidates."""
        return self.found / self.candidates if self.candidates else None

    @property
    def is_below(self) -> bool:
        """Whether the recall is certainly below what is stated: the interval ends below it."""
        return self.recall is not None and self.recall.high < self.stated

    @property
    def has_drawn_all(self) -> bool:
        """Whether a sample has every text, so that nothing is estimated."""
        return self.sampled > 0 and not self.missed_family

    @property
    def warnings(self) -> tuple[str, ...]:
        """What to know before trusting the answer, such as that documents are gone."""
        return tuple(self.skipped.warnings)

    def rows(self) -> Iterator[tuple[str, float | None]]:
        """The facts, as keys and values. None: it is not defined."""
        recall, banding = self.recall, self.recipe.banding
        interval = (None, None) if recall is None else (recall.low, recall.high)
        of_mean, of_found = ((None, None), interval) if self.sampled else (interval, (None, None))
        yield "documents", len(self.documents)
        yield "distinct_texts", self.texts
        yield "threshold", float(banding.threshold)
        yield "bands", banding.bands
        yield "rows", banding.rows
        yield "similar_pairs", self.pairs
        yield "found", self.found
        yield "missed", self.pairs - self.found
        yield "recall", None if recall is None else recall.found
        yield "stated_recall", float(self.stated)
        yield "predicted_recall", None if recall is None else recall.predicted
        yield "seeds", 0 if recall is None else recall.seeds
        yield "mean_recall", None if recall is None else recall.mean
        yield "mean_recall_low", of_mean[0]
        yield "mean_recall_high", of_mean[1]
        yield "candidates", self.candidates
        yield "precision", self.precision
        yield "sampled", self.sampled
        yield "recall_low", of_found[0]
        yield "recall_high", of_found[1]
        yield "missed_family", self.missed_family if self.sampled else None

    def __repr__(self) -> str:
        return f"<Audit: {self.found} of {self.pairs} similar pairs found>"
