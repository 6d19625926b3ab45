"""Candidates for containment from the sketch of an index. Only the places of the table that are needed are read."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simdocs.artifacts.npy import damaged
from simdocs.kernels.join.prefix_index import smallest_part
from simdocs.kernels.lsh.bucket_search import bucket_bounds
from simdocs.kernels.sketch.fracminhash import least_hits, sketches
from simdocs.model.artifact import BandIndex
from simdocs.model.numbering import BlockPlaces, Rows
from simdocs.model.ragged import Index, Mask, Ragged, offsets_of, ranges, row_blocks

_HITS_AT_ONCE = 1 << 20
"""Entries of the sketch that are looked at together: about 50 MiB."""


@dataclass(frozen=True, slots=True, eq=False)
class SketchCandidates:
    """Pairs of a set that was asked about and a document that may contain it.

    places: of the sets, ascending. firsts: the rows in the index, each the first with its text. undecided: (N,) the
    sets about which the sketch tells nothing, because too few of their tokens are below its cut-off.
    """

    places: BlockPlaces
    firsts: Rows
    undecided: Mask

    def have(self, places: BlockPlaces, firsts: Rows) -> Mask:
        """Whether each of these pairs is a candidate: bool (P,)."""
        size = 1 + max(self.firsts.max(initial=0), firsts.max(initial=0))
        found: Mask = np.isin(places * size + firsts, self.places * size + self.firsts)
        return found


def sketch_candidates(index: BandIndex, sets: Ragged, threshold: float, recall: float) -> SketchCandidates:
    """The documents of an index that may contain these sets: Ragged uint32, each row ascending, without repeats.

    A document that contains a set at the threshold is among them with a probability of at least `recall`, unless the
    set is undecided.
    """
    below = sketches(sets)
    least = least_hits(sets.lengths, below.lengths, smallest_part(sets.lengths, threshold), recall)
    decided = np.flatnonzero(least > 0)
    below = below.take(decided)
    tokens, place = np.unique(below.values, return_inverse=True)
    begins, ends = (
        each[0] for each in bucket_bounds(tokens[np.newaxis], len(index["sketch_tokens"]), index["sketch_tokens"].at)
    )
    begins, sizes = begins[place], (ends - begins)[place]
    owner = np.repeat(np.arange(len(below)), below.lengths)
    found = [(np.empty(0, np.int64), np.empty(0, np.int64))]
    # The entries of a set are together. A set with very many of them is counted by itself.
    hits = offsets_of(np.bincount(owner, sizes, len(below)).astype(np.int64))
    for first, end in row_blocks(hits, _HITS_AT_ONCE):
        cut = slice(below.offsets[first], below.offsets[end])
        if hits[end] - hits[first] > _HITS_AT_ONCE:
            counts = _counts_of_one(index, begins[cut], sizes[cut])
            rows = np.flatnonzero(counts >= least[decided[first]])
            found.append((np.full(len(rows), decided[first]), rows))
            continue
        rows = _owners(index, ranges(begins[cut], sizes[cut]))
        pairs, counts = np.unique(np.repeat(owner[cut], sizes[cut]) * index.n_documents + rows, return_counts=True)
        places, rows = np.divmod(pairs, max(index.n_documents, 1))
        enough = counts >= least[decided[places]]
        found.append((decided[places[enough]], rows[enough]))
    places, rows = (np.concatenate(side) for side in zip(*found, strict=True))
    return SketchCandidates(places, rows, least == 0)


def _counts_of_one(index: BandIndex, begins: Index, sizes: Index) -> Index:
    """In how many of these runs of entries each document of the index is: int64 (N,)."""
    counts = np.zeros(index.n_documents, np.int64)
    for first, end in row_blocks(offsets_of(sizes), _HITS_AT_ONCE):
        rows = _owners(index, ranges(begins[first:end], sizes[first:end]))
        counts += np.bincount(rows, minlength=index.n_documents)
    return counts


def _owners(index: BandIndex, places: Index) -> Rows:
    """The rows at these places of the sketch. ArtifactError: one is not the first document with its text."""
    found: Rows = index["sketch_rows"].at(places).astype(np.int64)
    if (index["same_as"].all()[found] != found).any():
        raise damaged(f"{index.name}/sketch_rows.npy", "holds a document that is not the first one with its text")
    return found
