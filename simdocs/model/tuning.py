"""The result of tune: what bands will find, in general and among given documents."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, NamedTuple

from simdocs.model.ragged import Floats, TextNumbers
from simdocs.model.result import Result, Table
from simdocs.options.file_formats import FILE_FORMATS
from simdocs.options.recipes import Bands


class Estimate(NamedTuple):
    """An estimated number of pairs, with the ends of its 95% interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class SampledRange:
    """The sample of all pairs whose similarity is in one range.

    least, below: the range, from `least` to below `below`.
    begin, end: its pairs are those from begin to end - 1 of the sample.
    draws: the number of pairs that were drawn, including those outside the range.
    not_drawn: the fraction of the pairs that could be drawn and were not: 0 if all were, 1 if they were drawn with
        replacement.
    largest_weight: the weight to expect of a pair at the lower end of the range; more similar ones have less.
    """

    least: float
    below: float
    begin: int
    end: int
    draws: int
    _: KW_ONLY
    not_drawn: float
    largest_weight: float


@dataclass(frozen=True, eq=False, repr=False)
class PairSample:
    """P pairs of different texts with their exact similarity, as a sample of all pairs.

    similarity: float64 (P,), the exact similarities.
    weight: float64 (P,), the number of pairs that each pair stands for.
    reachable: float64 (P,), the probability that the pair could be drawn at all, over all hash functions.
    ranges: the ranges of similarities, ascending, without gaps, from 0 to 1.
    pairs: the number of all pairs.
    random: float64 (R,), the similarities of the pairs that were drawn from all pairs.
    left, right: int64 (P,), the numbers of the texts.
    """

    similarity: Floats
    weight: Floats
    reachable: Floats
    ranges: tuple[SampledRange, ...]
    pairs: int
    _: KW_ONLY
    random: Floats
    left: TextNumbers
    right: TextNumbers

    def of_all(self, times: float) -> PairSample:
        """The same sample, as one of `times` times as many documents, from which these documents were drawn at random.

        Both documents of a pair had to be drawn. In the variance of a total this counts as a chance of the pair, as if
        pairs were drawn independently of each other.
        """
        if times == 1:
            return self
        square = times**2
        ranges = (replace(each, not_drawn=1.0, largest_weight=each.largest_weight * square) for each in self.ranges)
        return replace(
            self,
            weight=self.weight * square,
            reachable=self.reachable / square,
            ranges=tuple(ranges),
            pairs=round(self.pairs * square),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class BandChoice:
    """Numbers of bands and rows, and what they find.

    probability: the least probability, for any scheme and size of sets, that a pair at the threshold is a candidate.
    probability_below, probability_above: the same 0.1 below the threshold and 0.1 above it.
    half: the similarity at which the S-curve says that half of the pairs are found.
    steepest: (1/b)^(1/r), about where the curve rises most steeply.
    bytes: the size of a document's signature and of its places in the bucket tables.
    misses: the expected number of pairs at the threshold or above that are no candidates; None without two texts.
    false_candidates: the expected number of candidates below the threshold; None without two texts.
    chosen: whether these bands would be used.
    """

    bands: int
    rows: int
    num_perm: int
    threshold: float
    probability: float
    probability_below: float
    probability_above: float
    half: float
    steepest: float
    bytes: int
    misses: Estimate | None
    false_candidates: Estimate | None
    chosen: bool

    @property
    def cut(self) -> Bands:
        """The bands and rows."""
        return Bands(self.bands, self.rows)


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """A point of the S-curve.

    similarity: the similarity s.
    probability: the probability 1 - (1 - s^r)^b that the chosen bands find a pair of this similarity.
    pairs: the number of pairs with this similarity or more, and less than that of the next point.
    misses, false_candidates: the same as of BandChoice, among these pairs. These three are None without two texts.
    """

    similarity: float
    probability: float
    pairs: Estimate | None
    misses: Estimate | None
    false_candidates: Estimate | None


@dataclass(frozen=True, slots=True)
class CorpusFacts:
    """How similar documents are to each other.

    texts: the number of different texts that were read and are not empty.
    pairs: the number of pairs of all different texts, estimated if only some were read.
    compared: the number of pairs that were compared.
    similar: the number of pairs at the threshold or above.
    typical, unusual: the similarities that half and 99% of all pairs have at most; None if no two texts were compared.
    of_documents: the number of documents. If fewer were read, those were drawn at random.
    """

    texts: int
    pairs: int
    compared: int
    similar: Estimate
    _: KW_ONLY
    typical: float | None
    unusual: float | None
    of_documents: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ExamplePair:
    """A pair of documents near a threshold, so that a person can judge whether it is in the right place.

    where: `above`, `at` or `below` the threshold.
    document, other: their names.
    jaccard: their exact similarity.
    difference: the first words that differ, in short; empty if they are not known.
    """

    where: str
    threshold: float
    document: str
    other: str
    jaccard: float
    difference: str


class Tuning(Result):
    """Which bands to choose, and what they will find.

    choices: numbers of bands and rows, by rising rows; one of them is chosen.
    curve: the points of the S-curve of the chosen bands, at every twentieth.
    corpus: how similar the documents are to each other; None without documents.
    next: the call that follows the advice; empty if fewer than two documents have tokens, or if they cannot be read
        again.
    examples: pairs near the threshold of the next call.
    """

    def __init__(
        self,
        table: Table,
        *,
        choices: tuple[BandChoice, ...],
        curve: tuple[CurvePoint, ...],
        corpus: CorpusFacts | None,
        following: str,
        examples: tuple[ExamplePair, ...],
        **more: Any,
    ) -> None:
        super().__init__("tune", table, **more)
        self.choices, self.curve, self.corpus, self.next, self.examples = choices, curve, corpus, following, examples

    @property
    def chosen(self) -> BandChoice:
        """The bands that would be used."""
        return next(choice for choice in self.choices if choice.chosen)

    def svg(self) -> bytes:
        """The S-curve, and below it how similar the documents are, as an image in SVG."""
        image: bytes = FILE_FORMATS["curve.svg"].load()(self)
        return image
