"""Chains: by which similar pairs each document of a connected component is linked to the first one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simdocs.kernels.group.connectivity import shortest_links
from simdocs.matching.documents.prepared import DistinctTexts, pairs_of_copies
from simdocs.model.groups import Components, Pairs
from simdocs.model.ragged import Floats, Index, Rows, TextNumbers
from simdocs.model.search_result import MOST_LINKS

_HELD = 1 << 20
"""Links that are held at most, of few texts: 32 MiB. When there are more, all are dropped that shorten no chain."""


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
        return links, *shortest_links(labels, number[links.left], number[links.right])


@dataclass(frozen=True, slots=True, eq=False)
class Chains:
    """The shortest chains of the similar pairs that were found, from the first text of each component to its others.

    before: (M,) the text before each one, or -1 for first texts. jaccard, estimate: float64 (M,), how similar the two
    are, or NaN. exact: whether similarities are exact.
    """

    texts: DistinctTexts
    before: TextNumbers
    jaccard: Floats
    estimate: Floats
    exact: bool

    def to(self, row: int) -> Pairs:
        """The links from the first document of a component to this one, which is another one; the last MOST_LINKS."""
        rows, texts = [row], [int(self.texts.number[row])]
        while (before := int(self.before[texts[-1]])) >= 0 and len(rows) <= MOST_LINKS:
            rows.append(int(self.texts.first[before]))
            texts.append(before)
        if len(rows) == 1:
            return pairs_of_copies(self.texts.first[texts], np.array(rows), self.exact)
        reached: Rows = np.array(rows[::-1])
        of_text = np.array(texts[-2::-1])
        return Pairs(reached[:-1], reached[1:], self.jaccard[of_text], self.estimate[of_text])


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """The groups that dedupe found: each duplicate (right) with its kept document (left), in row order.

    components: how similar the documents of each connected component are; None: other groups. If it was asked
    for: chains, how the documents of each component are linked; nearest, see `nearest_kept`.
    """

    pairs: Pairs
    components: Components | None = None
    chains: Chains | None = None
    nearest: Pairs | None = None
