"""Lookups in an index: candidates from its bucket tables, of which only the needed blocks are read, and its texts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from simdocs.artifacts.npy import damaged
from simdocs.kernels.buckets import PAIRS_AT_ONCE, band_keys, bucket_bounds, equal_runs
from simdocs.kernels.prefix_index import prefix_index, similar_candidates
from simdocs.matching.corpus import Corpus
from simdocs.matching.exact_join import held_sets
from simdocs.matching.verify import Verifier
from simdocs.model.artifact import BandIndex
from simdocs.model.documents import WITHOUT_TOKENS
from simdocs.model.ragged import Array, BlockPlaces, Index, Keys, Ragged, Rows, Tokens, distinct, ranges

ASKED_AT_ONCE = 1 << 12
"""Queries that are looked up at once."""

_MATCHES_AT_ONCE = 1 << 20
"""Matches, with all copies, that are held in memory at once: some 100 MiB with their names."""


def index_of(indexed: Corpus) -> BandIndex:
    """The index whose documents these are."""
    assert indexed.index is not None
    return indexed.index


def keys_for(index: BandIndex, signatures: Tokens, rows: Rows) -> Keys:
    """The band keys of these rows of signatures, for the bands of the index: (B, len(rows)) uint64."""
    return band_keys(signatures, rows, *index.recipe.banding.cut)


def bounds(index: BandIndex, keys: Keys) -> tuple[Index, Index]:
    """The beginning and the end of the bucket of each key (B, Q) in the flattened tables: two arrays (B, Q)."""
    return bucket_bounds(keys, index["band_keys"].shape[1], index["band_keys"].at)


def candidates(index: BandIndex, signatures: Tokens, rows: Rows) -> Iterator[tuple[Rows, BlockPlaces, Rows]]:
    """Yield the candidates of these rows of signatures, some rows at a time, in order.

    Each item has the rows, and distinct pairs, ascending, of a place among these rows and a row of the index that
    shares a bucket.
    """
    size = index.n_documents
    copies = np.bincount(index["same_as"].all(), minlength=size)
    for at in range(0, len(rows), ASKED_AT_ONCE):
        part = rows[at : at + ASKED_AT_ONCE]
        begins, ends = bounds(index, keys_for(index, signatures, part))
        counts = ends - begins
        # A block has about PAIRS_AT_ONCE pairs, or one document.
        block = np.cumsum(counts.sum(axis=0)) // PAIRS_AT_ONCE
        for number in distinct(block).tolist():
            here = np.flatnonzero(block == number)
            found = owners_at(index, ranges(begins[:, here].ravel(), counts[:, here].ravel()))
            places = np.repeat(np.tile(np.arange(len(here)), len(begins)), counts[:, here].ravel())
            pairs = distinct(places * size + found)
            yield from cut_by_matches(part[here], pairs // size, pairs % size, copies)


def owners_at(index: BandIndex, places: Index) -> Rows:
    """The rows that the bucket tables have at these places: each is the first document of its text.

    ArtifactError: a row is not, so its copies could not be found.
    """
    found = index["band_rows"].at(places).astype(np.int64)
    if (index["same_as"].all()[found] != found).any():
        raise damaged(f"{index.name}/band_rows.npy", "holds a document that is not the first one with its text")
    return found


def cut_by_matches(
    rows: Rows, left: BlockPlaces, right: Rows, copies: Index
) -> Iterator[tuple[Rows, BlockPlaces, Rows]]:
    """Yield the same pairs in parts of about _MATCHES_AT_ONCE matches, with all copies of the texts on the right.

    A part with a single document may have more. copies: the number of documents with the text of each row of the index.
    """
    block = np.cumsum(np.bincount(left, copies[right], len(rows))) // _MATCHES_AT_ONCE
    starts = np.flatnonzero(np.append(True, block[1:] != block[:-1])[: len(block)])
    for start, stop in pairwise(np.append(starts, len(rows)).tolist()):
        low, high = np.searchsorted(left, (start, stop))
        yield rows[start:stop], left[low:high] - start, right[low:high]


def copies_of(same_as: Array, firsts: Rows) -> tuple[BlockPlaces, Rows]:
    """All documents with the texts of these first documents: the place of each among firsts, and its row.

    They ascend by both. firsts: ascending.
    """
    rows = np.flatnonzero(np.isin(same_as, firsts))
    place = np.searchsorted(firsts, same_as[rows])
    order = np.argsort(place, kind="stable")
    return place[order], rows[order]


@dataclass(frozen=True, slots=True, eq=False)
class IndexTexts:
    """The distinct texts of an index, in row order of their first documents.

    A copy is lost if it is missing or has changed. A document without copies is not lost until it is read.

    copies: the rows of each text, ascending.
    """

    copies: Ragged

    @classmethod
    def of(cls, indexed: Corpus, verifier: Verifier | None = None, firsts: Rows | None = None) -> IndexTexts:
        """The texts of the documents of an index that have tokens.

        verifier: for these documents, to leave out lost copies; None: all copies. firsts: only these texts, by the
        first document that the index has of each; None: all.
        """
        same_as = index_of(indexed)["same_as"].all()
        rows = np.flatnonzero((indexed.all_facts()["flags"] & WITHOUT_TOKENS) == 0)
        if firsts is not None:
            rows = rows[np.isin(same_as[rows], firsts)]
        if verifier is not None:
            rows = rows[~verifier.lost_copies(rows, same_as[rows])]
        rows = rows[np.argsort(same_as[rows], kind="stable")]
        return cls(Ragged.from_lengths(rows, equal_runs(same_as[rows])[1]))

    @property
    def firsts(self) -> Rows:
        """The first copy of each text."""
        return self.copies.values[self.copies.offsets[:-1]]


def every_candidate(
    verifier: Verifier, asked: Corpus, rows: Rows, most_memory: int | None
) -> Iterator[tuple[Rows, BlockPlaces, Rows]]:
    """Yield the candidates of these queries like `candidates`, by an exact join with the texts of the index.

    verifier: for the documents of the index. MemoryNeededError: see `held_sets`.
    """
    same_as = index_of(verifier.corpus)["same_as"].all()
    firsts = IndexTexts.of(verifier.corpus, verifier).firsts
    copies = np.bincount(same_as, minlength=len(same_as))
    # The queries come first, so that only their pairs with later sets are listed.
    sets = held_sets([(verifier.for_corpus(asked), rows), (verifier, firsts)], most_memory)
    for left, right in similar_candidates(prefix_index(sets, verifier.threshold), np.arange(len(rows))):
        across = right >= len(rows)
        if across.any():
            some, place = np.unique(left[across], return_inverse=True)
            yield from cut_by_matches(rows[some], place, same_as[firsts[right[across] - len(rows)]], copies)
