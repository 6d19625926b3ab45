"""The third stage, index: from signatures to buckets; and the number of candidates to expect from them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from simdocs.engines.engine import in_threads
from simdocs.kernels import banding, buckets, fracminhash, jaccard
from simdocs.kernels.buckets import agreeing_bands, pairs_of_band
from simdocs.model.artifact import Artifact, BandIndex
from simdocs.model.documents import Documents
from simdocs.model.ragged import NO_TOKENS, Floats, Index, Keys, Ragged, Rows, TextNumbers, Tokens
from simdocs.options.recipes import Bands, IndexRecipe

_DRAWN = 1 << 13
"""Pairs that are drawn from the buckets of all bands, to find out how many buckets a pair shares. A pair shares from 1
to b buckets, so the standard error of the number of candidates is at most sqrt(b / 4 / _DRAWN) of it: 2.3% for 18."""

MANY_CANDIDATES = 100
"""With more candidates for each document than this, a longer signature is advised."""

CURVE = tuple(tenth / 10 for tenth in range(1, 11))
"""The similarities at which the S-curve is stated."""


def band_tables(signatures: Tokens, firsts: Rows, bands: Bands, threads: int = 1) -> Iterator[tuple[Keys, Tokens]]:
    """Yield the keys and the rows of the bucket tables, for one band after the other: (1, M) each.

    firsts: (M,), the first document of each distinct text.
    threads: make so many tables at a time.
    """

    def table(band: int) -> tuple[Keys, Tokens]:
        keys = buckets.keys_of_band(signatures, firsts, band, bands.rows)
        return buckets.bucket_tables(keys[np.newaxis], firsts)

    yield from in_threads(table, range(bands.bands), threads)


def same_as(firsts: Rows, texts: TextNumbers) -> Tokens:
    """The row of the first document with the same text; an empty document's own row. texts: (N,)."""
    rows = np.arange(len(texts), dtype=np.uint32)
    rows[texts >= 0] = firsts[texts[texts >= 0]]
    return rows


def stored_sketch(
    sketches: Ragged, documents: Documents, firsts: Rows, earlier: Artifact | None
) -> tuple[Tokens, Tokens]:
    """The two columns of the sketch in an index: uint32 (S,).

    sketches: of all documents; empty for those that are taken over from `earlier`.
    firsts: the first document of each distinct text. Only these are in the sketch.
    """
    old_tokens, old_rows = NO_TOKENS, np.empty(0, np.int64)
    if documents.earlier is None or not isinstance(earlier, BandIndex):
        return fracminhash.sketch_table(sketches.take(firsts), firsts, old_tokens, old_rows)
    taken_from = documents.earlier[firsts]
    taken = np.flatnonzero(taken_from >= 0)
    old_tokens, old_rows = _taken_over(earlier, taken_from[taken], firsts[taken])
    return fracminhash.sketch_table(sketches.take(firsts), firsts, old_tokens, old_rows)


def _taken_over(earlier: BandIndex, then: Rows, now: Rows) -> tuple[Tokens, Index]:
    """The entries of an earlier sketch for its rows `then`, with the rows `now` in place of these.

    Two documents with different texts but equal token sets may be taken over from one.
    """
    firsts = earlier["same_as"].all()[then]
    order = np.argsort(firsts, kind="stable")
    become = Ragged.from_lengths(now[order], np.bincount(firsts, minlength=earlier.n_documents))
    rows = become.take(earlier["sketch_rows"].all())
    return np.repeat(earlier["sketch_tokens"].all(), rows.lengths), rows.values


class Expectation(NamedTuple):
    """The pairs that bands are expected to find.

    curve: pairs of a similarity, at every tenth, and the least probability that a pair of it becomes a candidate.
    at_threshold: the least probability at the threshold.
    candidates: the mean number of other texts that share a bucket with a text, counted in the buckets.
    better_num_perm: if those are many, a signature length that is expected to have fewer; 0 if there is none.
    better_candidates: the number of candidates to expect with that length.
    sketched: the number of tokens in the containment sketch; None if there is none.
    """

    curve: tuple[tuple[float, float], ...]
    at_threshold: float
    candidates: float
    better_num_perm: int = 0
    better_candidates: float = 0.0
    sketched: int | None = None


class BucketCounter:
    """Counts the candidate pairs in bucket tables, one band after the other.

    A pair that shares m buckets is in the pairs of m bands, and must be counted once. So the pairs in the buckets of
    each band are counted, and some are drawn to find their m.
    """

    def __init__(self, recipe: IndexRecipe) -> None:
        self.recipe = recipe
        self._random = np.random.Generator(np.random.PCG64(recipe.shingling.seed))
        self._drawn: list[tuple[Index, Index, Floats]] = []

    def add(self, keys: Keys, rows: Index) -> None:
        """Count the pairs in the table of the next band. keys: (M,), ascending. rows: (M,)."""
        self._drawn.append(pairs_of_band(keys, rows, -(-_DRAWN // self.recipe.banding.bands), self._random))

    def expectation(self, signatures: Callable[[Index], Tokens], texts: int) -> Expectation:
        """The probability that the bands find a pair, by similarity, and the number of candidates for each text.

        signatures: returns the signatures of given rows. texts: the number of different texts.
        """
        banding_, num_perm = self.recipe.banding, self.recipe.sketching.num_perm
        bands, rows = banding_.cut
        curve = tuple((s, banding.least_probability(s, bands, rows)) for s in CURVE)
        at_threshold = banding.least_probability(banding_.threshold, bands, rows)
        left, right, weight = (np.concatenate(each) for each in zip(*self._drawn, strict=True))
        if not len(left):
            return Expectation(curve, at_threshold, 0.0)
        members, places = np.unique(np.concatenate((left, right)), return_inverse=True)
        of_members, lefts, rights = signatures(members), places[: len(left)], places[len(left) :]
        shared = np.maximum(agreeing_bands(of_members, lefts, rights, banding_.cut), 1)
        candidates = 2 * float((weight / shared).sum()) / texts
        if candidates <= MANY_CANDIDATES:
            return Expectation(curve, at_threshold, candidates)
        # The band in which a pair was drawn agrees for sure. So its similarity is that of its other places.
        agree = jaccard.estimates(of_members, lefts, rights) * num_perm
        similar = np.clip((agree - rows) / max(1, num_perm - rows), _LEAST_SIMILAR, 1.0)
        better = banding.longer_signature(
            banding_.threshold,
            banding_.recall,
            num_perm,
            lambda cut: 2 * float((weight * _found_instead(similar, banding_.cut, cut)).sum()) / texts,
            MANY_CANDIDATES,
        )
        longer, fewer = better or (0, 0.0)
        return Expectation(curve, at_threshold, candidates, better_num_perm=longer, better_candidates=fewer)


_LEAST_SIMILAR = 1e-3


def _found_instead(similar: Floats, bands: Bands, others: Bands) -> Floats:
    """The expected number of candidates of other bands for each pair drawn from the buckets of these bands.

    A pair of similarity s is expected in b s^r buckets of b bands of r rows, and can be drawn in each.
    """
    expected_buckets = np.log(bands.bands) + bands.rows * np.log(similar)
    with np.errstate(divide="ignore"):  # the logarithm of a probability of 0
        found = np.log(-np.expm1(others.bands * np.log1p(-np.minimum(similar**others.rows, 1 - 1e-16))))
    ratio: Floats = np.exp(found - expected_buckets)
    return ratio


def expected_of(index: Artifact) -> Expectation:
    """The probability that the bands of an index find a pair, by similarity, and the number of its candidates."""
    assert isinstance(index.recipe, IndexRecipe)
    counter = BucketCounter(index.recipe)
    tables, owners = index["band_keys"], index["band_rows"]
    for band in range(index.recipe.banding.bands):
        counter.add(tables.cut(band, band + 1)[0], owners.cut(band, band + 1)[0])
        tables.release()
        owners.release()
    return counter.expectation(index["signatures"].rows, tables.shape[1])
