"""Lookups in an index: candidates from its bucket tables, of which only the needed blocks are read, and matches."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simdocs.kernels.buckets import PAIRS_AT_ONCE, band_keys, bucket_bounds, equal_runs
from simdocs.kernels.prefix_index import prefix_index, similar_candidates
from simdocs.matching.candidates import held_sets
from simdocs.matching.corpus import Corpus
from simdocs.matching.verify import Verifier
from simdocs.model.artifact import BandIndex, damaged
from simdocs.model.documents import WITHOUT_TOKENS
from simdocs.model.groups import Pairs
from simdocs.model.ragged import (
    Array,
    BlockPlaces,
    Index,
    Keys,
    Mask,
    Ragged,
    Rows,
    Tokens,
    distinct,
    ranges,
)
from simdocs.names import is_uri, path_from
from simdocs.reading.files import file_id, status_of

_ASKED_AT_ONCE = 1 << 12
"""Queries that are looked up at once."""

_MATCHES_AT_ONCE = 1 << 20
"""Matches, with all copies, that are held in memory at once: some 100 MiB with their names."""


def index_of(indexed: Corpus) -> BandIndex:
    """The index whose documents these are."""
    assert indexed.index is not None
    return indexed.index


def bounds(index: BandIndex, signatures: Tokens, rows: Rows) -> tuple[Keys, Index, Index]:
    """The band keys of these rows of signatures, for the bands of the index: (B, len(rows)) uint64; and where the
    bucket of each begins and ends in the flattened tables: two arrays of the same shape."""
    keys = band_keys(signatures, rows, *index.recipe.banding.cut)
    return keys, *bucket_bounds(keys, index["band_keys"].shape[1], index["band_keys"].at)


def candidates(index: BandIndex, signatures: Tokens, rows: Rows) -> Iterator[tuple[Rows, BlockPlaces, Rows]]:
    """Yield the candidates of these rows of signatures, some rows at a time, in order.

    Each item has the rows, and distinct pairs, ascending, of a place among these rows and a row of the index that
    shares a bucket.
    """
    size = index.n_documents
    copies = np.bincount(index["same_as"].all(), minlength=size)
    for at in range(0, len(rows), _ASKED_AT_ONCE):
        part = rows[at : at + _ASKED_AT_ONCE]
        _, begins, ends = bounds(index, signatures, part)
        counts = ends - begins
        # A block has about PAIRS_AT_ONCE pairs, or one document.
        block = np.cumsum(counts.sum(axis=0)) // PAIRS_AT_ONCE
        for number in distinct(block).tolist():
            here = np.flatnonzero(block == number)
            found = owners_at(index, ranges(begins[:, here].ravel(), counts[:, here].ravel()))
            places = np.repeat(np.tile(np.arange(len(here)), len(begins)), counts[:, here].ravel())
            pairs = distinct(places * size + found)
            yield from cut_by_matches(part[here], pairs // size, pairs % size, copies)


def owners_at(index: BandIndex, places: Index, column: str = "band_rows") -> Rows:
    """The rows that the bucket tables, or the sketch, have at these places: each is the first document of its text.

    ArtifactError: a row is not, so its copies could not be found.
    """
    found: Rows = index[column].at(places).astype(np.int64)
    if (index["same_as"].all()[found] != found).any():
        raise damaged(f"{index.name}/{column}.npy", "holds a document that is not the first one with its text")
    return found


def cut_by_matches(
    rows: Rows, left: BlockPlaces, right: Rows, copies: Index
) -> Iterator[tuple[Rows, BlockPlaces, Rows]]:
    """Yield the same pairs in parts of about _MATCHES_AT_ONCE matches, with all copies of the texts on the right.

    A part with a single document may have more. copies: the number of documents with the text of each row of the index.
    """
    block = np.cumsum(np.bincount(left, copies[right], len(rows))) // _MATCHES_AT_ONCE
    starts = np.flatnonzero(np.append(True, block[1:] != block[:-1])[: len(block)])
    for start, stop in pairwise(np.append(starts, len(rows)).tolist()):
        low, high = np.searchsorted(left, (start, stop))
        yield rows[start:stop], left[low:high] - start, right[low:high]


def copies_of(same_as: Array, firsts: Rows) -> tuple[BlockPlaces, Rows]:
    """All documents with the texts of these first documents: the place of each among firsts, and its row.

    They ascend by both. firsts: ascending.
    """
    rows = np.flatnonzero(np.isin(same_as, firsts))
    place = np.searchsorted(firsts, same_as[rows])
    order = np.argsort(place, kind="stable")
    return place[order], rows[order]


def texts_of_index(indexed: Corpus, verifier: Verifier | None = None, firsts: Rows | None = None) -> Ragged:
    """The distinct texts of the documents of an index that have tokens, in row order: the rows of each, ascending.

    verifier: for these documents, to leave out copies that are missing or have changed; a document without copies is
    not lost until it is read. None: all copies. firsts: only these texts, by the first document that the index has of
    each; None: all.
    """
    same_as = index_of(indexed)["same_as"].all()
    rows = np.flatnonzero((indexed.every_fact.all()["flags"] & WITHOUT_TOKENS) == 0)
    if firsts is not None:
        rows = rows[np.isin(same_as[rows], firsts)]
    if verifier is not None:
        rows = rows[~verifier.lost_copies(rows, same_as[rows])]
    rows = rows[np.argsort(same_as[rows], kind="stable")]
    return Ragged.from_lengths(rows, equal_runs(same_as[rows])[1])


def first_copies(texts: Ragged) -> Rows:
    """The first row of each text."""
    return texts.values[texts.offsets[:-1]]


def every_candidate(
    verifier: Verifier, asked: Corpus, rows: Rows, most_memory: int | None
) -> Iterator[tuple[Rows, BlockPlaces, Rows]]:
    """Yield the candidates of these queries like `candidates`, by an exact join with the texts of the index.

    verifier: for the documents of the index. MemoryNeededError: see `held_sets`.
    """
    same_as = index_of(verifier.corpus)["same_as"].all()
    firsts = first_copies(texts_of_index(verifier.corpus, verifier))
    copies = np.bincount(same_as, minlength=len(same_as))
    # The queries come first, so that only their pairs with later sets are listed.
    sets = held_sets([(verifier.for_corpus(asked), rows), (verifier, firsts)], most_memory)
    for left, right in similar_candidates(prefix_index(sets, verifier.threshold), np.arange(len(rows))):
        across = right >= len(rows)
        if across.any():
            some, place = np.unique(left[across], return_inverse=True)
            yield from cut_by_matches(rows[some], place, same_as[firsts[right[across] - len(rows)]], copies)


Location = tuple[object, object, bytes]
"""The place of a document now: its file, by id or else by path, and the part of its name that names a line."""

_STAMPED = ("inode", "ctime_ns", "mtime_ns", "file_size", "line")
"""The facts that are equal if two documents are the same line of the same unchanged file."""


def locations(documents: Corpus, rows: Rows) -> list[Location]:
    """The places of these documents now. Nothing is read, so the text there may have changed."""
    names, ends = documents.names(rows), documents.facts(rows)["container"].tolist()
    lines = [name[end:] if end else b"" for name, end in zip(names, ends, strict=True)]
    files = [name[:end] if end else name for name, end in zip(names, ends, strict=True)]
    found = {file: _located(path_from(documents.root, file)) for file in set(files)}
    return [(*found[file], line) for file, line in zip(files, lines, strict=True)]


def _located(path: bytes) -> tuple[object, object]:
    if is_uri(path):
        from simdocs.reading.stores import digest_of

        return digest_of(path)
    try:
        return file_id(status_of(path))
    except OSError:
        return "", os.path.abspath(path)


def same_documents(first: Corpus, left: Rows, second: Corpus, right: Rows) -> Mask:
    """Whether documents left[i] of the first and right[i] of the second are the same file, or the same line of it.

    They are the same if inode and times are equal, or if both are found in the same place now.
    """
    # Facts are large, and the same document occurs in many pairs. So they are read once for each document.
    lefts, a = np.unique(left, return_inverse=True)
    rights, b = np.unique(right, return_inverse=True)
    ours, theirs = first.facts(lefts), second.facts(rights)
    same: Mask = ours["inode"][a] != 0
    from_files: Mask = same & (theirs["inode"][b] != 0)
    for name in _STAMPED:
        same &= ours[name][a] == theirs[name][b]
    numbers: dict[Location, int] = {}
    ours_now = _numbered_locations(first, left[from_files], numbers)
    same[from_files] |= ours_now == _numbered_locations(second, right[from_files], numbers)
    return same


def _numbered_locations(documents: Corpus, rows: Rows, numbers: dict[Location, int]) -> Index:
    """The locations of these documents as numbers. New locations are added to `numbers`."""
    unique, which = np.unique(rows, return_inverse=True)
    found = locations(documents, unique)
    return np.array([numbers.setdefault(location, len(numbers)) for location in found], np.int64)[which]


def in_same_place(documents: Corpus, rows: Rows, others: Corpus, other_rows: Rows) -> Mask:
    """Which of these documents are files, or lines of files, where one of the others is found now."""
    here = locations(documents, rows)
    inodes = [location[1] for location in here if isinstance(location[1], int)]
    there = set(locations(others, other_rows[np.isin(others.facts(other_rows)["inode"], inodes)]))
    return np.asarray((documents.facts(rows)["inode"] != 0) & np.array([at in there for at in here], bool))


def recognised(new: Corpus, recorded: Corpus) -> Mask:
    """Which new documents are recorded already, with the same text and the same file.

    A file is the same if its inode and times are, or if it is found in the same place now.
    """
    facts, theirs = new.every_fact.all(), recorded.every_fact.all()
    known = np.zeros(len(new), bool)
    rows = np.flatnonzero(np.isin(theirs["digest"][:, 0], facts["digest"][:, 0]) & (theirs["inode"] != 0))
    mine = np.flatnonzero(np.isin(facts["digest"][:, 0], theirs["digest"][rows, 0]))
    mine = mine[facts["inode"][mine] != 0]
    stamped = set(_with_digests(theirs[rows][list(_STAMPED)].tolist(), theirs[rows]))
    known[mine] = [mark in stamped for mark in _with_digests(facts[mine][list(_STAMPED)].tolist(), facts[mine])]
    mine = mine[~known[mine]]
    rows = rows[np.isin(theirs["digest"][rows, 0], facts["digest"][mine, 0])]
    there = set(_with_digests(locations(recorded, rows), theirs[rows]))
    known[mine] = [mark in there for mark in _with_digests(locations(new, mine), facts[mine])]
    return known


def _with_digests(marks: list[Any], facts: NDArray[np.void]) -> Iterator[tuple[object, ...]]:
    """Yield each mark with the digest of its document's text."""
    return ((*mark, *digest) for mark, digest in zip(marks, facts["digest"].tolist(), strict=True))


OF_EXACT = "--exact compares with every text"
"""Why all texts of an index are read again."""


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

    def explain_reading(self, texts: int, why: str = OF_EXACT) -> None:
        """Explain why all texts of the index are read again, if they are. texts: their number."""
        if self.indexed.sets is None:
            self.verifier.run.explain(f"reading all {texts:,} texts of the index again, because {why}")

    def every_text(self) -> Callable[[str], Ragged]:
        """A function that returns all texts of the index, given why they are read. It lists them at its first call."""
        listed = list[Ragged]()

        def every(why: str) -> Ragged:
            if not listed:
                listed.append(texts_of_index(self.indexed, self.verifier))
                self.explain_reading(len(listed[0]), why)
            return listed[0]

        return every

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
    def asked(self) -> Rows:
        """The row of each pair's query among the queries."""
        assert self.corpus.rows is not None
        return self.pairs.left - len(self.corpus.rows)

    @property
    def matches(self) -> Rows:
        """The row of each pair's match in the index."""
        assert self.corpus.rows is not None
        return self.corpus.rows[self.pairs.right]


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
        pairs = _matches(lookup, verifier.for_corpus(both), text, part[places], np.searchsorted(firsts, near))
        verifier.run.progress("looking up", int(part[-1]) + 1, len(asked))
        yield MatchBlock(both, ranked(both, pairs, lookup.top))


def _copy_candidates(lookup: Lookup) -> None:
    """Copy the documents that cannot be read again where they are together, if they are compared in several blocks."""
    asked, verifier = lookup.asked, lookup.verifier
    if len(lookup.filled) <= _ASKED_AT_ONCE or not verifier.exact:
        return
    ours, theirs = np.zeros(len(asked), bool), np.zeros(len(lookup.indexed), bool)
    for part, places, near in candidates(lookup.index, asked.signatures.all(), lookup.filled):
        ours[part[places]] = theirs[near] = True
    verifier.for_corpus(asked).copy(np.flatnonzero(ours))
    verifier.copy(np.flatnonzero(theirs))


def _matches(lookup: Lookup, block: Verifier, of: BlockPlaces, asked: Rows, text: BlockPlaces) -> Pairs:
    """The verified pairs of queries with all copies of their candidate texts, of which there is one for each query.

    A query is compared with the first unchanged copy, or with the next one if the first is the query itself, which may
    have been edited since. block: for the documents of the index that have the text of a candidate, followed by all
    queries. of: the text of each of these documents, by its place in the block, ascending.
    """
    assert block.corpus.rows is not None
    rows, size = block.corpus.rows, len(of)
    first, second = _unchanged_copies(block, of, size + asked, text)
    copy = first[text]
    if not lookup.itself:
        copy = np.where(lookup.same(asked, rows[copy]), second[text], copy)
        others = np.flatnonzero(copy >= 0)
        asked, copy = asked[others], copy[others]
    pairs = block.similar(size + asked, copy)
    begins, ends = (np.searchsorted(of, of[pairs.right], side=side) for side in ("left", "right"))
    pairs = pairs.take(np.repeat(np.arange(len(pairs)), ends - begins))
    pairs = replace(pairs, right=ranges(begins, ends - begins))
    if not lookup.itself:
        pairs = pairs.take(np.flatnonzero(~lookup.same(pairs.left - size, rows[pairs.right])))
    return block.confirmed(pairs)


def _unchanged_copies(block: Verifier, of: BlockPlaces, asked: Rows, text: BlockPlaces) -> tuple[Rows, Rows]:
    """The first unchanged copy of each text, or its first copy if none is; and the next unchanged one, or -1.

    asked: the queries, as rows of the block.
    """
    first = np.searchsorted(of, np.arange(of.max(initial=-1) + 1))
    second = np.full(len(first), -1)
    rows = np.flatnonzero(np.isin(of, text[~block.below_prefilter(asked, first[text])]))
    rows = rows[~block.lost_copies(rows, of[rows])]
    begins, sizes = equal_runs(of[rows])
    first[of[rows[begins]]] = rows[begins]
    more = begins[sizes > 1]
    second[of[rows[more]]] = rows[more + 1]
    return first, second


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
