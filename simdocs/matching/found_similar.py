"""Measured recall: how many similar pairs share a bucket, with the given hash functions and with others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from simdocs.engines.run import Run
from simdocs.kernels.banding import candidate_probabilities
from simdocs.kernels.buckets import band_keys, candidate_pairs, shared_buckets
from simdocs.kernels.grouping import connect
from simdocs.kernels.murmur import fmix32
from simdocs.kernels.pair_totals import interval
from simdocs.kernels.schemes import scheme_of
from simdocs.matching.exact_join import ExactJoin, TokenMemory
from simdocs.matching.self_join import SelfJoin
from simdocs.model.columns import GrowingArray
from simdocs.model.ragged import Keys, Mask, Ragged, Rows, TextNumbers, distinct, row_blocks
from simdocs.options.recipes import Bands, Sketching

SEEDS = 20
"""Other hash functions with which the recall is measured. With more, the interval is narrower, and it takes longer."""

_PAIRS_AT_ONCE = 1 << 14
"""Pairs that are compared at once. Each takes some 300 bytes meanwhile."""

_BYTES_OF_PAIR = 4
"""Bytes that are held for each similar pair: the number of one text."""

_TOKENS_AT_ONCE = 1 << 20
"""Tokens that are signed at once with other hash functions: 4 MiB, and as much for each step of the hashing."""


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


class FoundPairs(NamedTuple):
    """The numbers of similar pairs, and of those that the bands find: the figures of an audit.

    texts: different texts.
    pairs: similar pairs of texts.
    found: similar pairs that share a bucket.
    candidates: all pairs that share a bucket.
    recall: None without similar pairs.
    sampled: documents drawn to estimate the number of pairs; 0: all pairs were compared.
    missed_family: with a sample, the size of the largest family without found pairs that it misses with a probability
        of 5%; else 0.
    """

    texts: int
    pairs: int
    found: int
    candidates: int
    recall: MeasuredRecall | None
    sampled: int = 0
    missed_family: int = 0


def measured(join: SelfJoin, bands: Bands, sketching: Sketching, most_memory: int | None) -> FoundPairs:
    """Compare all documents and count the similar pairs of different texts that these bands find.

    join: the exact self-join of the documents. most_memory: the bytes that this may take beside the documents; None:
    all available memory. MemoryNeededError: the token sets or the similar pairs need more.
    """
    firsts, _ = join.distinct_texts()
    exact = ExactJoin(join.verifier, firsts, most_memory)
    keys = band_keys(join.verifier.corpus.signatures.all(), firsts, *bands)
    pairs = _SimilarPairs.of(exact, firsts, keys, bands, most_memory)
    held, run = exact.verifier.held, exact.verifier.run
    assert held is not None
    del exact  # and with it the prefix index
    candidates = sum(len(left) for left, _ in candidate_pairs(shared_buckets(keys), keys.shape[1]))
    del keys
    recall = None
    if pairs.count:
        shares = _other_shares(pairs, held.sets, bands, sketching, run)
        found, predicted, families = pairs.found / pairs.count, pairs.predicted / pairs.count, pairs.families
        low, high = interval(shares, families)
        recall = MeasuredRecall(found, predicted, float(shares.mean()), low=low, high=high, seeds=SEEDS)
    return FoundPairs(len(firsts), pairs.count, pairs.found, candidates, recall)


@dataclass(frozen=True, slots=True)
class _SimilarPairs:
    """All similar pairs of texts numbered 0, 1, ..., in 4 bytes each, and their counts.

    right: Ragged int32, the later texts that each text is similar to
    found: the number of pairs that share a bucket
    predicted: the number that is expected to share one
    families: the number of groups of texts that the pairs connect
    """

    right: Ragged
    found: int
    predicted: float
    families: int

    @classmethod
    def of(cls, exact: ExactJoin, firsts: Rows, keys: Keys, bands: Bands, most_memory: int | None) -> _SimilarPairs:
        """The similar pairs of the documents in these rows. keys: (bands, M), from `band_keys`.

        MemoryNeededError: they do not fit.
        """
        verifier, place = exact.verifier, np.full(int(firsts.max(initial=-1)) + 1, -1)
        assert verifier.held is not None
        place[firsts] = np.arange(len(firsts))
        memory = TokenMemory(verifier.corpus.facts(firsts), verifier, most_memory)
        rights, counts, labels = GrowingArray(np.int32), np.zeros(len(firsts), np.int64), np.arange(len(firsts))
        found, predicted = 0, 0.0
        for left, right in in_blocks(exact.pairs()):
            similar = verifier.similar(firsts[left], firsts[right])
            ours, theirs = place[similar.left], place[similar.right]
            np.add.at(counts, ours, 1)
            rights.add(theirs)
            labels = connect(labels, ours, theirs)
            found += int(np.count_nonzero(agree_in_a_band(keys, ours, theirs)))
            predicted += float(candidate_probabilities(similar.jaccard, *bands).sum())
            memory.check_beside(len(verifier.held.sets.values), _BYTES_OF_PAIR * len(rights))
            verifier.run.progress("comparing candidates", int(left[-1]) + 1, len(firsts))
        paired = np.zeros(len(firsts), bool)
        paired[rights.all()] = True
        families = len(distinct(labels[paired | (counts > 0)]))
        return cls(Ragged.from_lengths(rights.all(), counts), found, predicted, families)

    @property
    def count(self) -> int:
        """The number of similar pairs."""
        return len(self.right.values)

    def found_by(self, keys: Keys) -> int:
        """The number of similar pairs that share a bucket. keys: (bands, M), from `band_keys`."""
        found, lengths = 0, self.right.lengths
        for begin, end in row_blocks(self.right.offsets, _PAIRS_AT_ONCE):
            left = np.repeat(np.arange(begin, end), lengths[begin:end])
            right = self.right.values[self.right.offsets[begin] : self.right.offsets[end]]
            found += int(np.count_nonzero(agree_in_a_band(keys, left, right)))
        return found


def in_blocks(pairs: Iterator[tuple[TextNumbers, TextNumbers]]) -> Iterator[tuple[TextNumbers, TextNumbers]]:
    """Yield the same pairs, a bounded number at a time, and at least one."""
    for left, right in pairs:
        for at in range(0, len(left), _PAIRS_AT_ONCE):
            yield left[at : at + _PAIRS_AT_ONCE], right[at : at + _PAIRS_AT_ONCE]


def agree_in_a_band(keys: Keys, left: TextNumbers, right: TextNumbers) -> Mask:
    """Which pairs share a bucket. keys: (bands, N), from `band_keys`."""
    shared = np.zeros(len(left), bool)
    for key in keys:
        shared |= key[left] == key[right]
    return shared


def _other_shares(
    pairs: _SimilarPairs, sets: Ragged, bands: Bands, sketching: Sketching, run: Run
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """The share of these pairs that other hash functions find: float64 (SEEDS,). sets: the token set of each text.

    Every token is replaced with another one, by a bijection. So the similarities stay the same, and the fixed hash
    functions of a scheme act like others.
    """
    draw = np.random.default_rng(SEEDS)
    paired = pairs.right.lengths > 0
    paired[pairs.right.values] = True
    shares, sign = np.zeros(SEEDS), scheme_of(sketching.scheme)
    keys = np.zeros((bands.bands, len(sets)), np.uint64)
    for seed in range(SEEDS):
        before, after = draw.integers(0, 1 << 32, 2, dtype=np.uint32)
        for begin, end in row_blocks(sets.offsets, _TOKENS_AT_ONCE):
            rows = begin + np.flatnonzero(paired[begin:end])
            some = sets.take(rows)
            tokens = fmix32(fmix32(some.values ^ before) + after)
            signatures = sign(Ragged(tokens, some.offsets), sketching.num_perm, seed + 1)
            keys[:, rows] = band_keys(signatures, np.arange(len(rows)), *bands)
        shares[seed] = pairs.found_by(keys) / pairs.count
        run.progress("auditing", seed + 1, SEEDS)
    return shares
