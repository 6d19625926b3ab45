"""Similar pairs, in row order, block by block: there may be more of them than memory holds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from simdocs.kernels.lsh.buckets import candidate_pairs
from simdocs.matching.distinct_texts import pairs_of_copies
from simdocs.matching.self_join import SelfJoin
from simdocs.model.groups import Pairs
from simdocs.model.numbering import Rows, TextNumbers
from simdocs.model.ragged import Index


def similar_pairs(join: SelfJoin, *, all_copies: bool) -> Iterator[Pairs]:
    """Pairs at the threshold or above, the document before the other, ascending by both, in blocks.

    Of the copies of one text only the first is paired with other texts, and each copy is paired with the next. With
    all_copies every copy has all its pairs.
    """
    firsts, text = join.prepared.documents.distinct_texts(join.lost)
    found = _every_pair(join, firsts, text) if all_copies else _chained_pairs(join, firsts, text)
    run = join.verifier.run
    for pairs in found:
        confirmed = join.verifier.confirmed(pairs)
        run.progress("comparing", run.tally.candidates, 0)
        yield confirmed


def _chained_pairs(join: SelfJoin, firsts: Rows, text: TextNumbers) -> Iterator[Pairs]:
    verifier = join.verifier
    left_copies, right_copies = _chain(text)
    done = 0
    for left, right in candidate_pairs(join.buckets(firsts, text), len(firsts)):
        similar = verifier.similar(firsts[left], firsts[right])
        # All pairs of a document are in one block: links up to its last document come out with it.
        upto = int(np.searchsorted(left_copies, firsts[left[-1]], side="right"))
        links = pairs_of_copies(left_copies[done:upto], right_copies[done:upto], verifier.exact)
        done = upto
        yield Pairs.concat([similar, links]).in_row_order()
    yield pairs_of_copies(left_copies[done:], right_copies[done:], verifier.exact)


def _chain(text: TextNumbers) -> tuple[Rows, Rows]:
    """Each document with the next copy of its text: two columns of rows, ascending by the first."""
    order = np.argsort(text, kind="stable")
    linked = (text[order][1:] == text[order][:-1]) & (text[order][1:] >= 0)
    left, right = order[:-1][linked], order[1:][linked]
    by_left = np.argsort(left)
    return left[by_left], right[by_left]


@dataclass(slots=True)
class PairsLeftOut:
    """Counts the similar pairs that are not listed, because copies of one text are listed as a chain.

    text: (N,) the number of each document's text. copies: how many documents have each text. count: the pairs left out
    so far.
    """

    text: TextNumbers
    copies: Index
    count: int

    @classmethod
    def of(cls, join: SelfJoin) -> PairsLeftOut:
        """The counter for these documents: of n copies, it leaves out n (n-1) / 2 pairs less the n-1 of the chain."""
        _, text = join.prepared.documents.distinct_texts(join.lost)
        copies = np.bincount(text[text >= 0])
        several = copies[copies > 1]
        return cls(text, copies, int(((several - 1) * (several - 2) // 2).sum()))

    def add(self, pairs: Pairs) -> None:
        """Count what is left out for these pairs: of two similar texts, only the first copies are listed."""
        left, right = self.text[pairs.left], self.text[pairs.right]
        self.count += int((self.copies[left] * self.copies[right] - 1)[left != right].sum())


def _every_pair(join: SelfJoin, firsts: Rows, text: TextNumbers) -> Iterator[Pairs]:
    verifier = join.verifier
    rows = np.flatnonzero(text >= 0)
    for lefts, rights in candidate_pairs(join.buckets(rows, None), len(rows)):
        left, right = rows[lefts], rows[rights]
        same = text[left] == text[right]
        copies = pairs_of_copies(left[same], right[same], verifier.exact)
        left, right = left[~same], right[~same]
        key = text[left] * len(firsts) + text[right]
        unique, place = np.unique(key, return_inverse=True)
        similar = verifier.similar(firsts[unique // len(firsts)], firsts[unique % len(firsts)])
        values = np.full(len(unique), -1)
        values[np.searchsorted(unique, text[similar.left] * len(firsts) + text[similar.right])] = np.arange(
            len(similar)
        )
        found = values[place]
        hit = found >= 0
        others = Pairs(left[hit], right[hit], similar.jaccard[found[hit]], similar.estimate[found[hit]])
        yield Pairs.concat([copies, others]).in_row_order()
