"""The result of audit: how many similar pairs the bands find."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

from simdocs.model.answers import FACTS, KEYED, NAME, Block, Look, Tabular
from simdocs.model.documents import Documents
from simdocs.model.figures import counted, cut_in_words, shown_probability
from simdocs.model.run_result import LooksLike, RunResult
from simdocs.model.skipped import Skipped
from simdocs.options.recipes import IndexRecipe

MEANINGS: Mapping[str, str] = MappingProxyType(
    {
        "documents": "documents that were read",
        "distinct_texts": "different texts among them",
        "threshold": "near-duplicates reach this similarity",
        "bands": "bands of a signature",
        "rows": "rows of a band",
        "similar_pairs": "pairs of texts at the threshold or above",
        "found": "similar pairs that share a bucket",
        "missed": "similar pairs that share none",
        "recall": "found / similar_pairs",
        "stated_recall": "smallest recall that was asked for",
        "predicted_recall": "mean probability of these pairs to be found",
        "seeds": "other hash functions that were tried",
        "mean_recall": "mean recall with these",
        "mean_recall_low": "95% interval of the recall to expect: from",
        "mean_recall_high": "95% interval of the recall to expect: to",
        "candidates": "pairs of texts that share a bucket",
        "precision": "found / candidates",
        "sampled": "documents drawn to estimate; 0: all compared",
        "recall_low": "95% interval of recall in a sample: from",
        "recall_high": "95% interval of recall in a sample: to",
        "missed_family": "largest family that the sample may overlook (5% chance)",
    }
)
"""The meaning of each key, in a few words."""

_ESTIMATED = frozenset({"similar_pairs", "missed"})
"""Counts that a sample estimates. The others are exact."""


class MeasuredRecall(NamedTuple):
    """The fraction of the similar pairs that share a bucket.

    found: the fraction with the signatures as they are.
    predicted: the mean probability that these pairs are found; None if the sample has no such pair.
    mean: the mean fraction with `seeds` other hash functions; None if seeds is 0.
    low, high: the 95% interval of the expected fraction; for a sample, of `found`, which is estimated then.
    seeds: the number of other hash functions.
    """

    found: float
    predicted: float | None
    mean: float | None
    low: float
    high: float
    seeds: int


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Audit(RunResult, Tabular[tuple[str, float | None]]):
    """The number of similar pairs of documents, and of those that the bands find.

    documents: the documents that were read.
    recipe: the parameters in force.
    texts: the number of different texts.
    pairs: the number of similar pairs of different texts.
    found: the number of similar pairs that share a bucket.
    candidates: the number of pairs of different texts that share a bucket.
    recall: the fraction that was found; None if there are no similar pairs.
    stated: the recall that was asked for.
    skipped: the documents that could not be compared.
    sampled: the number of documents that were drawn, from which `pairs` is estimated; 0 if all were compared.
    missed_family: for a sample, the size of the largest family of similar documents without a found pair of which such
        a sample has no document with a probability of 5%; else 0.
    advice: lines about what may suit the documents better.
    looks_like: see LooksLike.
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
    looks_like: LooksLike = ()
    advice: tuple[str, ...] = ()

    @property
    def precision(self) -> float | None:
        """The fraction of the candidate pairs that is similar; None if there are no candidates."""
        return self.found / self.candidates if self.candidates else None

    @property
    def is_below(self) -> bool:
        """Whether the recall is certainly below the stated one: its interval ends below."""
        return self.recall is not None and self.recall.high < self.stated

    @property
    def has_drawn_all(self) -> bool:
        """Whether a sample has every text, so that nothing is estimated."""
        return self.sampled > 0 and not self.missed_family

    @property
    def is_found(self) -> bool:
        """Whether too few of the similar pairs were found."""
        return self.is_below

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

    def blocks(self, look: Look) -> Iterator[Block]:
        """Yield the facts; for people, without empty values, and with estimates marked as such."""
        rows = list[tuple[float | str | None, ...]]()
        for key, value in self.rows():
            if value is None and look.for_people:
                continue
            about = look.for_people and self.sampled and not self.has_drawn_all and key in _ESTIMATED
            meaning = "all texts were compared" if key == "sampled" and self.has_drawn_all else MEANINGS[key]
            shown = f"about {value:.0f}" if about else value
            rows.append((key, shown, meaning) if look.explained else (key, shown))
        yield Block(FACTS.but(KEYED, meaning=NAME) if look.explained else FACTS, list(rows))

    def summary(self, seconds: float | None = None) -> dict[str, Any]:
        """The summary as values that JSON has."""
        return {
            "documents": len(self.documents),
            "distinct_texts": self.texts,
            "threshold": self.recipe.banding.threshold,
            "bands": self.recipe.banding.bands,
            "rows": self.recipe.banding.rows,
            "similar_pairs": self.pairs,
            "found": self.found,
            "candidates": self.candidates,
            "precision": self.precision,
            "stated_recall": self.stated,
            "sampled": self.sampled,
            "recall": None if self.recall is None else self.recall._asdict(),
            "skipped": dict(self.skipped.counts),
            "warnings": list(self.skipped.every_warning),
            "seconds": seconds,
            "looks_like": dict(self.looks_like),
            "advice": list(self.advice),
        }

    def lines(self, seconds: float, *, verbose: bool = False) -> Iterator[str]:  # noqa: ARG002
        """Yield the lines of the summary."""
        yield f"{self._read()}; {counted(self.texts, 'different text')}"
        if self.texts < 2:
            yield self._no_pair("recall to measure")
        elif self.recall is None:
            where = " in the sample" if self.sampled else ""
            threshold = self.recipe.banding.threshold
            yield f"no pair{where} is similar at {threshold:g}, so there is no recall to measure"
        elif self.sampled:
            yield from self._lines_of_sample(self.recall)
        else:
            yield from self._lines_of_all(self.recall)

    @property
    def _stated(self) -> str:
        return f"stated: {self.stated:g} or more"

    @property
    def _missed(self) -> str:
        """A phrase that the recall is not reached; empty if it may be."""
        return f"the recall asked for, {self.stated:g}, is not reached: " if self.is_below else ""

    def _lines_of_sample(self, recall: MeasuredRecall) -> Iterator[str]:
        cut, missing = self.recipe.banding.cut, self.pairs - self.found
        found, low, high = map(shown_probability, (recall.found, recall.low, recall.high))
        predicted = "" if recall.predicted is None else f" predicted: {shown_probability(recall.predicted)};"
        yield (
            f"{counted(self.found, 'similar pair')} found by {cut_in_words(cut.bands, cut.rows)};"
            f" {counted(self.candidates, 'candidate')}"
        )
        if self.has_drawn_all:
            yield (
                f"the sample has all {counted(self.texts, 'text')}, and {missing:,} missed pairs:"
                f" {self._missed}{found};{predicted} {self._stated}"
            )
            return
        yield (
            f"from a sample of {self.sampled:,}, about {missing:,} missed:"
            f" {self._missed}{found} ({low} to {high});{predicted} {self._stated}"
        )
        if self.missed_family:
            yield (
                f"with a probability of 5% such a sample misses a family of {self.missed_family:,} similar documents"
                " of which the bands find no pair"
            )

    def _lines_of_all(self, recall: MeasuredRecall) -> Iterator[str]:
        assert recall.mean is not None
        assert recall.predicted is not None
        cut = self.recipe.banding.cut
        found, low, high = map(shown_probability, (recall.found, recall.low, recall.high))
        mean, predicted = map(shown_probability, (recall.mean, recall.predicted))
        yield (
            f"{counted(self.pairs, 'similar pair')}, {self.found:,} found by {cut_in_words(cut.bands, cut.rows)}"
            f" ({found}); {counted(self.candidates, 'candidate')}"
        )
        if self.pairs == self.found and recall.mean == 1:
            # The interval only says how few pairs there are, and its lower end may be below what is stated.
            yield (
                f"all similar pairs were found with each of {recall.seeds} other hash functions, too"
                f" (predicted: {predicted}; {self._stated})"
            )
        elif self._missed:
            yield f"{self._missed}{mean} on average with {recall.seeds} other hash functions ({low} to {high} expected)"
        else:
            yield (
                f"with {recall.seeds} other hash functions: {mean} on average ({low} to {high} expected);"
                f" predicted: {predicted}; {self._stated}"
            )

    def __repr__(self) -> str:
        return f"<Audit: {self.found} of {self.pairs} similar pairs found>"
