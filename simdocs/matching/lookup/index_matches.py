"""Matches in an index: for each query, the similar documents of the index."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from simdocs.corpora.identity import same_documents
from simdocs.kernels.lsh.buckets import equal_runs
from simdocs.matching.documents.concatenated import ConcatenatedCorpus
from simdocs.matching.documents.corpus import Corpus
from simdocs.matching.documents.prepared import Prepared
from simdocs.matching.lookup.lookup import candidates, copies_of, every_candidate
from simdocs.matching.verification.verify import Verifier
from simdocs.model.artifact import BandIndex
from simdocs.model.documents import WITHOUT_TOKENS
from simdocs.model.groups import Pairs
from simdocs.model.ragged import BlockPlaces, Mask, Rows, ranges


@dataclass(frozen=True, slots=True, eq=False)
class Lookup:
    """Documents that are looked up in an index, and which of their matches are wanted.

    indexed: the documents of the index. verifier: that of these documents. top: the largest number of matches for each
    document (0: all). itself: let a document that is in the index match itself. own: the row in the index of each
    document asked about, if they come from there.
    """

    index: BandIndex
    indexed: Corpus
    asked: Prepared
    verifier: Verifier
    top: int = 0
    itself: bool = False
    own: Rows | None = None

    @property
    def filled(self) -> Rows:
        """The documents asked about that have tokens."""
        return np.flatnonzero((self.asked.documents.facts["flags"] & WITHOUT_TOKENS) == 0)

    def same(self, asked: Rows, rows: Rows) -> Mask:
        """Whether asked[i] is the document rows[i] of the index: bool (P,)."""
        same = same_documents(self.asked.corpus, asked, self.indexed, rows)
        return same if self.own is None else same | (self.own[asked] == rows)


@dataclass(frozen=True, slots=True, eq=False)
class MatchBlock:
    """All matches of some of the documents asked about.

    corpus: some documents of the index, and then all documents asked about. pairs: a document asked about (left) and
    its match (right), as rows of corpus, in order of left, falling similarity and name. index_rows: for each document
    of the index in corpus, its row in the index. left_out: how many copies of these matches are not listed.
    """

    corpus: ConcatenatedCorpus
    pairs: Pairs
    index_rows: Rows
    left_out: int = 0

    @property
    def asked(self) -> Rows:
        """For each pair, the row among the documents asked about."""
        return self.pairs.left - len(self.index_rows)

    @property
    def matches(self) -> Rows:
        """For each pair, the row of the match in the index."""
        return self.index_rows[self.pairs.right]


def find_matches(lookup: Lookup, *, exact: bool = False, most_memory: int | None = None) -> Iterator[MatchBlock]:
    """Yield all matches of the documents asked about, block by block, in row order.

    exact: find candidates by an exact join, which misses no match. most_memory: the bytes that this may take; None:
    what there is.
    """
    index, indexed, asked, verifier = lookup.index, lookup.indexed, lookup.asked, lookup.verifier
    if exact:
        found = every_candidate(index, indexed, verifier, asked.corpus, lookup.filled, most_memory)
    else:
        found = candidates(index, asked.signatures, lookup.filled)
    for part, places, near in found:
        firsts = np.unique(near)
        text, rows = copies_of(index["same_as"].all(), firsts)
        both = ConcatenatedCorpus(indexed.some(rows), asked.corpus)
        search = _BlockSearch(lookup, rows, text, verifier.for_corpus(both))
        pairs = search.matches(part[places], np.searchsorted(firsts, near))
        block = MatchBlock(both, ranked(both, pairs, lookup.top), rows)
        verifier.run.progress("looking up", int(part[-1]) + 1, len(asked.documents))
        yield block


@dataclass(frozen=True, slots=True, eq=False)
class _BlockSearch:
    """Verification of the candidates of one block.

    rows: (n,) the documents of the index that have the text of a candidate. text: (n,) the text of each, by its place
    in the block, ascending. verifier: that of these documents, and then all that are asked about.
    """

    lookup: Lookup
    rows: Rows
    text: BlockPlaces
    verifier: Verifier

    def matches(self, asked: Rows, text: BlockPlaces) -> Pairs:
        """The verified pairs of documents asked about with all copies of their candidate texts. text: one for each."""
        asked, copy = self._copies_to_verify(asked, text)
        pairs = self._with_other_copies(self.verifier.similar(len(self.rows) + asked, copy))
        if not self.lookup.itself:
            mine = pairs.left - len(self.rows)
            pairs = pairs.take(np.flatnonzero(~self._same(mine, pairs.right)))
        return self.verifier.confirmed(pairs)

    def _copies_to_verify(self, asked: Rows, text: BlockPlaces) -> tuple[Rows, Rows]:
        """The documents asked about, and the copy of each candidate text that is compared with them.

        This is the first unchanged copy. If that is the file asked about, which may have been edited since, it is the
        next one. If there is no other copy, the pair is left out.
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
        """For every text its first unchanged copy, and the next unchanged one, or -1.

        If no copy is unchanged, the first copy is returned.
        """
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


def ranked(corpus: ConcatenatedCorpus, pairs: Pairs, top: int) -> Pairs:
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
