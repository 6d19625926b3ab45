"""Lookups without an index of bands: all documents of the index are read, and no candidate is missed."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from simdocs.kernels.join.prefix_candidates import similar_candidates
from simdocs.kernels.join.prefix_index import prefix_index
from simdocs.matching.documents.corpus import Corpus
from simdocs.matching.lookup.index_texts import IndexTexts
from simdocs.matching.lookup.lookup import cut_by_matches
from simdocs.matching.verification.token_memory import held_sets
from simdocs.matching.verification.verify import Verifier
from simdocs.model.artifact import BandIndex
from simdocs.model.numbering import BlockPlaces, Rows


def every_candidate(
    index: BandIndex, indexed: Corpus, verifier: Verifier, asked: Corpus, rows: Rows, most_memory: int | None
) -> Iterator[tuple[Rows, BlockPlaces, Rows]]:
    """Yield the candidates of these rows of `asked`, by an exact join with the texts of the index: as `candidates`.

    verifier: that of `indexed`, the documents of the index. MemoryNeededError: see `held_sets`.
    """
    same_as = index["same_as"].all()
    firsts = IndexTexts.of(index, indexed, verifier).firsts
    copies = np.bincount(same_as, minlength=len(same_as))
    # Those asked about come first, so that only their pairs with later sets are listed.
    sets = held_sets([(verifier.for_corpus(asked), rows), (verifier, firsts)], most_memory)
    for left, right in similar_candidates(prefix_index(sets, verifier.threshold), np.arange(len(rows))):
        across = right >= len(rows)
        if across.any():
            some, place = np.unique(left[across], return_inverse=True)
            yield from cut_by_matches(rows[some], place, same_as[firsts[right[across] - len(rows)]], copies)
