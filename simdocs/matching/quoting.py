"""Passages that documents have in common with the documents of an index.

Each document of the index that may have one is read again. Candidates come from the sketch of the index: for stretches
of a query, the documents that have tokens of the stretch that few documents have. Without a sketch, all documents are
read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from simdocs.engines.engine import WorkerState
from simdocs.kernels.buckets import bucket_bounds, equal_runs
from simdocs.kernels.fracminhash import CUT_OFF
from simdocs.kernels.shinglers import normalised_texts, text_tokens
from simdocs.matching.lookup import OF_EXACT, Lookup, first_copies, owners_at, texts_of_index
from simdocs.matching.passage_search import PassageSearch
from simdocs.model.artifact import BandIndex
from simdocs.model.comparison import CommonPassage
from simdocs.model.ragged import (
    Array,
    Index,
    Ragged,
    Rows,
    Tokens,
    batches,
    distinct,
    joined,
    offsets_of,
    ranges,
    row_blocks,
)
from simdocs.model.skipped import Skip
from simdocs.options.families import UNITS
from simdocs.options.recipes import Shingling
from simdocs.pipeline.again import ReloadRequest, reload_texts
from simdocs.pipeline.signing import shingled

_STRETCH = 512
"""Shingles in a stretch of a query. Every stretch begins in the middle of the one before it. The sketch has about 8
tokens of it."""

_FEWEST = 5
"""A query of which the sketch can have fewer tokens than this is compared with all documents."""

_BY_CHANCE = 16
"""A document is a candidate if, were tokens independent, at most this number of documents would have by chance the
tokens of a stretch that it has."""

_COMMON = 1 << 10, 1 / 8
"""A token is not looked at if more documents have it than both this number and this fraction of all."""

_HITS_AT_ONCE = 1 << 20
"""Entries of the sketch that are processed together: about 50 MiB."""

_BYTES_AT_ONCE = 1 << 20
"""Bytes of the queries that are looked for at once. They are sent to the workers with each block of documents."""

_PLACES_A_TOKEN = 32
"""Places of a table of tokens for each token in it: of other tokens, about 3% are taken for one of them."""


class Quote(NamedTuple):
    """A passage that a query has in common with a document of the index.

    query: the place of the query. row: the row of the document in the index.
    """

    query: int
    row: int
    passage: CommonPassage


class _Queries(NamedTuple):
    """Queries as workers need them: their texts as UTF-8, how passages are found in them, and what is left out."""

    texts: tuple[bytes, ...]
    shingling: Shingling
    least: int
    ignored: Tokens

    @property
    def windows(self) -> Shingling:
        """The shingling whose tokens show where a passage may be: one that has a shingle at every unit."""
        begins_at_stop_words = UNITS[self.shingling.unit].begins_at_stop_words
        return self.shingling.but(multiset=False, unit="word" if begins_at_stop_words else self.shingling.unit)


class _Searches:
    """The searches for the passages of some queries, which a worker keeps from one block of documents to the next."""

    def __init__(self) -> None:
        self._queries: _Queries | None = None
        self._search: PassageSearch | None = None
        self._tokens, self._owners, self._table = np.empty(0, np.uint32), np.empty(0, np.int64), np.zeros(1, bool)

    def close(self) -> None:
        """Forget all searches."""
        self._queries = self._search = None

    def prepare(self, queries: _Queries) -> None:
        """Make the searches of these queries, if they are not those that are held; all leave out the same tokens."""
        if self._queries is not None and queries[:3] == self._queries[:3]:
            return
        self._queries, self._search = queries, None
        each = [distinct(_tokens(text, queries.windows)) for text in queries.texts]
        sets = Ragged.from_rows(each, np.uint32)
        order = np.argsort(sets.values, kind="stable")
        self._tokens, self._owners = sets.values[order], np.repeat(np.arange(len(sets)), sets.lengths)[order]
        self._table = np.zeros(1 << max(16, (_PLACES_A_TOKEN * len(order)).bit_length()), bool)
        self._table[self._tokens & np.uint32(len(self._table) - 1)] = True

    def likely(self, tokens: Ragged) -> list[tuple[int, int]]:
        """The pairs of a text and a query that may have a passage in common. No pair that has one is missing.

        They have as many tokens in a row as the shortest passage. tokens: the tokens of each text, in text order.
        """
        assert self._queries is not None
        least = self._queries.least - self._queries.windows.k + 1
        known = self._table[tokens.values & np.uint32(len(self._table) - 1)]
        begins, ends = _runs(np.flatnonzero(known), least)
        places = ranges(begins, ends - begins)
        # Few places are left. Which queries have their tokens?
        values = tokens.values[places]
        low, high = np.searchsorted(self._tokens, values), np.searchsorted(self._tokens, values, side="right")
        owners = self._owners[ranges(low, high - low)]
        size = 1 + len(tokens.values)
        begins, ends = _runs(np.sort(owners * size + np.repeat(places, high - low)), least)
        queries, begins = np.divmod(begins, size)
        firsts = np.searchsorted(tokens.offsets, begins, side="right") - 1
        lasts = np.searchsorted(tokens.offsets, ends - 1 - queries * size, side="right") - 1
        rows = ranges(firsts, lasts - firsts + 1)
        return sorted(set(zip(rows.tolist(), np.repeat(queries, lasts - firsts + 1).tolist(), strict=True)))

    @property
    def search(self) -> PassageSearch:
        """The search for the passages of all queries."""
        if self._search is None:
            assert self._queries is not None
            self._search = PassageSearch(*self._queries)
        return self._search


def _tokens(text: bytes, shingling: Shingling) -> Tokens:
    """The tokens of a text in UTF-8, in text order."""
    return text_tokens(normalised_texts(joined([text]), shingling), shingling).values


def _runs(numbers: Index, least: int) -> tuple[Index, Index]:
    """Where runs of at least `least` consecutive numbers begin, and the number after each. numbers: ascending."""
    cuts = np.flatnonzero(np.diff(numbers) != 1) + 1
    firsts, ends = np.append(0, cuts), np.append(cuts, len(numbers))
    long = np.flatnonzero(ends - firsts >= least)
    return numbers[firsts[long]], numbers[ends[long] - 1] + 1


def _quotes_in_block(
    block: tuple[ReloadRequest, list[list[int]] | None], state: WorkerState, queries: _Queries
) -> tuple[list[tuple[int, int, list[CommonPassage]]], list[Skip]]:
    """The place of each document with passages, the query, and the passages; and the skips of documents.

    block: documents of the index to read again, and the queries that each is compared with; None: all queries.
    """
    request, wanted = block
    searches = state.get(_Searches)
    searches.prepare(queries)
    read, skips = reload_texts(request, queries.shingling)
    found = list[tuple[int, int, list[CommonPassage]]]()
    for part in shingled([text for _, text in read], queries.windows):
        for at, asked in groupby(searches.likely(part.tokens), itemgetter(0)):
            place, text = read[int(part.places[at])]
            some = [query for _, query in asked if wanted is None or query in wanted[place]]
            if some:
                other = searches.search.placed(text)
                found += [(place, query, searches.search.passages(query, other)) for query in some]
    return found, skips


def find_quotes(
    lookup: Lookup, texts: Iterator[tuple[int, bytes]], least: int, *, by_sketch: bool
) -> Iterator[tuple[list[tuple[int, bytes]], list[Quote]]]:
    """Yield some queries and the passages that they have in common with the documents of an index.

    They come in the order of the queries, in no order otherwise.

    lookup: the index, and the queries. texts: the place of each query, and its text in UTF-8.
    least: the least number of units in a passage.
    by_sketch: read only the candidates that the sketch of the index finds. A query of which it has too few tokens is
        compared with all documents.
    """
    why = OF_EXACT
    if by_sketch:
        why = "a document is too short for its sketch"
    elif not lookup.verifier.no_prefilter:
        why = "it has no sketch: to avoid that, build it with simdocs index --containment"
    held, size, every = list[tuple[int, bytes]](), 0, partial(lookup.every_text(), why)
    for place, text in texts:
        if held and size + len(text) > _BYTES_AT_ONCE:
            yield held, _quotes(lookup, held, least, every, by_sketch=by_sketch)
            held, size = [], 0
        held.append((place, text))
        size += len(text)
    if held:
        yield held, _quotes(lookup, held, least, every, by_sketch=by_sketch)


def _quotes(
    lookup: Lookup, held: Sequence[tuple[int, bytes]], least: int, every: Callable[[], Ragged], *, by_sketch: bool
) -> list[Quote]:
    """The passages of these queries, without those that a document of the index has in common with itself."""
    indexed, tally = lookup.indexed, lookup.verifier.run.tally
    shingling = indexed.recipe.shingling
    queries = _Queries(tuple(text for _, text in held), shingling, least, indexed.ignored)
    undecided, pairs = list(range(len(held))), list[tuple[int, int]]()
    if by_sketch:
        for query, text in enumerate(queries.texts):
            tokens = _tokens(text, shingling.but(multiset=False))
            sampled = np.flatnonzero((tokens < CUT_OFF) & ~np.isin(tokens, indexed.ignored))
            if len(sampled) >= _FEWEST:
                undecided.remove(query)
                found_rows = _candidates(lookup.index, sampled, tokens[sampled])
                pairs += [(query, row) for row in found_rows.tolist()]
        tally.undecided += len(undecided)
    tally.candidates += len(pairs)
    found = list[Quote]()
    if pairs:
        rows = distinct(np.array([row for _, row in pairs], np.int64))
        asked = dict[int, list[int]]()
        for query, row in pairs:
            asked.setdefault(row, []).append(query)
        found += _read(lookup, queries, texts_of_index(indexed, lookup.verifier, rows), asked)
    if undecided:
        some = queries._replace(texts=tuple(queries.texts[query] for query in undecided))
        found += [each._replace(query=undecided[each.query]) for each in _read(lookup, some, every(), None)]
    found = [each._replace(query=held[each.query][0]) for each in found]
    if lookup.itself or not found:
        return found
    unique, place = np.unique(np.array([each[:2] for each in found]), axis=0, return_inverse=True)
    same = lookup.same(unique[:, 0], unique[:, 1])[place.ravel()]
    return [each for each, itself in zip(found, same.tolist(), strict=True) if not itself]


def _read(lookup: Lookup, queries: _Queries, texts: Ragged, asked: dict[int, list[int]] | None) -> Iterator[Quote]:
    """Yield the passages in these texts, for each document that has the text.

    asked: for the first row of each text in the index the queries that it is compared with; None: all.
    """
    indexed, verifier, run = lookup.indexed, lookup.verifier, lookup.verifier.run
    rows = first_copies(texts)
    firsts = lookup.index["same_as"].all()[rows].tolist()
    cuts = list(batches(indexed.facts(rows)["size"]))
    indexed.copy(rows, run, texts=True)

    def blocks() -> Iterator[tuple[ReloadRequest, list[list[int]] | None]]:
        for cut in cuts:
            ((_, request),) = indexed.readings(rows[cut.start : cut.stop])
            yield request, None if asked is None else [asked[firsts[at]] for at in cut]

    work = partial(_quotes_in_block, queries=queries)
    for cut, (found, skips) in zip(cuts, run.engine.map(work, blocks()), strict=True):
        verifier.looked_for(len(cut), verifier.report(skips))
        for place, query, passages in found:
            for row in texts[cut.start + place].tolist():
                yield from (Quote(query, row, passage) for passage in passages)
        run.tally.verified += len(cut) - len(skips)
        run.progress("reading again", cut.stop, len(rows))


def _candidates(index: BandIndex, positions: Index, tokens: Tokens) -> Rows:
    """The documents of an index, ascending, that may have a stretch of a query in common with it.

    positions, tokens: those of the query that a sketch has.
    """
    half = _STRETCH // 2
    stretches = np.concatenate((positions // half, positions // half + 1))
    entries = distinct(stretches.astype(np.uint64) << np.uint64(32) | np.tile(tokens, 2).astype(np.uint64))
    stretches, tokens = (entries >> np.uint64(32)).astype(np.int64), entries.astype(np.uint32)
    known: Array
    known, place = np.unique(tokens, return_inverse=True)
    begins, ends = (
        each[0] for each in bucket_bounds(known[np.newaxis], len(index["sketch_tokens"]), index["sketch_tokens"].at)
    )
    sizes = (ends - begins)[place]
    documents = max(1, int(np.count_nonzero(index["same_as"].all() == np.arange(index.n_documents))))
    some = np.flatnonzero((sizes > 0) & (sizes <= max(_COMMON[0], int(_COMMON[1] * documents))))
    stretches, begins, sizes = stretches[some], begins[place[some]], sizes[some]
    # How surprising it is that a document has a token.
    surprise = np.log(documents / sizes)
    least = np.log(documents / _BY_CHANCE)
    bounds, _ = equal_runs(stretches)
    of_stretch = np.append(bounds, len(stretches))
    hits = offsets_of(np.add.reduceat(sizes, bounds)) if len(bounds) else np.zeros(1, np.int64)
    found = [np.empty(0, np.int64)]
    for first, end in row_blocks(hits, _HITS_AT_ONCE):
        cut = slice(int(of_stretch[first]), int(of_stretch[end]))
        rows = owners_at(index, ranges(begins[cut], sizes[cut]), "sketch_rows")
        pairs = np.repeat(stretches[cut], sizes[cut]) * index.n_documents + rows
        order = np.argsort(pairs, kind="stable")
        pairs = pairs[order]
        starts, _ = equal_runs(pairs)
        score = np.add.reduceat(np.repeat(surprise[cut], sizes[cut])[order], starts)
        found.append(pairs[starts[score >= least]] % index.n_documents)
    return distinct(np.concatenate(found))
