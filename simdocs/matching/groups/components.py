"""Connected components: the documents that chains of similar pairs connect, and how loose each component is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from simdocs.kernels.group import connectivity
from simdocs.kernels.group.greedy_rounds import KEPT, REMOVED
from simdocs.kernels.lsh.buckets import PAIRS_AT_ONCE
from simdocs.matching.candidates.self_join import Candidates
from simdocs.matching.groups.decision import Decision
from simdocs.matching.groups.greedy import DistinctTexts, nearest_kept
from simdocs.matching.similar_pairs import PairCollector
from simdocs.matching.verification.verify import Verifier
from simdocs.model.groups import MOST_LINKS, Components, Pairs
from simdocs.model.ragged import Floats, Index, Rows, TextNumbers, distinct, ranges

_COMPARED_WHOLLY = 1000
"""In components of at most this many texts besides the first one, all pairs are compared to see how loose they are."""

_SAMPLED = 10_000
"""Random pairs of a larger component that are compared to see how loose it is."""


def connected(texts: DistinctTexts, candidates: Candidates, verifier: Verifier, *, explain: bool = False) -> Decision:
    """Group documents by component: all except the first in keep order are duplicates of that first one.

    The similarity to the first one is exact, and may be below the threshold. In components of at most
    _COMPARED_WHOLLY + 1 texts, the smallest similarity is that of all pairs of distinct texts. In larger components, it
    is that of the pairs with the first one. explain: also find the chains of links that connect each component, compare
    random pairs of large components, and find the nearest kept documents.
    """
    links = LinkCollector(texts) if explain else None
    label = _labels(texts, candidates, verifier, links)
    members = np.flatnonzero(label != np.arange(len(texts)))
    firsts = _compared(texts.first[label[members]], texts.first[members], verifier)
    copies = texts.copies
    to = texts.first[label[texts.number[copies]]]
    own = to == texts.first[texts.number[copies]]
    of_first = Pairs.of_copies(to[own], copies[own], exact=verifier.exact)
    place = np.searchsorted(members, texts.number[copies[~own]])
    others = Pairs(to[~own], copies[~own], firsts.jaccard[place], firsts.estimate[place])
    pairs = Pairs.concat([firsts, of_first, others]).in_row_order()
    components = _looseness(texts, label, pairs, verifier, _SAMPLED if explain else 0)
    collector = PairCollector(len(verifier.corpus))
    collector.add(pairs)
    decision = Decision(verifier=verifier, pairs=pairs, found=collector.graph(), components=components)
    if links is None:
        return decision
    status = np.where(label == np.arange(len(texts)), KEPT, REMOVED)
    nearest = nearest_kept(texts, candidates, status, verifier)
    return replace(decision, chains=links.chains(label, exact=verifier.exact), nearest=nearest)


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
    for number in distinct(block).tolist():
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


_HELD = 1 << 20
"""The most links that are held for few texts: 32 MiB. When there are more, those that shorten no chain are dropped."""


class LinkCollector:
    """Collects the similar pairs that connect texts, as far as the shortest chains need them."""

    def __init__(self, texts: DistinctTexts) -> None:
        self._texts, self._held, self._count = texts, [Pairs.empty()], 0
        self._most = max(_HELD, 4 * len(texts))

    def add(self, found: Pairs, labels: TextNumbers) -> None:
        """Add similar pairs. labels: (M,) the first text of the component of each text, with these pairs."""
        self._held.append(found)
        self._count += len(found)
        if self._count > self._most:
            links, _, link = self._shortest(labels)
            self._held = [links.take(link[link >= 0])]
            self._count = len(self._held[0])

    def chains(self, labels: TextNumbers, *, exact: bool) -> Chains:
        """The shortest chains from the first text of each component to its others. exact: see Chains."""
        links, before, link = self._shortest(labels)
        jaccard, estimate = np.full((2, len(labels)), np.nan)
        linked = before >= 0
        jaccard[linked], estimate[linked] = links.jaccard[link[linked]], links.estimate[link[linked]]
        return Chains(self._texts, before, jaccard, estimate, exact)

    def _shortest(self, labels: TextNumbers) -> tuple[Pairs, TextNumbers, Index]:
        links, number = Pairs.concat(self._held), self._texts.number
        return links, *connectivity.shortest_links(labels, number[links.left], number[links.right])


@dataclass(frozen=True, slots=True, eq=False)
class Chains:
    """The shortest chains of similar pairs from the first text of each component to its other texts.

    before: (M,) the text before each one, or -1 for first texts
    jaccard, estimate: float64 (M,), the similarity of the two, or NaN
    exact: whether similarities are exact
    """

    texts: DistinctTexts
    before: TextNumbers
    jaccard: Floats
    estimate: Floats
    exact: bool

    def to(self, row: int) -> Pairs:
        """The last MOST_LINKS links from the first document of a component to another one."""
        rows, texts = [row], [int(self.texts.number[row])]
        while (before := int(self.before[texts[-1]])) >= 0 and len(rows) <= MOST_LINKS:
            rows.append(int(self.texts.first[before]))
            texts.append(before)
        if len(rows) == 1:
            return Pairs.of_copies(self.texts.first[texts], np.array(rows), exact=self.exact)
        reached: Rows = np.array(rows[::-1])
        of_text = np.array(texts[-2::-1])
        return Pairs(reached[:-1], reached[1:], self.jaccard[of_text], self.estimate[of_text])
