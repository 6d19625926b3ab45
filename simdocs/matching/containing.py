"""Documents of an index that contain the queries.

Signatures do not show containment. So candidates come from the sketch of the index, or all documents are read again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from simdocs.kernels.buckets import bucket_bounds
from simdocs.kernels.containment import Parts, containers
from simdocs.kernels.fracminhash import least_hits, sketches
from simdocs.kernels.jaccard import containments, of_overlaps
from simdocs.kernels.prefix_index import smallest_part
from simdocs.matching.candidates import token_sets
from simdocs.matching.lookup import OF_EXACT, Lookup, MatchBlock, first_copies, owners_at, ranked, texts_of_index
from simdocs.matching.verify import Verifier
from simdocs.model.artifact import BandIndex
from simdocs.model.groups import ContainedPairs
from simdocs.model.ragged import BlockPlaces, Index, Mask, Ragged, Rows, offsets_of, ranges, row_blocks

_HITS_AT_ONCE = 1 << 20
"""Entries of the sketch that are processed together: about 50 MiB."""


def sketch_candidates(
    index: BandIndex, sets: Ragged, threshold: float, recall: float
) -> tuple[BlockPlaces, Rows, Mask]:
    """The documents of an index that may contain these sets: Ragged uint32, each row ascending, without repeats.

    The place of the set in each pair; the row of the document, which is the first with its text; and which sets (N,)
    are undecided, because too few of their tokens are below the cut-off of the sketch. A document that contains another
    set at the threshold is among them with a probability of at least `recall`.
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
    # The entries of a set are together. A set with a great many of them is counted alone.
    hits = offsets_of(np.bincount(owner, sizes, len(below)).astype(np.int64))
    for first, end in row_blocks(hits, _HITS_AT_ONCE):
        cut = slice(below.offsets[first], below.offsets[end])
        if hits[end] - hits[first] > _HITS_AT_ONCE:
            counts = _counts_of_one(index, begins[cut], sizes[cut])
            rows = np.flatnonzero(counts >= least[decided[first]])
            found.append((np.full(len(rows), decided[first]), rows))
            continue
        rows = owners_at(index, ranges(begins[cut], sizes[cut]), "sketch_rows")
        pairs, counts = np.unique(np.repeat(owner[cut], sizes[cut]) * index.n_documents + rows, return_counts=True)
        places, rows = np.divmod(pairs, max(index.n_documents, 1))
        enough = counts >= least[decided[places]]
        found.append((decided[places[enough]], rows[enough]))
    places, rows = (np.concatenate(side) for side in zip(*found, strict=True))
    return places, rows, least == 0


def _counts_of_one(index: BandIndex, begins: Index, sizes: Index) -> Index:
    """The number of these runs of entries that contain each document of the index: int64 (N,)."""
    counts = np.zeros(index.n_documents, np.int64)
    for first, end in row_blocks(offsets_of(sizes), _HITS_AT_ONCE):
        rows = owners_at(index, ranges(begins[first:end], sizes[first:end]), "sketch_rows")
        counts += np.bincount(rows, minlength=index.n_documents)
    return counts


_BYTES_AT_ONCE = 1 << 23
"""Bytes of the queries that are looked for at once, while the index is read: at most 1 token a byte."""


def find_containing(lookup: Lookup, *, by_sketch: bool = False) -> Iterator[MatchBlock]:
    """Yield all documents of the index that contain a query, block by block, in row order of the queries.

    by_sketch: read only the candidates that the sketch of the index finds. It finds a match with a probability of at
    least the recall of the index. Otherwise no match is missed, and the whole index is read for each block.
    """
    indexed, asked, verifier = lookup.indexed, lookup.asked, lookup.verifier
    filled, every = lookup.filled, lookup.every_text()
    for begin, end in row_blocks(offsets_of(asked.documents.facts["size"][filled]), _BYTES_AT_ONCE):
        pairs = _contained(lookup, every, filled[begin:end], by_sketch=by_sketch)
        if not lookup.itself:
            pairs = pairs.take(np.flatnonzero(~lookup.same(pairs.left, pairs.right)))
        rows, place = np.unique(pairs.right, return_inverse=True)
        both = indexed.select(rows).followed_by(asked)
        pairs = replace(pairs, left=len(rows) + pairs.left, right=place)
        pairs = replace(pairs, estimate=both.estimates(pairs.left, pairs.right))
        yield MatchBlock(both, ranked(both, verifier.for_corpus(both).confirmed(pairs), lookup.top))


def _contained(lookup: Lookup, every: Callable[[str], Ragged], rows: Rows, *, by_sketch: bool) -> ContainedPairs:
    """The pairs of these queries with the documents of the index that contain them, with all copies."""
    verifier = lookup.verifier
    sets = Ragged.concat([sets for _, sets in token_sets(verifier.for_corpus(lookup.asked), rows)], np.uint32)
    if not by_sketch:
        why, sketch = OF_EXACT, ""
        if not verifier.no_prefilter:  # an exact join would read all texts in any case
            why, sketch = "it has no sketch", "build it with simdocs index --containment, or "
        why += f": to avoid that, {sketch}give its token sets with --shingles"
        return _compared(verifier, every(why), rows, sets)
    index = lookup.index
    places, firsts, of_no_use = sketch_candidates(index, sets, verifier.threshold, index.recipe.banding.recall)
    near, undecided = np.flatnonzero(~of_no_use), np.flatnonzero(of_no_use)
    verifier.run.tally.candidates += len(places)
    texts = texts_of_index(lookup.indexed, verifier, firsts)
    pairs = _compared(verifier, texts, near, sets.take(near), len(places))
    # Whether a pair is found must not depend on the other queries.
    found = index["same_as"].all()[pairs.right].astype(np.int64)
    pairs = pairs.take(
        np.flatnonzero(np.isin(pairs.left * index.n_documents + found, places * index.n_documents + firsts))
    )
    pairs = replace(pairs, left=rows[pairs.left])
    if not len(undecided):
        return pairs
    verifier.run.tally.undecided += len(undecided)
    short = "document is" if len(undecided) == 1 else "documents are"
    why = f"{len(undecided):,} {short} too short for its sketch"
    return ContainedPairs.concat([pairs, _compared(verifier, every(why), rows[undecided], sets.take(undecided))])


def _compared(verifier: Verifier, texts: Ragged, rows: Rows, asked: Ragged, pairs: int | None = None) -> ContainedPairs:
    """The pairs of these sets with the texts that contain them, with all copies of each text.

    rows: the number of each set, for the result. pairs: how many pairs count as verified; None: all.
    """
    tally, parts = verifier.run.tally, Parts.of(asked, verifier.threshold)
    found = [ContainedPairs.empty()]
    for at, sets in token_sets(verifier, first_copies(texts)):
        left, right, common = containers(parts, sets)
        sizes = parts.sets.lengths[left]
        jaccard = of_overlaps(common, sizes, sets.lengths[right])
        found.append(ContainedPairs(rows[left], at + right, jaccard, jaccard, containments(common, sizes)))
        tally.verified += len(sets) * len(asked) if pairs is None else 0
    tally.verified += pairs or 0
    contained = ContainedPairs.concat(found)
    copies = texts.take(contained.right)
    return replace(contained.take(np.repeat(np.arange(len(contained)), copies.lengths)), right=copies.values)
