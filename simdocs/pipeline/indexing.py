"""The third stage, index: from signatures to buckets, and a forecast of what the bands will find."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from simdocs.errors import UnreachableRecallError, mention
from simdocs.kernels.compare import jaccard
from simdocs.kernels.lsh import banding, buckets
from simdocs.kernels.lsh.merged_tables import merged_band
from simdocs.model.artifact import BandIndex
from simdocs.model.build_results import Expectation
from simdocs.model.documents import Documents
from simdocs.model.numbering import Rows, TextNumbers
from simdocs.model.ragged import Array, Floats, Index, Keys, Mask, Tokens
from simdocs.recipes import Banding, BandingRequest, Bands, IndexRecipe

SAMPLED = 10_000
"""Pairs of documents from which the number of candidates is estimated."""

MANY_CANDIDATES = 100
"""With more candidates for each document than this, a longer signature is advised."""

CURVE = tuple(tenth / 10 for tenth in range(1, 11))
"""The similarities at which the S-curve is stated."""


def band_tables(
    signatures: Tokens, firsts: Rows, bands: Bands, earlier: EarlierTables | None = None
) -> Iterator[tuple[Keys, Tokens]]:
    """Yield the keys and the rows of the bucket tables, for one band after the other: (1, M) each.

    firsts: (M,), the first document of each distinct text. earlier: tables with the same bands, of most of them.
    """
    if earlier is not None:
        new = firsts[~earlier.has(firsts)]
        for band in range(bands.bands):
            then = earlier.index["band_keys"].cut(band, band + 1)[0], earlier.index["band_rows"].cut(band, band + 1)[0]
            keys = buckets.keys_of_band(signatures, new, band, bands.rows)
            merged_keys, rows = merged_band(*then, earlier.new_row, keys, new)
            yield merged_keys[np.newaxis], rows[np.newaxis]
            earlier.index["band_keys"].release()
            earlier.index["band_rows"].release()
        return
    for band in range(bands.bands):
        keys = buckets.keys_of_band(signatures, firsts, band, bands.rows)
        yield buckets.bucket_tables(keys[np.newaxis], firsts)


@dataclass(frozen=True, slots=True)
class EarlierTables:
    """The tables of an index of mostly the same documents. new_row: for each of its rows the row now, or -1."""

    index: BandIndex
    new_row: Array

    def has(self, rows: Rows) -> Mask:
        """Whether each of these rows, which ascend, is in the tables."""
        there = np.append(self.new_row[self.new_row >= 0], -1)
        found: Mask = there[np.searchsorted(there[:-1], rows)] == rows
        return found

    @classmethod
    def of(cls, index: BandIndex, documents: Documents, firsts: Rows, bands: Bands) -> EarlierTables | None:
        """The tables of an earlier index, if they have these bands, and if its documents kept their order."""
        taken_from = documents.earlier
        if taken_from is None or index.recipe.banding.cut != bands or not len(firsts):
            return None
        in_tables = np.zeros(index.n_documents + 1, bool)  # the last place stands for -1, also in an empty index
        in_tables[index["band_rows"].cut(0, 1)[0]] = True
        old_rows = taken_from[firsts]
        still = np.flatnonzero(in_tables[old_rows])
        if (np.diff(old_rows[still]) <= 0).any():
            return None
        new_row = np.full(index.n_documents, -1, np.int32)  # half as large, it is looked up twice as fast
        new_row[old_rows[still]] = firsts[still]
        return cls(index, new_row)


def same_as(firsts: Rows, texts: TextNumbers) -> Tokens:
    """The row of the first document with the same text; an empty document's own row. texts: (N,)."""
    rows = np.arange(len(texts), dtype=np.uint32)
    rows[texts >= 0] = firsts[texts[texts >= 0]]
    return rows


def expected_of(documents: Documents, signatures: Callable[[Index], Tokens], recipe: IndexRecipe) -> Expectation:
    """What the bands of an index of these documents will find. signatures: returns the signatures of given rows."""
    firsts, _ = documents.distinct_texts()
    return expectation(signatures, firsts, recipe.banding, recipe.shingling.seed)


def chosen_by(chosen: Banding, num_perm: int) -> str:
    """How the bands were chosen: the name of the rule, or `by hand` if the rule would choose other bands."""
    try:
        by_rule = banding.choose(BandingRequest(chosen.threshold, chosen.recall, chosen.rule), num_perm)
    except UnreachableRecallError:
        return "by hand"
    return chosen.rule if by_rule == chosen.cut else "by hand"


def low_recall(chosen: Banding, num_perm: int) -> Iterator[str]:
    """Yield a warning if bands that were not chosen for a recall find fewer pairs at the threshold than the recall."""
    found = banding.least_probability(chosen.threshold, *chosen.cut)
    if found < chosen.recall and chosen_by(chosen, num_perm) != "recall":
        bands, rows = "band" if chosen.bands == 1 else "bands", "row" if chosen.rows == 1 else "rows"
        find = "finds" if chosen.bands == 1 else "find"
        yield (
            f"{chosen.bands} {bands} of {chosen.rows} {rows} {find} a pair at {chosen.threshold:g} with probability"
            f" {found:.4f}, less than the recall of {chosen.recall:g}: leave out {mention('bands')}, {mention('rows')}"
            f" and {mention('rule')} to reach it"
        )


def expectation(signatures: Callable[[Index], Tokens], firsts: Array, chosen: Banding, seed: int) -> Expectation:
    """What an index with these bands will find. signatures: returns the signatures of given rows."""
    bands, rows = chosen.cut
    similar = _sampled(signatures, firsts, seed)
    others = max(0, len(firsts) - 1)
    curve = tuple((s, banding.least_probability(s, bands, rows)) for s in CURVE)
    at_threshold = banding.least_probability(chosen.threshold, bands, rows)
    candidates = _candidates(similar, others, bands, rows)
    if candidates <= MANY_CANDIDATES:
        return Expectation(curve, at_threshold, candidates)
    better = banding.longer_signature(
        chosen.threshold,
        chosen.recall,
        bands * rows,
        lambda cut: _candidates(similar, others, *cut),
        MANY_CANDIDATES,
    )
    return Expectation(curve, at_threshold, candidates, *(better or (0, 0.0)))


def _sampled(signatures: Callable[[Index], Tokens], firsts: Array, seed: int) -> Floats:
    """Estimated similarities of SAMPLED random pairs of distinct texts, or of all pairs if there are fewer."""
    size = len(firsts)
    if size * (size - 1) // 2 <= SAMPLED:
        left, right = np.triu_indices(size, 1)
    else:
        random = np.random.Generator(np.random.PCG64(seed))
        left = random.integers(0, size, SAMPLED)
        right = (left + random.integers(1, size, SAMPLED)) % size
    rows, places = np.unique(firsts[np.concatenate((left, right))], return_inverse=True)
    return jaccard.estimates(signatures(rows), places[: len(left)], places[len(left) :])


def _candidates(similar: Floats, others: int, bands: int, rows: int) -> float:
    if not len(similar):
        return 0.0
    return float(np.mean(1 - (1 - similar**rows) ** bands)) * others
