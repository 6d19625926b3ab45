"""A sample of pairs of documents, from which totals over all pairs are estimated."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

from simdocs.model.numbering import TextNumbers
from simdocs.model.ragged import Floats


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
