"""Connected components: whatever a chain of similar documents connects, and how loosely it hangs together."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from simdocs.kernels.group import connectivity
from simdocs.kernels.lsh.buckets import PAIRS_AT_ONCE
from simdocs.matching.distinct_texts import DistinctTexts, as_copies
from simdocs.matching.verify import Verifier
from simdocs.model.groups import Components, Groups, Pairs
from simdocs.model.ragged import Floats, Index, Ragged, ranges


def connected(nodes: DistinctTexts, shared: Ragged, judge: Verifier, most: int) -> Groups:
    """Every document but the first of its component, in keep order, with that one.

    Jaccard is exact, to the kept one, and may be below the threshold. The smallest similarity of any two is taken over
    all pairs of distinct texts in components of at most `most` + 1, over those with the kept one in larger ones.
    """
    label = _labels(nodes, shared, judge)
    members = np.flatnonzero(label != np.arange(len(nodes)))
    firsts = _compared(nodes.first[label[members]], nodes.first[members], judge)
    copies = nodes.copies
    to = nodes.first[label[nodes.of[copies]]]
    own = to == nodes.first[nodes.of[copies]]
    twins = as_copies(to[own], copies[own], judge.by_exact)
    place = np.searchsorted(members, nodes.of[copies[~own]])
    late = Pairs(to[~own], copies[~own], firsts.jaccard[place], firsts.estimate[place])
    pairs = Pairs.concat([firsts, twins, late]).in_row_order()
    return Groups(pairs, _looseness(nodes, label, pairs, judge, most))


def _labels(nodes: DistinctTexts, shared: Ragged, judge: Verifier) -> Index:
    """The first node of each node's component."""
    label = np.arange(len(nodes))
    for phase in (connectivity.star_pairs(shared, len(nodes)), None):
        for left, right in phase if phase is not None else connectivity.cross_component_pairs(shared, label):
            apart = label[left] != label[right]
            similar = judge.similar(nodes.first[left[apart]], nodes.first[right[apart]])
            label = connectivity.connect(label, nodes.of[similar.left], nodes.of[similar.right])
            judge.run.progress("connecting", judge.run.tally.candidates, 0)
    return label


def _compared(left: Index, right: Index, judge: Verifier) -> Pairs:
    estimate = judge.corpus.estimates(left, right)
    exact = judge.exact(left, right) if judge.by_exact else np.full(len(left), np.nan)
    return Pairs(left, right, exact, estimate)


def _looseness(nodes: DistinctTexts, label: Index, pairs: Pairs, judge: Verifier, most: int) -> Components:
    kept, place, size = np.unique(pairs.left, return_inverse=True, return_counts=True)
    to_kept = np.full(len(kept), np.inf)
    np.fmin.at(to_kept, place, pairs.score)
    pairwise = to_kept.copy()
    order = np.argsort(label, kind="stable")
    begins = np.searchsorted(label[order], nodes.of[kept])
    texts = np.searchsorted(label[order], nodes.of[kept], side="right") - begins
    complete = texts <= most + 1
    # The kept one comes first of its label and has been compared; the others meet those after them.
    for component, left, right in _every_two(begins[complete] + 1, texts[complete] - 1):
        among = _compared(nodes.first[order[left]], nodes.first[order[right]], judge)
        np.fmin.at(pairwise, np.flatnonzero(complete)[component], among.score)
    return Components(kept, size + 1, _finite(to_kept), _finite(pairwise), complete)


def _every_two(begins: Index, sizes: Index) -> Iterator[tuple[Index, Index, Index]]:
    """Which run, and two places in it, for every two places of each run, in blocks."""
    lefts = ranges(begins, sizes)
    run = np.repeat(np.arange(len(sizes)), sizes)
    counts = np.repeat(begins + sizes, sizes) - lefts - 1
    block = np.cumsum(counts) // PAIRS_AT_ONCE
    for number in np.unique(block).tolist():
        cut = slice(*np.searchsorted(block, (number, number + 1)).tolist())
        n = counts[cut]
        yield np.repeat(run[cut], n), np.repeat(lefts[cut], n), ranges(lefts[cut] + 1, n)


def _finite(values: Floats) -> Floats:
    return np.where(np.isfinite(values), values, np.nan)
