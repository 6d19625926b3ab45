"""Greedy groups: every removed document has a verified similarity to the one kept in its stead."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from simdocs.kernels.group import greedy_rounds
from simdocs.kernels.group.greedy_rounds import KEPT, REMOVED, GroupingState
from simdocs.kernels.lsh.buckets import distinct_pairs
from simdocs.matching.distinct_texts import DistinctTexts, as_copies
from simdocs.matching.verify import Verifier
from simdocs.model.groups import Pairs
from simdocs.model.ragged import Index, Ragged, ranges


def greedy(nodes: DistinctTexts, shared: Ragged, judge: Verifier, most: int, given: int = 0) -> tuple[Pairs, Index]:
    """Every duplicate with its kept document, in row order; and the rows of kept documents that a full bucket kept
    from meeting others.

    shared: the buckets, of node numbers. most: kept nodes in a bucket that meet its later members. given: that many
    nodes, the first, are kept whatever they are similar to.
    """
    standing = _rounds(nodes, shared, judge, most, given)
    copies = nodes.copies
    state = standing.state[nodes.of[copies]]
    twins = as_copies(nodes.first[nodes.of[copies[state == KEPT]]], copies[state == KEPT], judge.by_exact)
    removed = np.flatnonzero(standing.state == REMOVED)
    firsts = _pairs(nodes, standing, removed, nodes.first[removed], judge)
    late = _late_copies(nodes, shared, standing, copies[state == REMOVED], judge)
    capped = greedy_rounds.capped_members(shared, standing, most)
    return Pairs.concat([twins, firsts, late]).in_row_order(), np.sort(nodes.first[capped[capped >= given]])


def _rounds(nodes: DistinctTexts, shared: Ragged, judge: Verifier, most: int, given: int) -> GroupingState:
    standing = GroupingState.undecided(len(nodes))
    if given:
        standing = greedy_rounds.mark_kept(standing, np.arange(given))
        for left, right in greedy_rounds.pairs_with_always_kept(shared, given, most, len(nodes)):
            standing = _met(nodes, standing, left, right, judge)
    while not standing.settled:
        shared = greedy_rounds.prune_buckets(shared, standing, most)
        kept, firsts = greedy_rounds.next_kept(shared, standing)
        for left, right in greedy_rounds.pairs_with_newly_kept(shared, kept, firsts, len(nodes)):
            standing = _met(nodes, standing, left, right, judge)
        standing = greedy_rounds.mark_kept(standing, kept)
        judge.run.progress("grouping", int(np.count_nonzero(standing.state)), len(nodes))
    return standing


def _met(nodes: DistinctTexts, standing: GroupingState, left: Index, right: Index, judge: Verifier) -> GroupingState:
    """The standing after kept nodes (left) have met others."""
    similar = judge.similar(nodes.first[left], nodes.first[right])
    members = nodes.of[similar.right]
    return greedy_rounds.mark_removed(standing, nodes.of[similar.left], members, similar.score, similar.estimate)


def _pairs(nodes: DistinctTexts, standing: GroupingState, members: Index, rows: Index, judge: Verifier) -> Pairs:
    """Each of these rows, copies of removed members, under the kept document of its member."""
    score = standing.jaccard[members] if judge.by_exact else np.full(len(members), np.nan)
    return Pairs(nodes.first[standing.under[members]], rows, score, standing.estimate[members])


def _late_copies(
    nodes: DistinctTexts, shared: Ragged, standing: GroupingState, copies: Index, judge: Verifier
) -> Pairs:
    """Later copies of removed texts. Each goes under the most similar of those kept before *it*: a document kept
    after the first copy and before this one may be more similar than the one the first copy went under."""
    base = _pairs(nodes, standing, nodes.of[copies], copies, judge)
    members, last = _with_last_rank(nodes, copies)
    kept = _kept_only(shared, standing)
    pairs = []
    for left, right in _meetings_of(members, shared, kept, len(nodes)):
        between = (right > left) & (nodes.rank[nodes.first[right]] < last[left])
        pairs.append(judge.similar(nodes.first[right[between]], nodes.first[left[between]]))
    if not pairs:
        return base
    found = Pairs.concat(pairs)
    return _best(nodes, base, found)


def _with_last_rank(nodes: DistinctTexts, copies: Index) -> tuple[Index, Index]:
    """The nodes of these copies, and for every node the greatest rank of one of them."""
    last = np.full(len(nodes), -1)
    np.maximum.at(last, nodes.of[copies], nodes.rank[copies])
    return np.flatnonzero(last >= 0), last


def _kept_only(shared: Ragged, standing: GroupingState) -> Ragged:
    return shared.keep(standing.state[shared.values] == KEPT)


def _meetings_of(members: Index, shared: Ragged, kept: Ragged, size: int) -> Iterator[tuple[Index, Index]]:
    """Each of these members with the kept ones in its buckets: distinct pairs, in blocks."""
    wanted = np.zeros(size, bool)
    wanted[members] = True
    places = np.flatnonzero(wanted[shared.values])
    bucket = np.searchsorted(shared.offsets, places, side="right") - 1
    yield from distinct_pairs(shared.values[places], kept.offsets[bucket], kept.lengths[bucket], kept.values, size)


def _best(nodes: DistinctTexts, base: Pairs, found: Pairs) -> Pairs:
    """For each row on base's right the most similar on the left, of base's own and of those found for its text that
    were kept before it; ties to the one kept earlier."""
    order = np.argsort(nodes.of[found.right], kind="stable")
    found = found.take(order)
    of_found = nodes.of[found.right]
    begins = np.searchsorted(of_found, nodes.of[base.right], side="left")
    counts = np.searchsorted(of_found, nodes.of[base.right], side="right") - begins
    row = np.repeat(np.arange(len(base)), counts)
    more = found.take(ranges(begins, counts))
    more = Pairs(more.left, base.right[row], more.jaccard, more.estimate)
    in_time = nodes.rank[more.left] < nodes.rank[more.right]
    every = Pairs.concat([base, more.take(np.flatnonzero(in_time))])
    every = every.take(np.lexsort((nodes.rank[every.left], -every.score, every.right)))
    return every.take(np.flatnonzero(np.append(True, np.diff(every.right) != 0)[: len(every)]))
