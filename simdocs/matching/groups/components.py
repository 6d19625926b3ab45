"""Connected components: the documents that chains of similar pairs connect, and how loose each component is."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from simdocs.kernels.group import connectivity
from simdocs.kernels.group.greedy_rounds import KEPT, REMOVED
from simdocs.kernels.lsh.buckets import PAIRS_AT_ONCE
from simdocs.matching.candidates.candidates import Candidates
from simdocs.matching.documents.prepared import DistinctTexts, pairs_of_copies
from simdocs.matching.groups.chains import Groups, LinkCollector
from simdocs.matching.groups.greedy import nearest_kept
from simdocs.matching.verification.verify import Verifier
from simdocs.model.groups import Components, Pairs
from simdocs.model.ragged import Floats, Index, Rows, TextNumbers, ranges

_COMPARED_WHOLLY = 1000
"""Texts of a component, besides the first one, of which every two are compared to see how loose it is, at most."""

_SAMPLED = 10_000
"""Pairs of a larger component that are compared to see how loose it is."""


def connected(texts: DistinctTexts, candidates: Candidates, verifier: Verifier, *, explain: bool = False) -> Groups:
    """Every document except the first of its component in keep order, together with that first one.

    Its similarity to the first one is exact, and may be below the threshold. In components of at most
    _COMPARED_WHOLLY + 1 texts, the smallest similarity of any two is that of all pairs of distinct texts. In larger
    components, it is that of the pairs with the first one. explain: also find the chains of links that connect each
    component, compare random pairs of large components, and find the nearest kept documents.
    """
    links = LinkCollector(texts) if explain else None
    label = _labels(texts, candidates, verifier, links)
    members = np.flatnonzero(label != np.arange(len(texts)))
    firsts = _compared(texts.first[label[members]], texts.first[members], verifier)
    copies = texts.copies
    to = texts.first[label[texts.number[copies]]]
    own = to == texts.first[texts.number[copies]]
    of_first = pairs_of_copies(to[own], copies[own], verifier.exact)
    place = np.searchsorted(members, texts.number[copies[~own]])
    others = Pairs(to[~own], copies[~own], firsts.jaccard[place], firsts.estimate[place])
    pairs = Pairs.concat([firsts, of_first, others]).in_row_order()
    components = _looseness(texts, label, pairs, verifier, _SAMPLED if explain else 0)
    if links is None:
        return Groups(pairs, components)
    status = np.where(label == np.arange(len(texts)), KEPT, REMOVED)
    nearest = nearest_kept(texts, candidates, status, verifier)
    return Groups(pairs, components, links.chains(label, exact=verifier.exact), nearest)


def _labels(
    texts: DistinctTexts, candidates: Candidates, verifier: Verifier, links: LinkCollector | None
) -> TextNumbers:
    """The first text of each text's component. links: collects the similar pairs that connect them."""
    label = np.arange(len(texts))
    for phase in (candidates.links(), None):
        for left, right in phase if phase is not None else candidates.other_links(label):
            apart = label[left] != label[right]
            similar = verifier.similar(texts.first[left[apart]], texts.first[right[apart]])
            label = connectivity.connect(label, texts.number[similar.left], texts.number[similar.right])
            if links is not None:
                links.add(similar, label)
            verifier.run.progress("connecting", verifier.run.tally.candidates, 0)
    return label


def _compared(left: Rows, right: Rows, verifier: Verifier) -> Pairs:
    estimate = verifier.corpus.estimates(left, right)
    jaccard = verifier.exact_jaccard(left, right) if verifier.exact else np.full(len(left), np.nan)
    return Pairs(left, right, jaccard, estimate)


def _looseness(texts: DistinctTexts, label: TextNumbers, pairs: Pairs, verifier: Verifier, sampled: int) -> Components:
    kept, place, size = np.unique(pairs.left, return_inverse=True, return_counts=True)
    to_kept = np.full(len(kept), np.inf)
    np.fmin.at(to_kept, place, pairs.score)
    pairwise = to_kept.copy()
    order = np.argsort(label, kind="stable")
    begins = np.searchsorted(label[order], texts.number[kept])
    sizes = np.searchsorted(label[order], texts.number[kept], side="right") - begins
    complete = sizes <= _COMPARED_WHOLLY + 1
    # The kept text comes first of its label and has been compared. The others are compared with those after them.
    listed = _pairs_of_runs(begins[complete] + 1, sizes[complete] - 1)
    drawn = _random_pairs(begins[~complete] + 1, sizes[~complete] - 1, sampled)
    for numbers, blocks in ((np.flatnonzero(complete), listed), (np.flatnonzero(~complete), drawn)):
        for component, left, right in blocks:
            among = _compared(texts.first[order[left]], texts.first[order[right]], verifier)
            np.fmin.at(pairwise, numbers[component], among.score)
    return Components(kept, size + 1, _finite(to_kept), _finite(pairwise), complete)


def _pairs_of_runs(begins: Index, sizes: Index) -> Iterator[tuple[Index, Index, Index]]:
    """Yield every two positions of each run, in blocks: the number of the run, and the two positions."""
    lefts = ranges(begins, sizes)
    run = np.repeat(np.arange(len(sizes)), sizes)
    counts = np.repeat(begins + sizes, sizes) - lefts - 1
    block = np.cumsum(counts) // PAIRS_AT_ONCE
    for number in np.unique(block).tolist():
        cut = slice(*np.searchsorted(block, (number, number + 1)).tolist())
        n = counts[cut]
        yield np.repeat(run[cut], n), np.repeat(lefts[cut], n), ranges(lefts[cut] + 1, n)


def _random_pairs(begins: Index, sizes: Index, count: int) -> Iterator[tuple[Index, Index, Index]]:
    """Yield `count` random pairs of positions of each run, one run at a time: its number, and the two positions."""
    draw = np.random.default_rng(0)
    for run, (begin, size) in enumerate(zip(begins.tolist(), sizes.tolist(), strict=True) if count else ()):
        left = draw.integers(size, size=count)
        right = (left + draw.integers(1, size, size=count)) % size
        yield np.full(count, run), begin + left, begin + right


def _finite(values: Floats) -> Floats:
    return np.where(np.isfinite(values), values, np.nan)
