"""The similar pairs of documents that are compared with each other, of which copies of one text may be a chain."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from simdocs.matching.groups import SelfJoin
from simdocs.model.groups import Pairs
from simdocs.model.ragged import Mask, Rows, TextNumbers


def similar_pairs(join: SelfJoin, *, all_copies: bool, changed: Mask | None = None) -> Iterator[Pairs]:
    """Pairs at the threshold or above, the document before the other, ascending by both, in blocks.

    Of the copies of one text only the first is paired with other texts, and each copy is paired with the next. With
    all_copies every copy has all its pairs. changed: (N,) which documents are new or changed; then only the texts of
    these are compared with others (with all_copies, only these documents are).
    """
    firsts, text = join.distinct_texts()
    if all_copies:
        found = _every_pair(join, firsts, text, changed)
    else:
        wanted = None
        if changed is not None:
            wanted = np.zeros(len(firsts), bool)
            wanted[text[changed & (text >= 0)]] = True
        found = _chained_pairs(join, firsts, text, wanted)
    run = join.verifier.run
    for pairs in found:
        confirmed = join.verifier.confirmed(pairs)
        run.progress("comparing", run.tally.candidates, 0)
        yield confirmed


def _chained_pairs(join: SelfJoin, firsts: Rows, text: TextNumbers, wanted: Mask | None) -> Iterator[Pairs]:
    candidates, verifier = join.pairs(firsts, text, wanted)
    # Each document with the next copy of its text, ascending by the first.
    order = np.argsort(text, kind="stable")
    linked = np.flatnonzero((text[order][1:] == text[order][:-1]) & (text[order][1:] >= 0))
    linked = linked[np.argsort(order[linked])]
    left_copies, right_copies, done = order[linked], order[linked + 1], 0
    for left, right in candidates:
        similar = verifier.similar(firsts[left], firsts[right])
        # All pairs of a document are in one block: links up to its last document are yielded with it.
        upto = int(np.searchsorted(left_copies, firsts[left[-1]], side="right"))
        links = verifier.of_copies(left_copies[done:upto], right_copies[done:upto])
        done = upto
        yield type(similar).concat([similar, links]).in_row_order() if len(links) else similar
    yield verifier.of_copies(left_copies[done:], right_copies[done:])


def _every_pair(join: SelfJoin, firsts: Rows, text: TextNumbers, changed: Mask | None) -> Iterator[Pairs]:
    rows = np.flatnonzero(text >= 0)
    candidates, verifier = join.pairs(rows, None, None if changed is None else changed[rows])
    for lefts, rights in candidates:
        left, right = rows[lefts], rows[rights]
        same = text[left] == text[right]
        copies = verifier.of_copies(left[same], right[same])
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
        others = replace(similar.take(found[hit]), left=left[hit], right=right[hit])
        yield type(others).concat([copies, others]).in_row_order()


class PairsLeftOut:
    """Counts the similar pairs that are not listed, because copies of one text are listed as a chain.

    count: the pairs left out so far.
    """

    def __init__(self, join: SelfJoin, changed: Mask | None = None) -> None:
        """changed: see `similar_pairs`. Pairs of two unchanged documents do not count."""
        _, self._text = join.distinct_texts()
        compared = self._text >= 0
        self._copies = copies = np.bincount(self._text[compared])
        self._unwanted = np.zeros_like(copies)
        if changed is not None:
            self._unwanted = np.bincount(self._text[compared & ~changed], minlength=len(copies))
        every, unwanted = (int((each * (each - 1) // 2).sum()) for each in (copies, self._unwanted))
        self.count = every - unwanted

    def add(self, pairs: Pairs, listed: int) -> None:
        """Count the pairs left out for these pairs. listed: how many of them are listed."""
        left, right = self._text[pairs.left], self._text[pairs.right]
        every = self._copies[left] * self._copies[right] - self._unwanted[left] * self._unwanted[right]
        self.count += int(every[left != right].sum()) - listed
