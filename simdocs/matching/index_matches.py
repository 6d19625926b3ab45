"""Matches in an index: for each query, the similar documents of the index."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from simdocs.kernels.buckets import equal_runs
from simdocs.matching.corpus import Corpus
from simdocs.matching.lookup import ASKED_AT_ONCE, candidates, copies_of, every_candidate, index_of
from simdocs.matching.same_documents import same_documents
from simdocs.matching.verify import Verifier
from simdocs.model.artifact import BandIndex
from simdocs.model.documents import WITHOUT_TOKENS
from simdocs.model.groups import Pairs
from simdocs.model.ragged import Array, BlockPlaces, Floats, Mask, Rows, distinct, ranges


@dataclass(frozen=True, slots=True, eq=False)
class Lookup:
    """Documents to look up in an index, and which of their matches are wanted.

    verifier: for the documents of the index.
    asked: the queries, which are the documents to look up. Documents of the index do not match themselves.
    top: the largest number of matches for each document (0: all).
    itself: let a document that is in the index match itself.
    """

    verifier: Verifier
    asked: Corpus
    top: int = 0
    itself: bool = False

    @property
    def indexed(self) -> Corpus:
        """The documents of the index."""
        return self.verifier.corpus

    @property
    def index(self) -> BandIndex:
        """The index."""
        return index_of(self.indexed)

    @property
    def filled(self) -> Rows:
        """The queries that have tokens."""
        return np.flatnonzero((self.asked.documents.facts["flags"] & WITHOUT_TOKENS) == 0)

    def same(self, asked: Rows, rows: Rows) -> Mask:
        """Whether asked[i] is the document rows[i] of the index: bool (P,)."""
        same = same_documents(self.asked, asked, self.indexed, rows)
        own = self.asked.rows
        return same if own is None else same | (own[asked] == rows)


@dataclass(frozen=True, slots=True, eq=False)
class MatchBlock:
    """All matches of some of the queries.

    corpus: some documents of the index, and then all queries
    pairs: a query (left) and its match (right), as rows of corpus, in order of left, falling similarity and name
    left_out: the number of copies of these matches that are not listed
    """

    corpus: Corpus
    pairs: Pairs
    left_out: int = 0

    @property
    def _index_rows(self) -> Rows:
        """The row in the index of each document of the corpus that comes from it."""
        assert self.corpus.rows is not None
        return self.corpus.rows

    @property
    def asked(self) -> Rows:
        """The row of each pair's query among the queries."""
        return self.pairs.left - len(self._index_rows)

    @property
    def matches(self) -> Rows:
        """The row of each pair's match in the index."""
        return self._index_rows[self.pairs.right]


def find_matches(lookup: Lookup, *, exact: bool = False, most_memory: int | None = None) -> Iterator[MatchBlock]:
    """Yield all matches of the queries, block by block, in row order.

    exact: find candidates by an exact join, which misses no match. most_memory: the bytes that this may take; None: all
    available memory.
    """
    index, asked, verifier = lookup.index, lookup.asked, lookup.verifier
    if exact:
        found = every_candidate(verifier, asked, lookup.filled, most_memory)
    else:
        _copy_candidates(lookup)
        found = candidates(index, asked.signatures.all(), lookup.filled)
    for part, places, near in found:
        firsts = distinct(near)
        text, rows = copies_of(index["same_as"].all(), firsts)
        both = lookup.indexed.select(rows).followed_by(asked)
        search = _BlockSearch(lookup, rows, text, verifier.for_corpus(both))
        pairs = search.matches(part[places], np.searchsorted(firsts, near))
        block = MatchBlock(both, ranked(both, pairs, lookup.top))
        verifier.run.progress("looking up", int(part[-1]) + 1, len(asked))
        yield block


def _copy_candidates(lookup: Lookup) -> None:
    """Copy the documents that cannot be read again where they are together, if they are compared in several blocks."""
    asked, verifier = lookup.asked, lookup.verifier
    if len(lookup.filled) <= ASKED_AT_ONCE or not verifier.exact:
        return
    ours, theirs = np.zeros(len(asked), bool), np.zeros(len(lookup.indexed), bool)
    for part, places, near in candidates(lookup.index, asked.signatures.all(), lookup.filled):
        ours[part[places]] = theirs[near] = True
    verifier.for_corpus(asked).copy(np.flatnonzero(ours))
    verifier.copy(np.flatnonzero(theirs))


@dataclass(frozen=True, slots=True, eq=False)
class _BlockSearch:
    """Verification of the candidates of one block.

    rows: (n,) the documents of the index that have the text of a candidate
    text: (n,) the text of each, by its place in the block, ascending
    verifier: for these documents, followed by all queries
    """

    lookup: Lookup
    rows: Rows
    text: BlockPlaces
    verifier: Verifier

    def matches(self, asked: Rows, text: BlockPlaces) -> Pairs:
        """The verified pairs of queries with all copies of their candidate texts. text: one for each query."""
        asked, copy = self._copies_to_verify(asked, text)
        pairs = self._with_other_copies(self.verifier.similar(len(self.rows) + asked, copy))
        if not self.lookup.itself:
            mine = pairs.left - len(self.rows)
            pairs = pairs.take(np.flatnonzero(~self._same(mine, pairs.right)))
        return self.verifier.confirmed(pairs)

    def _copies_to_verify(self, asked: Rows, text: BlockPlaces) -> tuple[Rows, Rows]:
        """The queries, and the copy of each candidate text that is compared with them.

        This is the first unchanged copy, or the next one if the first is the query itself, which may have been edited
        since. Pairs without another copy are left out.
        """
        first, second = self._unchanged_copies(len(self.rows) + asked, text)
        if self.lookup.itself:
            return asked, first[text]
        copy = np.where(self._same(asked, first[text]), second[text], first[text])
        others = np.flatnonzero(copy >= 0)
        return asked[others], copy[others]

    def _same(self, asked: Rows, copy: BlockPlaces) -> Mask:
        """Whether asked[i] and the document copy[i] of the block are the same."""
        return self.lookup.same(asked, self.rows[copy])

    def _unchanged_copies(self, asked: Rows, text: BlockPlaces) -> tuple[Rows, Rows]:
        """The first unchanged copy of each text, or its first copy if none is; and the next unchanged one, or -1."""
        first = np.searchsorted(self.text, np.arange(self.text.max(initial=-1) + 1))
        second = np.full(len(first), -1)
        near = text[~self.verifier.below_prefilter(asked, first[text])]
        rows = np.flatnonzero(np.isin(self.text, near))
        rows = rows[~self.verifier.lost_copies(rows, self.text[rows])]
        begins, sizes = equal_runs(self.text[rows])
        first[self.text[rows[begins]]] = rows[begins]
        more = begins[sizes > 1]
        second[self.text[rows[more]]] = rows[more + 1]
        return first, second

    def _with_other_copies(self, similar: Pairs) -> Pairs:
        """The pairs, and those with all other copies of the text on the right."""
        text = self.text[similar.right]
        begins, ends = np.searchsorted(self.text, text), np.searchsorted(self.text, text, side="right")
        pairs = similar.take(np.repeat(np.arange(len(similar)), ends - begins))
        return replace(pairs, right=ranges(begins, ends - begins))


def ranked(corpus: Corpus, pairs: Pairs, top: int) -> Pairs:
    """The pairs by document, then falling similarity, then name; at most `top` of each document (0: all)."""
    rows, place = np.unique(pairs.right, return_inverse=True)
    names = corpus.names(rows)
    by_name = np.empty(len(rows), np.int64)
    by_name[sorted(range(len(rows)), key=names.__getitem__)] = np.arange(len(rows))
    pairs = pairs.take(np.lexsort((by_name[place], -pairs.score, pairs.left)))
    if not top:
        return pairs
    begins = np.searchsorted(pairs.left, pairs.left)
    return pairs.take(np.flatnonzero(np.arange(len(pairs)) - begins < top))


class PairsOnce:
    """Lists each pair of two changed documents of an index once.

    changed: their rows in the index
    text: the number of each text in the index
    top: the largest number of matches of a document
    nearest: whether blocks have only the nearest matches
    """

    def __init__(self, changed: Rows, text: Array, top: int, *, nearest: bool) -> None:
        self._changed, self._text, self._top, self._nearest = changed, text, top, nearest
        self._listed_by = defaultdict[int, list[int]](list)

    def without_repeats(self, block: MatchBlock) -> MatchBlock:
        """The block without pairs that an earlier block has the other way round, cut to `top` of each document.

        Blocks must come in row order. Without `nearest`, they must have all matches.
        """
        rows, others = self._changed[block.asked], block.matches
        is_changed = np.isin(others, self._changed)
        if self._top or self._nearest:
            places = self._chosen(rows, others, is_changed, block.pairs.score)
        else:  # every pair is found from both sides
            places = np.flatnonzero(~is_changed | (rows <= others))
        return replace(block, pairs=block.pairs.take(places))

    def _chosen(self, rows: Rows, others: Rows, is_changed: Mask, score: Floats) -> BlockPlaces:
        """The places of the pairs to list. A document may list few, so a pair may be listed by the later one alone.

        Among the matches of a document, earlier copies of its own text do not count, because each has a later copy to
        list: otherwise, many copies of a changed text would list only each other. Of equally similar matches, unchanged
        ones are chosen first.
        """
        if self._nearest:
            order = np.arange(len(rows))
        else:
            left_out = is_changed & (others < rows) & (self._text[others] == self._text[rows])
            order = np.lexsort((is_changed, -score, rows))
            order = order[~left_out[order]]
        chosen = list[BlockPlaces]()
        begins, counts = equal_runs(rows[order])
        for begin, count in zip(begins.tolist(), counts.tolist(), strict=True):
            places = order[begin : begin + count]
            row = int(rows[places[0]])
            places = places[~np.isin(others[places], self._listed_by.pop(row, []))][: self._top or None]
            chosen.append(places)
            for other in others[places[is_changed[places]]].tolist():
                if other > row:
                    self._listed_by[other].append(row)
        return np.sort(np.concatenate([np.empty(0, np.int64), *chosen]))
