"""The recall of the bands, estimated from a sample of documents if an exact join of all does not fit in memory.

All pairs that share a bucket are compared, so the pairs found are known. The missed pairs are estimated: documents are
drawn, and each is compared with all others, which are read again one by one. Documents are drawn in three ways: by the
number of similar ones that were found, to reach large families; by the number that was probably missed, judging by the
signatures, to reach hidden families; and all with one probability, because signatures may mislead. The weight of a pair
depends on how often either of its documents was to be drawn in all three ways together (Hansen and
Hurwitz, On the theory of sampling from finite populations, Annals of Mathematical Statistics 14, 1943; the weights are
those of Veach and Guibas, Optimally combining sampling techniques, SIGGRAPH 1995), so the estimate is unbiased.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from simdocs.errors import UnreachableRecallError
from simdocs.kernels import jaccard
from simdocs.kernels.banding import by_recall, candidate_probabilities
from simdocs.kernels.bucket_sample import agreeing_bands, likely_partners
from simdocs.kernels.pair_totals import total_interval
from simdocs.kernels.prefix_index import prefix_index, similar_candidates
from simdocs.matching.exact_join import token_sets
from simdocs.matching.found_similar import FoundPairs, MeasuredRecall, in_blocks
from simdocs.matching.self_join import SelfJoin
from simdocs.model.ragged import Floats, Index, Ragged, Rows, TextNumbers, Tokens, offsets_of, row_blocks
from simdocs.options.recipes import Bands

_BYTES_AT_ONCE = 1 << 22
"""Bytes of drawn documents that are held at once, and at most as many of the others. At most 1 token a byte."""

_FEWEST_BYTES = 1 << 20
"""The fewest bytes of the others that are held at once, however few documents are drawn."""

_REACHED = 0.999
"""Minimum probability of examining a pair at the threshold, to see how many may have been missed."""

_BELOW = 1.0
"""An estimate this many standard errors below the threshold counts one half: pairs with low estimates are missed."""

_LIKELY = 0.5
"""The least that a missed pair of a family counts on average, judging by its estimate."""

_DRAWS_THAT_MISS = 3.0
"""The expected number of draws from a family that is missed with a probability of 5%: -ln(0.05)."""


def sampled_recall(join: SelfJoin, bands: Bands, draws: int) -> FoundPairs:
    """Count the similar pairs of different texts that these bands find, and estimate the number that they miss.

    join: the self-join of the documents. It must drop no candidate because of its estimate. draws: the number of
    documents to draw for the estimate.
    """
    firsts, numbers = join.distinct_texts()
    signatures = join.verifier.corpus.signatures.all()
    partners, candidates = _found_partners(join.with_bands(bands), firsts, numbers)
    dice = np.random.default_rng(join.verifier.corpus.recipe.shingling.seed)
    likely = None
    if draws < len(firsts):
        likely = _likely_partners(signatures, firsts, bands, join.verifier.threshold, dice)
    drawn = Draws.of(partners, likely, draws, dice)
    places, draw = np.unique(drawn.places, return_inverse=True)
    ends = np.zeros((3, len(places)))
    for left, right, similarity in _similar(join, firsts, places):
        missed = agreeing_bands(signatures, firsts[places[left]], firsts[right], bands) == 0
        weights = drawn.weights(places[left], right)
        of_pairs = np.ones(len(left)), missed, candidate_probabilities(similarity, *bands)
        for figure, each in enumerate(of_pairs):
            ends[figure] += np.bincount(left, weights * each, len(places))
    # The part of each draw in the number of all similar pairs, of missed ones, and of those expected to be found.
    every, contributions, expected = ends[:, draw]
    found, of_missed = int(partners.sum()), float(contributions.sum())
    recall = None
    if found or of_missed:
        low, high = drawn.interval(contributions)
        recall = MeasuredRecall(
            found=found / (found + of_missed),
            predicted=float(expected.sum() / every.sum()) if every.any() else None,
            mean=None,
            low=found / (found + high),
            high=found / (found + low) if found else 0.0,
            seeds=0,
        )
    pairs = found // 2
    missed_pairs = round(of_missed / 2)
    every_pair = pairs + missed_pairs
    return FoundPairs(
        texts=len(firsts),
        pairs=every_pair,
        found=pairs,
        candidates=candidates,
        recall=recall,
        sampled=len(drawn.places),
        missed_family=drawn.largest_missed,
    )


@dataclass(frozen=True, slots=True)
class Draws:
    """Documents that were drawn with replacement.

    places: of these documents
    expected: float64 (N,), how often each document was to be drawn
    largest_missed: the size of the largest family of which no document is drawn with a probability of 5% or more; 0:
        all documents were taken once
    """

    places: TextNumbers
    expected: Floats
    largest_missed: int

    @classmethod
    def of(cls, partners: Index, likely: Floats | None, draws: int, dice: np.random.Generator) -> Draws:
        """Draw documents, or take all if there are no more.

        partners: int64 (N,), the similar documents found for each. likely: float64 (N,), those that were probably
        missed; None if that is unknown.
        """
        size = len(partners)
        if draws >= size:
            return cls(np.arange(size), np.ones(size), 0)
        ways = [
            np.ones(size),
            *(np.asarray(way, np.float64) for way in (likely, partners) if way is not None and way.any()),
        ]
        counts = [len(part) for part in np.array_split(np.arange(draws), len(ways))]
        places, expected = list[TextNumbers](), np.zeros(size)
        for way, count in zip(ways, counts, strict=True):
            ends = np.cumsum(way)
            chances = dice.random(count) * ends[-1]
            places.append(np.minimum(np.searchsorted(ends, chances, side="right"), size - 1))
            expected += count * way / ends[-1]
        of_likely = 0.0
        if likely is not None:
            of_likely = counts[1] / float(likely.sum()) if likely.any() else math.inf
        return cls(np.concatenate(places), expected, _largest_missed(counts[0] / size, of_likely))

    def weights(self, left: TextNumbers, right: TextNumbers) -> Floats:
        """The weight of each pair in a total over both ends of all pairs if the left one is drawn: float64 (P,)."""
        share: Floats = 2 / (self.expected[left] + self.expected[right])
        return share

    def interval(self, contributions: Floats) -> tuple[float, float]:
        """The 95% interval of a total. contributions: float64, the part of its estimate that each draw adds."""
        if not self.largest_missed:
            return float(contributions.sum()), float(contributions.sum())
        of_family = self.largest_missed * (self.largest_missed - 1) / _DRAWS_THAT_MISS
        return total_interval(contributions, max(1 / float(self.expected.min()), of_family))


def _largest_missed(of_each: float, of_likely: float) -> int:
    """The size of the largest family of which no document is drawn with a probability of 5% or more.

    of_each: how often each document is to be drawn. of_likely: how often for each likely partner; of a family of m, m-1
    are likely with a probability of _LIKELY. So m documents are drawn m of_each + m(m-1) _LIKELY of_likely times.
    """
    if math.isinf(of_likely):
        return 2
    square = _LIKELY * of_likely
    linear = of_each - square
    # The positive root, written so that nothing is divided by a square of 0.
    root = 2 * _DRAWS_THAT_MISS / (linear + math.sqrt(linear**2 + 4 * square * _DRAWS_THAT_MISS))
    return max(2, math.floor(root))


def _likely_partners(
    signatures: Tokens, firsts: Rows, bands: Bands, threshold: float, dice: np.random.Generator
) -> Floats | None:
    """The number of similar documents of each that were probably missed, judging by the signatures: float64 (M,).

    None: the signatures are too short to judge.
    """
    places = signatures.shape[1]
    try:
        loose = by_recall(threshold, _REACHED, places)
    except UnreachableRecallError:
        return None
    error = math.sqrt(max(threshold * (1 - threshold), 1 / places) / places)
    estimates = np.arange(places + 1) / places
    weights = _normal((estimates - threshold) / error + _BELOW)
    return likely_partners(signatures, firsts, loose, bands, weights, dice)


def _normal(quantiles: Floats) -> Floats:
    """The distribution function of the normal distribution."""
    return np.array([(1 + math.erf(z / math.sqrt(2))) / 2 for z in quantiles.tolist()])


def _found_partners(join: SelfJoin, firsts: Rows, numbers: TextNumbers) -> tuple[Index, int]:
    """The number of similar documents that share a bucket with each, and the number of pairs that share one."""
    listed, verifier = join.pairs(firsts, numbers)
    partners, candidates = np.zeros(len(firsts), np.int64), 0
    for left, right in in_blocks(listed):
        candidates += len(left)
        similar = verifier.similar(firsts[left], firsts[right])
        for rows in (similar.left, similar.right):
            np.add.at(partners, np.searchsorted(firsts, rows), 1)
        verifier.run.progress("comparing candidates", int(left[-1]) + 1, len(firsts))
    return partners, candidates


def _similar(join: SelfJoin, firsts: Rows, places: TextNumbers) -> Iterator[tuple[Index, TextNumbers, Floats]]:
    """Yield the documents in these places with all others that are similar to them, in blocks.

    A block has numbers among `places`, places of the others, and the similarities. Some of the drawn documents are held
    at a time, and all documents are read for them, of which some are held, too.
    """
    verifier = join.verifier
    sizes = verifier.corpus.facts(firsts)["size"]
    verifier.copy(firsts)
    for begin, end in row_blocks(offsets_of(sizes[places]), _BYTES_AT_ONCE):
        at_once = min(_BYTES_AT_ONCE, max(_FEWEST_BYTES, int(sizes[places[begin:end]].sum())))
        drawn = Ragged.concat([sets for _, sets in token_sets(verifier, firsts[places[begin:end]])], np.uint32)
        for first, stop in row_blocks(offsets_of(sizes), at_once):
            others = [sets for _, sets in token_sets(verifier, firsts[first:stop])]
            both = Ragged.concat([drawn, *others], np.uint32)
            index = prefix_index(both, verifier.threshold)
            for left, right in in_blocks(similar_candidates(index, np.arange(len(drawn)))):
                other = (right >= len(drawn)) & (places[begin + left] != first + right - len(drawn))
                similarity = np.where(other, jaccard.exact(both, left, right), 0.0)
                enough = np.flatnonzero(similarity >= verifier.threshold)
                yield begin + left[enough], first + right[enough] - len(drawn), similarity[enough]
            verifier.run.progress("comparing the sample", begin * len(firsts) + stop, len(places) * len(firsts))
