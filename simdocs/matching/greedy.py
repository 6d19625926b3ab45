"""Greedy groups: every duplicate has a verified similarity to its kept document."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from simdocs.kernels.group import greedy_rounds
from simdocs.kernels.group.greedy_rounds import KEPT, REMOVED, GroupingState
from simdocs.kernels.group.pair_graph import PairGraph
from simdocs.kernels.lsh.buckets import distinct_pairs
from simdocs.matching.distinct_texts import DistinctTexts, pairs_of_copies
from simdocs.matching.found_pairs import PairCollector
from simdocs.matching.verify import Verifier
from simdocs.model.groups import Pairs
from simdocs.model.numbering import Rows, TextNumbers
from simdocs.model.ragged import Index, Ragged, ranges


class GreedyGroups(NamedTuple):
    """Greedy groups of documents.

    pairs: every duplicate (right) with its kept document (left), in row order. capped: the rows of kept documents that
    were not compared with all documents kept before them, because a bucket was full; ascending. found: the graph of all
    similar pairs of a kept text and another one, by the rows of their first copies.
    """

    pairs: Pairs
    capped: Rows
    found: PairGraph


def greedy(texts: DistinctTexts, buckets: Ragged, verifier: Verifier, most: int, always_kept: int = 0) -> GreedyGroups:
    """The same groups as if documents were decided about one after the other, in keep order.

    buckets: of text numbers. most: in a bucket, later members are compared with at most this number of kept texts.
    always_kept: the first `always_kept` texts are kept even if they are similar.
    """
    found = PairCollector(len(verifier.corpus))
    state = _rounds(texts, buckets, verifier, most, always_kept, found)
    copies = texts.copies
    fate = state.status[texts.number[copies]]
    kept = copies[fate == KEPT]
    of_kept = pairs_of_copies(texts.first[texts.number[kept]], kept, verifier.exact)
    removed = np.flatnonzero(state.status == REMOVED)
    of_removed = _removed_pairs(texts, state, removed, texts.first[removed], verifier)
    late = _later_copies(texts, buckets, state, copies[fate == REMOVED], verifier)
    capped = greedy_rounds.capped_members(buckets, state, most)
    pairs = Pairs.concat([of_kept, of_removed, late]).in_row_order()
    return GreedyGroups(pairs, np.sort(texts.first[capped[capped >= always_kept]]), found.graph())


def _rounds(
    texts: DistinctTexts, buckets: Ragged, verifier: Verifier, most: int, always_kept: int, found: PairCollector
) -> GroupingState:
    state = GroupingState.undecided(len(texts))
    if always_kept:
        state = greedy_rounds.mark_kept(state, np.arange(always_kept))
        for left, right in greedy_rounds.pairs_with_always_kept(buckets, always_kept, most, len(texts)):
            state = _after_comparing(texts, state, left, right, verifier, found)
    while not state.settled:
        buckets = greedy_rounds.prune_buckets(buckets, state, most)
        kept, firsts = greedy_rounds.next_kept(buckets, state)
        for left, right in greedy_rounds.pairs_with_newly_kept(buckets, kept, firsts, len(texts)):
            state = _after_comparing(texts, state, left, right, verifier, found)
        state = greedy_rounds.mark_kept(state, kept)
        verifier.run.progress("grouping", int(np.count_nonzero(state.status)), len(texts))
    return state


def _after_comparing(
    texts: DistinctTexts,
    state: GroupingState,
    left: TextNumbers,
    right: TextNumbers,
    verifier: Verifier,
    found: PairCollector,
) -> GroupingState:
    """The state after kept texts (left) were compared with others. The similar pairs are added to `found`."""
    similar = verifier.similar(texts.first[left], texts.first[right])
    found.add(similar)
    kept, members = texts.number[similar.left], texts.number[similar.right]
    return greedy_rounds.mark_removed(state, kept, members, similar.score, similar.estimate)


def _removed_pairs(
    texts: DistinctTexts, state: GroupingState, removed: TextNumbers, rows: Rows, verifier: Verifier
) -> Pairs:
    """Each of these rows, which are copies of removed texts, with the kept document of its text."""
    jaccard = state.jaccard[removed] if verifier.exact else np.full(len(removed), np.nan)
    return Pairs(texts.first[state.under[removed]], rows, jaccard, state.estimate[removed])


def _later_copies(
    texts: DistinctTexts, buckets: Ragged, state: GroupingState, copies: Rows, verifier: Verifier
) -> Pairs:
    """Later copies of removed texts, each with the most similar of the documents kept before *it*.

    A document that is kept after the first copy and before this one may be more similar than that of the first copy.
    """
    base = _removed_pairs(texts, state, texts.number[copies], copies, verifier)
    removed, last = _with_last_rank(texts, copies)
    kept = buckets.keep(state.status[buckets.values] == KEPT)
    pairs = []
    for left, right in _pairs_with_kept(removed, buckets, kept, len(texts)):
        between = (right > left) & (texts.rank[texts.first[right]] < last[left])
        pairs.append(verifier.similar(texts.first[right[between]], texts.first[left[between]]))
    return _most_similar(texts, base, Pairs.concat(pairs)) if pairs else base


def _with_last_rank(texts: DistinctTexts, copies: Rows) -> tuple[TextNumbers, Index]:
    """The texts of these copies, and for every text the greatest rank of one of its copies."""
    last = np.full(len(texts), -1)
    np.maximum.at(last, texts.number[copies], texts.rank[copies])
    return np.flatnonzero(last >= 0), last


def _pairs_with_kept(
    removed: TextNumbers, buckets: Ragged, kept: Ragged, size: int
) -> Iterator[tuple[TextNumbers, TextNumbers]]:
    """Distinct pairs of each of these removed texts with the kept ones in its buckets, in blocks."""
    wanted = np.zeros(size, bool)
    wanted[removed] = True
    places = np.flatnonzero(wanted[buckets.values])
    bucket = np.searchsorted(buckets.offsets, places, side="right") - 1
    yield from distinct_pairs(buckets.values[places], kept.offsets[bucket], kept.lengths[bucket], kept.values, size)


def _most_similar(texts: DistinctTexts, base: Pairs, found: Pairs) -> Pairs:
    """For each row on the right of `base`, the most similar kept document: that of base, or one found for its text.

    Only documents that are kept before the row count. Ties go to the one kept earlier.
    """
    order = np.argsort(texts.number[found.right], kind="stable")
    found = found.take(order)
    of_found = texts.number[found.right]
    begins = np.searchsorted(of_found, texts.number[base.right], side="left")
    counts = np.searchsorted(of_found, texts.number[base.right], side="right") - begins
    row = np.repeat(np.arange(len(base)), counts)
    more = found.take(ranges(begins, counts))
    more = Pairs(more.left, base.right[row], more.jaccard, more.estimate)
    in_time = texts.rank[more.left] < texts.rank[more.right]
    every = Pairs.concat([base, more.take(np.flatnonzero(in_time))])
    every = every.take(np.lexsort((texts.rank[every.left], -every.score, every.right)))
    return every.take(np.flatnonzero(np.append(True, np.diff(every.right) != 0)[: len(every)]))
