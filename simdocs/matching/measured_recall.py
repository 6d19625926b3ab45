"""Measured recall: how many of the similar pairs share a bucket, from an exact join of all texts or of a sample.

And pairs drawn at random, more of them where signatures look alike, with their exact similarities.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from simdocs.kernels import jaccard
from simdocs.kernels.buckets import agreeing_bands
from simdocs.kernels.grouping import connect
from simdocs.kernels.prefix_index import prefix_index, similar_candidates
from simdocs.matching.candidates import ExactJoin, token_sets
from simdocs.matching.groups import SelfJoin
from simdocs.matching.verify import Verifier
from simdocs.model.figures import STEPS
from simdocs.model.ragged import Floats, Index, Ragged, Rows, TextNumbers, offsets_of, row_blocks
from simdocs.options.recipes import Bands

_BYTES_AT_ONCE = 1 << 22
"""Bytes of drawn documents that are held at once, and at most as many of the others. At most 1 token a byte."""

_FEWEST_BYTES = 1 << 20
"""The fewest bytes of the others that are held at once, however few documents are drawn."""

_Z = 1.96
"""Standard errors on either side of the middle of a 95% interval of the normal distribution."""


class MeasuredRecall(NamedTuple):
    """The similar pairs, and those of them that the bands find.

    texts: different texts.
    sampled: how many of them were drawn and compared with all others; 0: all pairs were compared.
    pairs: similar pairs of texts, of which at least one was drawn.
    found: those that share a bucket.
    cases: how many independent pairs say as much. It is the number of families, if all have as many pairs.
    """

    texts: int
    sampled: int
    pairs: int
    found: int
    cases: float

    @property
    def recall(self) -> float | None:
        """The fraction of the similar pairs that was found; None without similar pairs."""
        return self.found / self.pairs if self.pairs else None

    def interval(self) -> tuple[float, float] | None:
        """The 95% interval of the recall to expect; None without similar pairs.

        It is that of Wilson, Probable inference, the law of succession, and statistical inference (JASA 22, 1927), for
        the number of independent cases.
        """
        share, cases = self.recall, self.cases
        if share is None:
            return None
        middle = share + _Z**2 / (2 * cases)
        away = _Z * math.sqrt(share * (1 - share) / cases + _Z**2 / (4 * cases**2))
        low, high = ((middle + side * away) / (1 + _Z**2 / cases) for side in (-1, 1))
        return min(max(low, 0.0), share), max(min(high, 1.0), share)


def measured_recall(join: SelfJoin, bands: Bands, sample: int | None, most_memory: int | None) -> MeasuredRecall:
    """Compare all documents exactly, or as many as are drawn with all, and count the similar pairs that bands find.

    join: the self-join of the documents. It must drop no candidate because of its estimate. sample: how many documents
    to draw; None: all documents are compared in memory. most_memory: the bytes that this may take beside the documents;
    None: all available memory. MemoryNeededError: the token sets need more.
    """
    firsts, _ = join.distinct_texts()
    sampled = 0 if sample is None else min(sample, len(firsts))
    if sample is None:
        exact = ExactJoin(join.verifier, firsts, most_memory)
        found = _similar(exact.verifier, firsts, exact.pairs())
    else:
        dice = np.random.default_rng(join.verifier.corpus.recipe.shingling.seed)
        places = np.sort(dice.choice(len(firsts), sampled, replace=False))
        found = _similar_to_some(join.verifier, firsts, places)
    signatures = join.verifier.corpus.signatures.all()
    labels, counts, hits = np.arange(len(firsts)), np.zeros(len(firsts)), 0
    for left, right in found:
        hits += int(np.count_nonzero(agreeing_bands(signatures, firsts[left], firsts[right], bands)))
        labels = connect(labels, left, right)
        np.add.at(counts, left, 1)
    # Pairs of one family are found or missed together, so each family counts as one case, by its weight (Kish, 1965).
    of_family = np.bincount(labels, counts)
    pairs = int(of_family.sum())
    cases = pairs**2 / float(np.square(of_family).sum()) if pairs else 0.0
    return MeasuredRecall(len(firsts), sampled, pairs, hits, cases)


def _similar(
    verifier: Verifier, firsts: Rows, candidates: Iterator[tuple[TextNumbers, TextNumbers]]
) -> Iterator[tuple[TextNumbers, TextNumbers]]:
    """Yield those of these candidate pairs of texts that are similar."""
    for left, right in candidates:
        similar = verifier.similar(firsts[left], firsts[right])
        yield np.searchsorted(firsts, similar.left), np.searchsorted(firsts, similar.right)
        verifier.run.progress("comparing candidates", int(left[-1]) + 1, len(firsts))


def _similar_to_some(
    verifier: Verifier, firsts: Rows, places: TextNumbers
) -> Iterator[tuple[TextNumbers, TextNumbers]]:
    """Yield the texts in these places, which ascend, with all others that are similar to them: each pair once.

    Some of the drawn documents are held at a time, and all documents are read for them, of which some are held, too.
    """
    sizes, drawn_before = verifier.corpus.facts(firsts)["size"], np.zeros(len(firsts), bool)
    verifier.copy(firsts)
    for begin, end in row_blocks(offsets_of(sizes[places]), _BYTES_AT_ONCE):
        some = places[begin:end]
        at_once = min(_BYTES_AT_ONCE, max(_FEWEST_BYTES, int(sizes[some].sum())))
        drawn = Ragged.concat([sets for _, sets in token_sets(verifier, firsts[some])], np.uint32)
        among = np.zeros(len(firsts), bool)
        among[some] = True
        for first, stop in row_blocks(offsets_of(sizes), at_once):
            others = [sets for _, sets in token_sets(verifier, firsts[first:stop])]
            both = Ragged.concat([drawn, *others], np.uint32)
            index = prefix_index(both, verifier.threshold)
            for left, right in similar_candidates(index, np.arange(len(drawn))):
                across = np.flatnonzero(right >= len(drawn))
                ours, theirs = some[left[across]], first + right[across] - len(drawn)
                # Two drawn documents meet from both sides.
                once = ~drawn_before[theirs] & (~among[theirs] | (ours < theirs))
                similarity = jaccard.exact(both, left[across[once]], right[across[once]])
                enough = similarity >= verifier.threshold
                yield ours[once][enough], theirs[once][enough]
            verifier.run.progress("comparing the sample", begin * len(firsts) + stop, len(places) * len(firsts))
        drawn_before |= among


_STEPS_AT = np.arange(STEPS + 1) / STEPS

_SIGNATURES = 10_000_000
"""Pairs whose signatures are compared, about: all pairs of 4,500 documents, or 500 of 20,000 documents with all."""

_COMPARED = 1000
"""Pairs of each twentieth of the estimates that are compared exactly."""


def twentieths(similarity: Floats) -> Index:
    """The number of whole twentieths in each similarity, from 0 to 20."""
    return np.searchsorted(_STEPS_AT, similarity, side="right") - 1


@dataclass(frozen=True, slots=True, eq=False)
class PairSample:
    """Pairs of documents with different texts, as a sample of all pairs.

    left, right: int64 (P,), their rows.
    similarity: float64 (P,), the exact similarities.
    weight: float64 (P,), the number of pairs that each stands for.
    """

    left: Rows
    right: Rows
    similarity: Floats
    weight: Floats

    @property
    def counts(self) -> Floats:
        """The estimated number of pairs in each twentieth: float64 (21,)."""
        counts: Floats = np.bincount(twentieths(self.similarity), self.weight, STEPS + 1).astype(np.float64)
        return counts


def sample_pairs(verifier: Verifier, firsts: Rows, seed: int, times: float) -> PairSample:
    """A sample of all pairs of these documents, which have different texts. The same documents give the same sample.

    Some documents are drawn, and their signatures are compared with all. Of the pairs whose estimates are in the same
    twentieth, all are compared exactly, or as many as there is time for, so all totals are unbiased. Pairs of documents
    that are missing are left out. times: how many times as many documents there are as those from which these are.
    """
    size, run, dice = len(firsts), verifier.run, np.random.default_rng(seed)
    signatures = verifier.corpus.signature_rows(firsts)
    drawn = dice.permutation(size)[: -(-_SIGNATURES // max(size, 1))]
    # The twentieth of each pair of a drawn document, from 1; 0: it is no pair, or one that was met before.
    steps = np.zeros((len(drawn), size), np.uint8)
    rest = np.ones(size, bool)
    for place, text in enumerate(drawn.tolist()):
        rest[text] = False
        others = np.flatnonzero(rest)
        estimated = jaccard.estimates(signatures, np.full(len(others), text), others)
        steps[place, others] = 1 + (estimated * STEPS).astype(np.uint8)
        run.progress("sampling pairs", place + 1, len(drawn))
    counts = sum((np.bincount(row, minlength=STEPS + 2) for row in steps), np.zeros(STEPS + 2, np.int64))
    chances = np.minimum(1.0, _COMPARED / np.maximum(counts, 1))
    chances[0] = 0.0
    lefts, rights, chance = [np.empty(0, np.int64)], [np.empty(0, np.int64)], [np.empty(0)]
    for text, row in zip(drawn.tolist(), steps, strict=True):
        rights.append(np.flatnonzero(dice.random(size) < chances[row]))
        lefts.append(np.full(len(rights[-1]), text))
        chance.append(chances[row[rights[-1]]])
    left, right = np.concatenate(lefts), np.concatenate(rights)
    similarity = verifier.exact_jaccard(firsts[left], firsts[right])
    known = np.flatnonzero(~np.isnan(similarity))
    # A pair was met if one of its documents was drawn.
    left_out = size - len(drawn)
    met = 1 - left_out * (left_out - 1) / max(1, size * (size - 1))
    left, right = np.sort((left[known], right[known]), axis=0)
    return PairSample(firsts[left], firsts[right], similarity[known], times**2 / (met * np.concatenate(chance)[known]))
