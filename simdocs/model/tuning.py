"""The result of tune: what bands will find, in general and among given documents."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import KW_ONLY, asdict, dataclass, replace
from typing import Any, NamedTuple

from simdocs.model.answers import NAME, NUMBER, SIMILARITY, Block, Look, Tabular, table_head
from simdocs.model.documents import Documents
from simdocs.model.figures import counted, found_by, with_interval
from simdocs.model.ragged import Floats, TextNumbers
from simdocs.model.run_result import LooksLike, RunResult
from simdocs.model.skipped import Skipped
from simdocs.options.families import TUNE_LISTS
from simdocs.options.file_formats import FILE_FORMATS
from simdocs.options.recipes import Bands, Recipe

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


_CROWD = 100
"""No smaller number of false candidates is a crowd of documents: each may have one by chance."""


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


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Tuning(RunResult, Tabular[tuple[float | int | str, ...]]):
    """Which bands to choose, and what they will find.

    choices: numbers of bands and rows, by rising rows; one of them is chosen.
    curve: the points of the S-curve of the chosen bands, at every twentieth.
    corpus: how similar the documents are to each other; None without documents.
    advice: lines about parameters that do not suit the documents.
    next: the call that follows the advice; empty if fewer than two documents have tokens, or if they cannot be read
        again.
    recipe: the parameters in force.
    documents: the documents that were read; None without documents.
    skipped: the documents that could not be compared.
    examples: pairs near the threshold of the next call.
    looks_like: see LooksLike.
    """

    VIEW = "simdocs.views.curve:drawn_choices"
    SUMMARY_LAST = True
    LISTINGS = tuple(TUNE_LISTS)
    COMMAND = "tune"

    choices: tuple[BandChoice, ...]
    curve: tuple[CurvePoint, ...]
    corpus: CorpusFacts | None
    advice: tuple[str, ...]
    next: str
    recipe: Recipe
    documents: Documents | None
    skipped: Skipped
    examples: tuple[ExamplePair, ...] = ()
    looks_like: LooksLike = ()

    @property
    def chosen(self) -> BandChoice:
        """The bands that would be used."""
        return next(choice for choice in self.choices if choice.chosen)

    @property
    def is_crowded(self) -> bool:
        """Whether false candidates are so many that they must share text, so that runs find very different numbers.

        Texts that share none have about one candidate each. Of 1,400 tweets of which 500 have one template, 4,500 are
        expected, and eight seeds found 1,000 to 10,100.
        """
        false = self.chosen.false_candidates
        return self.corpus is not None and false is not None and 2 * false.value > max(_CROWD, self.corpus.texts)

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

    def blocks(self, look: Look) -> Iterator[Block]:
        """Yield the choices, or the curve, if that is listed."""
        yield Block(CURVE, list(self.curve_rows())) if look.listing == "curve" else Block(CHOICES, list(self.rows()))

    def lines(self, seconds: float, *, verbose: bool = False) -> Iterator[str]:  # noqa: ARG002
        """Yield the lines of the summary."""
        chosen, corpus = self.chosen, self.corpus
        bands = found_by(chosen.bands, chosen.rows, chosen.threshold, chosen.probability)
        if corpus is None or self.documents is None:
            yield bands
            yield from self.advice
            return
        drawn = f", drawn at random from {corpus.of_documents:,}" if corpus.of_documents > len(self.documents) else ""
        yield f"{self._read()}{drawn}; {counted(corpus.texts, 'different text')}"
        yield bands
        if not corpus.compared:
            yield self._no_pair("distribution of similarities")
        if corpus.typical is not None and corpus.unusual is not None:
            yield (
                f"half of the pairs have a similarity {_or_less(corpus.typical)}, and 99% {_or_less(corpus.unusual)};"
                f" pairs compared: {corpus.compared:,} of {corpus.pairs:,}"
            )
        if chosen.misses is not None and chosen.false_candidates is not None:
            one_run = "one run may have twice as many" if self.is_crowded else "one run may differ"
            yield (
                f"pairs of different texts at {chosen.threshold:g} or above: {_about(corpus.similar, whole=True)};"
                f" expected ({one_run}): missed: {_about(chosen.misses)}, false candidates:"
                f" {_about(chosen.false_candidates)}"
            )
        yield from self.advice
        for pair in self.examples:
            difference = f": {pair.difference}" if pair.difference else ""
            yield f"{pair.where} {pair.threshold:g}: {pair.jaccard:.3f} {pair.document} {pair.other}{difference}"

    @property
    def notes(self) -> tuple[str, ...]:
        """The command that comes next, which people want to know who do not see the summary, too."""
        return (f"next: {self.next}",) if self.next else ()

    def summary(self, seconds: float | None = None) -> dict[str, Any]:
        """The summary as values that JSON has."""
        facts: dict[str, Any] = {"documents": 0} if self.documents is None else self._facts_of_documents()
        facts["skipped"] = self.skipped.counts
        of_choice = asdict(self.chosen)
        facts["bytes_a_document"] = of_choice.pop("bytes")  # `bytes` are those of the documents, as everywhere
        facts |= {name: value for name, value in of_choice.items() if name != "chosen"}
        if self.corpus is not None:
            facts |= asdict(self.corpus)
        facts |= {"parameters": self.recipe.as_dict(), "seconds": seconds, "looks_like": dict(self.looks_like)}
        return facts | {"advice": list(self.advice), "next": self.next}

    def svg(self) -> bytes:
        """The S-curve, and below it how similar the documents are, as an image in SVG."""
        image: bytes = FILE_FORMATS["curve.svg"].load()(self)
        return image

    def __repr__(self) -> str:
        return f"<Tuning: bands={self.chosen.bands}, rows={self.chosen.rows}, threshold={self.chosen.threshold:g}>"


def _figures(estimate: Estimate | None) -> tuple[float, ...]:
    return (math.nan,) * 3 if estimate is None else tuple(estimate)


_LEAST_SHOWN = 0.0001
"""The smallest similarity that four digits show."""


def _or_less(similarity: float) -> str:
    """A bound of similarities. One that has no digits but zeros is given as the smallest that has others."""
    return f"below {_LEAST_SHOWN}" if similarity < _LEAST_SHOWN / 2 else f"of {similarity:.4f} or less"


def _about(estimate: Estimate, *, whole: bool = False) -> str:
    """An estimated number with its 95% interval, unless the ends of the interval look like the number."""
    value, interval = with_interval(estimate, whole=whole)
    return f"about {value} {interval}" if interval else value
