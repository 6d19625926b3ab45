"""Documents that are compared with each other (a similarity self-join), the buckets that they share, and all pairs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from simdocs.engines.engine import each_band, in_threads, threads_for
from simdocs.kernels.buckets import (
    buckets_of_band,
    candidate_pairs,
    candidate_pairs_with,
    joined_bands,
    joined_blocks,
)
from simdocs.kernels.grouping import PairGraph, with_pairs
from simdocs.matching.preparing import buckets_of_index
from simdocs.matching.rounds import BucketCandidates
from simdocs.matching.verify import Verifier
from simdocs.model.groups import Pairs
from simdocs.model.ragged import Index, Mask, Ragged, Rows, TextNumbers, count_true_in_rows, distinct
from simdocs.options.recipes import Bands

if TYPE_CHECKING:
    from simdocs.matching.exact_join import ExactJoin


Candidates: TypeAlias = "BucketCandidates | ExactJoin"
"""The candidate pairs among texts that are numbered in keep order."""


ListedCandidates = tuple[Iterator[tuple[Index, Index]], Verifier]
"""Candidate pairs, ascending, in blocks that have all pairs of each of their left members; and their verifier."""


class SelfJoin:
    """Documents to compare with each other, and the way to find candidates.

    Documents of an artifact that have copies are looked up again when the join is made.

    verifier: compares the documents of its corpus.
    bands: candidates share a bucket of one of these; None: an exact join, in which they share a rare token.
    most_memory: the bytes that an exact join may take; None: all available memory.
    lost: (N,) which documents of an artifact are missing or have changed, if they have copies. They are left out. None:
        no document is lost.
    """

    def __init__(self, verifier: Verifier, bands: Bands | None, most_memory: int | None = None) -> None:
        self.verifier, self.bands, self.most_memory = verifier, bands, most_memory
        documents, self.lost = verifier.corpus.documents, None
        if verifier.corpus.recorded(np.arange(len(documents))).any():
            _, text = documents.distinct_texts()
            rows, lost = np.flatnonzero(text >= 0), np.zeros(len(text), bool)
            lost[rows] = verifier.lost_copies(rows, text[rows])
            self.lost = lost if lost.any() else None

    def distinct_texts(self) -> tuple[Rows, TextNumbers]:
        """The first document of each distinct text, and the number of each document's text, without lost documents."""
        return self.verifier.corpus.documents.distinct_texts(self.lost)

    def candidates(self, firsts: Rows, numbers: TextNumbers, most: int) -> tuple[Candidates, Verifier]:
        """The candidate pairs of documents `firsts`, as texts numbered 0, 1, ..., for grouping; and their verifier.

        numbers: (N,) the number of each document's text. most: see BucketCandidates.
        """
        if self.bands is None:
            exact = self._exact(firsts)
            return exact, exact.verifier
        shared = self._buckets(self.bands, firsts, numbers)
        self.verifier.copy(firsts[distinct(shared.values)])
        return BucketCandidates(shared, len(firsts), most), self.verifier

    def pairs(self, firsts: Rows, numbers: TextNumbers | None, wanted: Mask | None = None) -> ListedCandidates:
        """The candidate pairs of documents `firsts`, as members numbered 0, 1, ..., in blocks; and their verifier.

        numbers: (N,) the number of each document's text, if firsts are the first documents of the texts. wanted: (M,)
        only pairs with a wanted member are listed; None: all are.
        """
        if self.bands is None:
            exact = self._exact(firsts)
            return exact.pairs(wanted), exact.verifier
        shared = self._buckets(self.bands, firsts, numbers)
        if wanted is None:
            self.verifier.copy(firsts[distinct(shared.values)])
            listed = candidate_pairs(shared, len(firsts))
        else:
            of_wanted = np.flatnonzero(count_true_in_rows(wanted[shared.values], shared.offsets))
            self.verifier.copy(firsts[distinct(shared.take(of_wanted).values)])
            listed = candidate_pairs_with(shared, wanted)
        return joined_blocks(listed), self.verifier

    def _exact(self, firsts: Rows) -> ExactJoin:
        from simdocs.matching.exact_join import ExactJoin

        return ExactJoin(self.verifier, firsts, self.most_memory)

    def _buckets(self, bands: Bands, firsts: Rows, numbers: TextNumbers | None) -> Ragged:
        # The tables of an index name the first copy of each text, which may be lost.
        numbers = numbers if self.lost is None else None
        corpus, run = self.verifier.corpus, self.verifier.run
        if corpus.index is not None and numbers is not None:
            return buckets_of_index(corpus.index, numbers, len(firsts), run.progress)
        of_band = partial(buckets_of_band, corpus.signatures.all(), firsts, rows=bands.rows)
        made = in_threads(of_band, range(bands.bands), threads_for(len(firsts), run.engine))
        return joined_bands(each_band(made, bands.bands, run.progress))


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


_BUFFERED = 1 << 18
"""Pairs that are added to the graph at once (8 MiB), because each addition takes time for every document."""


class PairCollector:
    """Collects the similar pairs of N documents in 16 bytes for each document, however many pairs there are.

    All pairs connect documents. Only pairs of different texts are counted, and each is expected once.
    """

    def __init__(self, size: int) -> None:
        self._graph = PairGraph(np.arange(size), np.zeros(size, np.int64))
        self._buffer: list[Pairs] = []
        self._count = 0

    def add(self, pairs: Pairs) -> None:
        """Add these pairs of rows below N."""
        self._buffer.append(pairs)
        self._count += len(pairs)
        if self._count >= _BUFFERED:
            self._graph = self.graph()
            self._buffer, self._count = [], 0

    def graph(self) -> PairGraph:
        """The graph of all pairs so far."""
        if not self._count:
            return self._graph
        pairs = Pairs.concat(self._buffer)
        return with_pairs(self._graph, pairs.left, pairs.right, pairs.score < 1)
