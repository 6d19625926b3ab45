"""How many of the similar pairs share a bucket: with the signatures as they are, and with other hash functions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simdocs.kernels.compare.clustered_proportion import interval
from simdocs.kernels.group.connectivity import connect
from simdocs.kernels.lsh.banding import candidate_probabilities
from simdocs.kernels.lsh.buckets import band_keys, candidate_pairs, keys_of_band, shared_buckets
from simdocs.kernels.sketch.schemes import scheme_of
from simdocs.kernels.tokens.murmur import fmix32
from simdocs.matching.candidates.exact_join import ExactJoin
from simdocs.matching.candidates.self_join import SelfJoin
from simdocs.model.audited import MeasuredRecall
from simdocs.model.groups import Pairs
from simdocs.model.numbering import TextNumbers
from simdocs.model.ragged import Mask, Ragged, Tokens
from simdocs.recipes import Bands, Sketching

SEEDS = 20
"""Other hash functions with which the recall is measured. With more, the interval is narrower, and it takes longer."""


@dataclass(frozen=True, slots=True)
class FoundPairs:
    """How many texts, similar pairs of texts, those that share a bucket, and pairs that share one. recall: of these.

    sampled: 0; or how many documents were drawn, and the number of similar pairs is an estimate from them.
    """

    texts: int
    pairs: int
    found: int
    candidates: int
    recall: MeasuredRecall | None
    sampled: int = 0


def measured(join: SelfJoin, bands: Bands, sketching: Sketching, most_memory: int | None) -> FoundPairs:
    """What these bands find of the similar pairs of different texts. join: the exact self-join of the documents.

    MemoryNeededError: see ExactJoin.of.
    """
    firsts, _ = join.prepared.documents.distinct_texts(join.lost)
    exact = ExactJoin.of(join.verifier, firsts, most_memory)
    blocks = [exact.verifier.similar(firsts[left], firsts[right]) for left, right in exact.pairs()]
    similar = Pairs.concat([Pairs.empty(), *blocks])
    place = np.full(len(join.prepared.documents), -1)
    place[firsts] = np.arange(len(firsts))
    left, right = place[similar.left], place[similar.right]
    signatures = join.prepared.signatures[firsts]
    found = share_a_bucket(signatures, left, right, bands)
    shared = shared_buckets(
        keys_of_band(signatures, np.arange(len(firsts)), at, bands.rows) for at in range(bands.bands)
    )
    candidates = sum(len(pairs) for pairs, _ in candidate_pairs(shared, len(firsts)))
    recall = None
    if len(similar):
        shares = _other_shares(exact, left, right, bands, sketching)
        predicted = float(candidate_probabilities(similar.jaccard, *bands).mean())
        mean = float(shares.mean())
        families = len(np.unique(connect(np.arange(len(firsts)), left, right)[left]))
        recall = MeasuredRecall(float(found.mean()), predicted, mean, *interval(shares, families), SEEDS)
    return FoundPairs(len(firsts), len(similar), int(found.sum()), candidates, recall)


def share_a_bucket(signatures: Tokens, left: TextNumbers, right: TextNumbers, bands: Bands) -> Mask:
    """Which pairs of these signatures agree in all rows of a band."""
    keys = band_keys(signatures, np.arange(len(signatures)), *bands)
    shared = np.zeros(len(left), bool)
    for key in keys:
        shared |= key[left] == key[right]
    return shared


def _other_shares(
    exact: ExactJoin, left: TextNumbers, right: TextNumbers, bands: Bands, sketching: Sketching
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """The share of these pairs that other hash functions find: float64 (SEEDS,).

    Every token is replaced with another one, by a bijection. So the similarities stay the same, and the hash functions
    of a scheme, which are fixed, act as others do.
    """
    assert exact.verifier.held is not None
    members, places = np.unique(np.concatenate((left, right)), return_inverse=True)
    sets = exact.verifier.held.sets.take(members)
    draw = np.random.default_rng(SEEDS)
    shares = np.zeros(SEEDS)
    for seed in range(SEEDS):
        before, after = draw.integers(0, 1 << 32, 2, dtype=np.uint32)
        tokens = fmix32(fmix32(sets.values ^ before) + after)
        signatures = scheme_of(sketching.scheme).signatures(Ragged(tokens, sets.offsets), sketching.num_perm, seed + 1)
        shares[seed] = share_a_bucket(signatures, places[: len(left)], places[len(left) :], bands).mean()
        exact.verifier.run.progress("auditing", seed + 1, SEEDS)
    return shares
