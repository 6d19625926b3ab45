"""What bands will find, in general and among given documents."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from simdocs.model.answers import NAME, NUMBER, SIMILARITY, table_head
from simdocs.model.documents import Documents
from simdocs.model.ragged import Floats, TextNumbers
from simdocs.model.skipped import Skipped
from simdocs.parameters.recipes import Bands, Recipe

_INTERVAL = ("", "_low", "_high")
CHOICES = table_head(
    bands=NUMBER,
    rows=NUMBER,
    num_perm=NUMBER,
    threshold=SIMILARITY,
    probability=SIMILARITY,
    probability_below=SIMILARITY,
    probability_above=SIMILARITY,
    half=SIMILARITY,
    steepest=SIMILARITY,
    bytes=NUMBER,
    **{f"misses{end}": SIMILARITY for end in _INTERVAL},
    **{f"false_candidates{end}": SIMILARITY for end in _INTERVAL},
    chosen=NAME,
)
CURVE = table_head(
    similarity=SIMILARITY,
    probability=SIMILARITY,
    **{f"pairs{end}": SIMILARITY for end in _INTERVAL},
    misses=SIMILARITY,
    false_candidates=SIMILARITY,
)


class Estimate(NamedTuple):
    """An estimated number of pairs, with the ends of its 95% interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class SampledRange:
    """The sample of all pairs whose similarity is in one range.

    least, below: the range, from `least` to below `below`. begin, end: the places of its pairs in the sample. draws:
    the number of pairs that were drawn, those outside the range included. not_drawn: the share of the pairs that could
    be drawn and were not: 0 if all were, and 1 if they were drawn with replacement. largest_weight: the weight to
    expect of a pair at the lower end of the range; more similar ones have less.
    """

    least: float
    below: float
    begin: int
    end: int
    draws: int
    not_drawn: float
    largest_weight: float


@dataclass(frozen=True, eq=False, repr=False)
class PairSample:
    """Pairs of different texts with their exact similarity.

    similarity: (P,). weight: (P,), the number of pairs that each stands for. reachable: (P,), the probability with
    which the pair could be drawn at all, over all hash functions. ranges: ascending, without gaps, from 0 to 1. pairs:
    how many pairs there are in all. random: (R,), the similarities of the pairs that were drawn from all pairs. left,
    right: (P,), the numbers of the texts.
    """

    similarity: Floats
    weight: Floats
    reachable: Floats
    ranges: tuple[SampledRange, ...]
    pairs: int
    random: Floats
    left: TextNumbers
    right: TextNumbers

    def of_all(self, times: float) -> PairSample:
        """The sample as one of so many times as many documents, of which the documents here were drawn at random.

        Both documents of a pair had to be drawn. That counts as a chance of the pair in the variance of a total, as if
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


_CROWD = 100
"""No smaller number of false candidates is a crowd of documents: each may have one by chance."""


@dataclass(frozen=True, slots=True)
class BandChoice:
    """Numbers of bands and rows, and what they do.

    probability: with which a pair at the threshold becomes a candidate at least, for each scheme and size of sets.
    probability_below, probability_above: the same 0.1 below and 0.1 above it. half: the similarity of which the S-curve
    says that half of the pairs are found. steepest: (1/b)^(1/r), about where the curve rises most steeply. bytes: of
    the signature of a document and its places in the bucket tables. misses, false_candidates: the expected numbers of
    pairs at the threshold or above that are no candidates, and of candidates below it; None without two texts. chosen:
    whether these bands would be used.
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
    """A similarity, and the probability with which the chosen bands find a pair of it by the S-curve: 1 - (1 - s^r)^b.

    pairs: how many pairs have this similarity or more, but less than that of the next point. misses, false_candidates:
    as of BandChoice, among these pairs. All are None without two texts.
    """

    similarity: float
    probability: float
    pairs: Estimate | None
    misses: Estimate | None
    false_candidates: Estimate | None


@dataclass(frozen=True, slots=True)
class CorpusFacts:
    """How similar documents are to each other.

    texts: the number of different texts that are not empty, among those that were read. pairs: of all different texts,
    by an estimate if only some were read. compared: how many pairs were compared. similar: how many are similar at the
    threshold or above. typical, unusual: the similarities that half and 99% of all pairs have at most; None without two
    texts that were compared. of_documents: how many documents there are; documents were drawn if it is more than were
    read.
    """

    texts: int
    pairs: int
    compared: int
    similar: Estimate
    typical: float | None
    unusual: float | None
    of_documents: int = 0


@dataclass(frozen=True, slots=True)
class ExamplePair:
    """A pair of documents near a threshold, so that a person can judge whether it is in the right place.

    where: `above`, `at` or `below` the `threshold`. document, other: their names. difference: the first words that
    differ, in short; empty if it is not known.
    """

    where: str
    threshold: float
    document: str
    other: str
    jaccard: float
    difference: str


@dataclass(frozen=True, eq=False, repr=False)
class Tuning:
    """Which bands to choose, and what they will find.

    choices: numbers of bands and rows, by rising rows; one is chosen. curve: the S-curve of the chosen bands, at every
    twentieth. corpus: None without documents. advice: on parameters that do not suit the documents. examples: pairs
    near the threshold of the next call. next: the call that follows the advice; empty without two documents that have
    tokens, or if they cannot be read again. documents: those that were read, if any. skipped: those that could not be
    compared.
    """

    choices: tuple[BandChoice, ...]
    curve: tuple[CurvePoint, ...]
    corpus: CorpusFacts | None
    advice: tuple[str, ...]
    next: str
    recipe: Recipe
    documents: Documents | None
    skipped: Skipped
    examples: tuple[ExamplePair, ...] = ()

    @property
    def chosen(self) -> BandChoice:
        """The bands that would be used."""
        return next(choice for choice in self.choices if choice.chosen)

    @property
    def is_crowded(self) -> bool:
        """Whether there are so many false candidates that they share text, so that one run finds many of them or few.

        Texts that share none have about one candidate each. Of 1,400 tweets of which 500 have one template, 4,500 are
        expected, and eight seeds found 1,000 to 10,100.
        """
        false = self.chosen.false_candidates
        return self.corpus is not None and false is not None and 2 * false.value > max(_CROWD, self.corpus.texts)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What to know before trusting the answer, such as that documents are gone."""
        return tuple(self.skipped.warnings)

    def rows(self) -> Iterator[tuple[float | int | str, ...]]:
        """The choices as rows of numbers (NaN: unknown without two texts); the last is `yes` for the chosen one."""
        for choice in self.choices:
            yield (
                *(choice.bands, choice.rows, choice.num_perm, choice.threshold, choice.probability),
                *(choice.probability_below, choice.probability_above, choice.half, choice.steepest, choice.bytes),
                *_figures(choice.misses),
                *_figures(choice.false_candidates),
                "yes" if choice.chosen else "no",
            )

    def curve_rows(self) -> Iterator[tuple[float, ...]]:
        """The points of the curve as rows of numbers (NaN: unknown without two texts)."""
        for point in self.curve:
            yield (
                *(point.similarity, point.probability),
                *_figures(point.pairs),
                *(math.nan if each is None else each.value for each in (point.misses, point.false_candidates)),
            )

    def __repr__(self) -> str:
        return f"<Tuning: bands={self.chosen.bands}, rows={self.chosen.rows}, threshold={self.chosen.threshold:g}>"


def _figures(estimate: Estimate | None) -> tuple[float, ...]:
    return (math.nan,) * 3 if estimate is None else tuple(estimate)
