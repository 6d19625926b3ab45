"""How many similar pairs the bands find, where an exact join of all documents does not fit: from a sample of documents.

All pairs that share a bucket are compared, so what the bands find is known. What they miss is estimated: documents are
drawn, and each is compared with all others, which are read again one after the other. Half of the draws take a document
of which similar ones were found, with a probability proportional to their number, so that large families are met; the
other half take any other document. A draw with replacement and its probability give an unbiased estimate of the total:
Hansen and Hurwitz, On the theory of sampling from finite populations (Annals of Mathematical Statistics 14, 1943).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from simdocs.kernels.compare import jaccard
from simdocs.kernels.compare.sampled_total import total_interval
from simdocs.kernels.join.prefix_candidates import similar_candidates
from simdocs.kernels.join.prefix_index import prefix_index
from simdocs.kernels.lsh.banding import candidate_probabilities
from simdocs.matching.candidates.self_join import SelfJoin
from simdocs.matching.sampling.found_similar import FoundPairs, share_a_bucket
from simdocs.matching.verification.token_sets import token_sets
from simdocs.model.audited import MeasuredRecall
from simdocs.model.numbering import Rows, TextNumbers
from simdocs.model.ragged import Floats, Index, Ragged, offsets_of, row_blocks
from simdocs.recipes import Bands

_BYTES_AT_ONCE = 1 << 23
"""Text of documents that are held at once: of those drawn, and as much of the others. At most 1 token a byte."""


def sampled_recall(join: SelfJoin, bands: Bands, draws: int) -> FoundPairs:
    """What these bands find of the similar pairs of different texts, and what they miss, estimated from so many draws.

    join: the self-join of the documents. It must drop no candidate because of its estimate.
    """
    firsts, numbers = join.prepared.documents.distinct_texts(join.lost)
    partners, candidates = _found_partners(replace(join, bands=bands), firsts, numbers)
    drawn = Draws.of(partners, draws, np.random.default_rng(join.verifier.shingling.seed))
    places, draw = np.unique(drawn.places, return_inverse=True)
    left, right, similarity = _similar(join, firsts, places)
    missed = ~share_a_bucket(join.prepared.signatures[firsts], places[left], right, bands)
    weights = ends(partners[places[left]], partners[right])

    def of_draws(of_pairs: Floats) -> Floats:
        """What each draw contributes to the total of a figure that each pair has."""
        total: Floats = drawn.scale * np.bincount(left, weights * of_pairs, len(places))[draw]
        return total

    contributions = of_draws(missed.astype(np.float64))
    found, of_missed = int(partners.sum()), float(contributions.sum())
    recall = None
    if found or of_missed:
        low, high = drawn.interval(contributions)
        every = float(of_draws(np.ones(len(left))).sum())
        expected = float(of_draws(candidate_probabilities(similarity, *bands)).sum())
        recall = MeasuredRecall(
            found / (found + of_missed),
            expected / every if every else None,
            None,
            found / (found + high),
            found / (found + low) if found else 0.0,
            seeds=0,
        )
    pairs = found // 2
    missed_pairs = round(of_missed / 2)
    return FoundPairs(len(firsts), pairs + missed_pairs, pairs, candidates, recall, len(drawn.places))


@dataclass(frozen=True, slots=True)
class Draws:
    """Documents that were drawn with replacement: their places, and for how many documents each draw stands, float64.

    largest_scale: for how many documents with one partner or none a draw stands. 0: all documents were taken once.
    """

    places: TextNumbers
    scale: Floats
    largest_scale: float

    @classmethod
    def of(cls, partners: Index, draws: int, dice: np.random.Generator) -> Draws:
        """Draw documents, or take all if there are no more. partners: int64 (N,), how many were found of each."""
        if draws >= len(partners):
            return cls(np.arange(len(partners)), np.ones(len(partners)), 0.0)
        some, others = np.flatnonzero(partners), np.flatnonzero(partners == 0)
        of_some = 0 if not len(some) else draws if not len(others) else (draws + 1) // 2
        of_others = draws - of_some if len(others) else 0
        every = np.cumsum(partners[some])
        by_partner = some[np.searchsorted(every, dice.integers(0, max(int(partners.sum()), 1), of_some), side="right")]
        at_random = others[dice.integers(0, max(len(others), 1), of_others)]
        scales = int(partners.sum()) / max(of_some, 1), len(others) / max(of_others, 1)
        scale = np.concatenate((scales[0] / partners[by_partner], np.full(of_others, scales[1])))
        return cls(np.concatenate((by_partner, at_random)), scale, max(scales))

    def interval(self, contributions: Floats) -> tuple[float, float]:
        """The 95% interval of a total. contributions: float64, what each draw adds to its estimate."""
        if not self.largest_scale:
            return float(contributions.sum()), float(contributions.sum())
        return total_interval(contributions, self.largest_scale)


def ends(left: Index, right: Index) -> Index:
    """How many ends of a pair count where it is met from the left. left, right: partners that were found of each.

    Both, if only the left one has partners: it is drawn more often. So the right one does not count where it is drawn.
    """
    both: Index = np.where(left > 0, np.where(right > 0, 1, 2), np.where(right > 0, 0, 1))
    return both


def _found_partners(join: SelfJoin, firsts: Rows, numbers: TextNumbers) -> tuple[Index, int]:
    """How many similar documents of each share a bucket with it, and how many pairs share one."""
    listed, verifier = join.pairs(firsts, numbers)
    partners, candidates = np.zeros(len(firsts), np.int64), 0
    for left, right in listed:
        candidates += len(left)
        similar = verifier.similar(firsts[left], firsts[right])
        for rows in (similar.left, similar.right):
            np.add.at(partners, np.searchsorted(firsts, rows), 1)
        if len(left):
            verifier.run.progress("comparing candidates", int(left[-1]) + 1, len(firsts))
    return partners, candidates


def _similar(join: SelfJoin, firsts: Rows, places: TextNumbers) -> tuple[Index, TextNumbers, Floats]:
    """The documents in these places with all others that are similar to them.

    Numbers among `places`, places of the others, and the similarities. Some of the drawn documents are held at a time,
    and all documents are read for them, of which some are held, too.
    """
    verifier = join.verifier
    found: list[tuple[Index, TextNumbers, Floats]] = [(*np.empty((2, 0), np.int64), np.empty(0))]
    sizes = join.prepared.corpus.facts(firsts)["size"]
    for begin, end in row_blocks(offsets_of(sizes[places]), _BYTES_AT_ONCE):
        drawn = Ragged.concat([sets for _, sets in token_sets(verifier, firsts[places[begin:end]])], np.uint32)
        for first, stop in row_blocks(offsets_of(sizes), _BYTES_AT_ONCE):
            others = [sets for _, sets in token_sets(verifier, firsts[first:stop])]
            both = Ragged.concat([drawn, *others], np.uint32)
            candidates = similar_candidates(prefix_index(both, verifier.threshold), np.arange(len(drawn)))
            for lefts, rights in candidates:
                other = (rights >= len(drawn)) & (places[begin + lefts] != first + rights - len(drawn))
                left, right = lefts[other], rights[other]
                similarity = jaccard.exact(both, left, right)
                enough = similarity >= verifier.threshold
                found.append((begin + left[enough], first + right[enough] - len(drawn), similarity[enough]))
            verifier.run.progress("comparing the sample", begin * len(firsts) + stop, len(places) * len(firsts))
    left, right, similarity = (np.concatenate(each) for each in zip(*found, strict=True))
    return left, right, similarity
