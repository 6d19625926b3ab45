"""Connected components: the documents that chains of similar pairs connect, and how loose each component is."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from simdocs.kernels.group import connectivity
from simdocs.kernels.lsh.buckets import PAIRS_AT_ONCE
from simdocs.matching.candidates.self_join import Candidates
from simdocs.matching.groups.decision import Decision
from simdocs.matching.groups.greedy import DistinctTexts
from simdocs.matching.similar_pairs import PairCollector
from simdocs.matching.verification.verify import Verifier
from simdocs.model.groups import Components, Pairs
from simdocs.model.ragged import Floats, Index, Rows, TextNumbers, distinct, ranges

_COMPARED_WHOLLY = 1000
"""In components of at most this many texts besides the first one, all pairs are compared to see how loose they are."""


def connected(texts: DistinctTexts, candidates: Candidates, verifier: Verifier) -> Decision:
    """Group documents by component: all except the first in keep order are duplicates of that first one.

    The similarity to the first one is exact, and may be below the threshold. In components of at most
    _COMPARED_WHOLLY + 1 texts, the smallest similarity is that of all pairs of distinct texts. In larger components, it
    is that of the pairs with the first one.
    """
    label = _labels(texts, candidates, verifier)
    members = np.flatnonzero(label != np.arange(len(texts)))
    firsts = _compared(texts.first[label[members]], texts.first[members], verifier)
    copies = texts.copies
    to = texts.first[label[texts.number[copies]]]
    own = to == texts.first[texts.number[copies]]
    of_first = Pairs.of_copies(to[own], copies[own], exact=verifier.exact)
    place = np.searchsorted(members, texts.number[copies[~own]])
    others = Pairs(to[~own], copies[~own], firsts.jaccard[place], firsts.estimate[place])
    pairs = Pairs.concat([firsts, of_first, others]).in_row_order()
    components = _looseness(texts, label, pairs, verifier)
    collector = PairCollector(len(verifier.corpus))
    collector.add(pairs)
    return Decision(verifier=verifier, pairs=pairs, found=collector.graph(), components=components)


def _labels(texts: DistinctTexts, candidates: Candidates, verifier: Verifier) -> TextNumbers:
    """The first text of each text's component."""
    label = np.arange(len(texts))
    for phase in (candidates.links(), None):
        for left, right in phase if phase is not None else candidates.other_links(label):
            apart = label[left] != label[right]
            similar = verifier.similar(texts.first[left[apart]], texts.first[right[apart]])
            label = connectivity.connect(label, texts.number[similar.left], texts.number[similar.right])
            verifier.run.progress("connecting", verifier.run.tally.candidates, 0)
    return label


def _compared(left: Rows, right: Rows, verifier: Verifier) -> Pairs:
    estimate = verifier.corpus.estimates(left, right)
    jaccard = verifier.exact_jaccard(left, right) if verifier.exact else np.full(len(left), np.nan)
    return Pairs(left, right, jaccard, estimate)


def _looseness(texts: DistinctTexts, label: TextNumbers, pairs: Pairs, verifier: Verifier) -> Components:
    kept, place, size = np.unique(pairs.left, return_inverse=True, return_counts=True)
    to_kept = np.full(len(kept), np.inf)
    np.fmin.at(to_kept, place, pairs.score)
    pairwise = to_kept.copy()
    order = np.argsort(label, kind="stable")
    begins = np.searchsorted(label[order], texts.number[kept])
    sizes = np.searchsorted(label[order], texts.number[kept], side="right") - begins
    complete = sizes <= _COMPARED_WHOLLY + 1
    # The kept text comes first of its label and has been compared. The others are compared with those after them.
    numbers = np.flatnonzero(complete)
    for component, left, right in _pairs_of_runs(begins[complete] + 1, sizes[complete] - 1):
        among = _compared(texts.first[order[left]], texts.first[order[right]], verifier)
        np.fmin.at(pairwise, numbers[component], among.score)
    return Components(kept, size + 1, _finite(to_kept), _finite(pairwise), complete)


def _pairs_of_runs(begins: Index, sizes: Index) -> Iterator[tuple[Index, Index, Index]]:
    """Yield every two positions of each run, in blocks: the number of the run, and the two positions."""
    lefts = ranges(begins, sizes)
    run = np.repeat(np.arange(len(sizes)), sizes)
    counts = np.repeat(begins + sizes, sizes) - lefts - 1
    block = np.cumsum(counts) // PAIRS_AT_ONCE
    for number in distinct(block).tolist():
        cut = slice(*np.searchsorted(block, (number, number + 1)).tolist())
        n = counts[cut]
        yield np.repeat(run[cut], n), np.repeat(lefts[cut], n), ranges(lefts[cut] + 1, n)


def _finite(values: Floats) -> Floats:
    return np.where(np.isfinite(values), values, np.nan)
