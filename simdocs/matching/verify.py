"""Verification of candidate pairs, whose documents workers read again, a block of pairs at a time.

Before that, bitmaps and signatures drop pairs that are certainly, or nearly certainly, not similar.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import partial

import numpy as np

from simdocs.engines.engine import Run, WorkerState
from simdocs.kernels import jaccard
from simdocs.kernels.jaccard import WORD, bits_for, containments, most_common, of_overlaps
from simdocs.matching.corpus import NAMED_AT_ONCE, Corpus, name_prefix
from simdocs.model.groups import NestedPairs, Pairs
from simdocs.model.ragged import (
    BATCH_BYTES,
    BlockPlaces,
    Floats,
    GrowingArray,
    Index,
    Keys,
    Mask,
    Ragged,
    Rows,
    TextNumbers,
    batches,
    distinct,
)
from simdocs.model.skipped import ALTERED, GONE, WITHOUT_FILE, Skip
from simdocs.options.recipes import Shingling
from simdocs.pipeline.again import ReloadRequest, SetSource, found, load_token_sets, of_unchanged_files, reload_texts

_BLOCK_BYTES = 4 * BATCH_BYTES
"""Text of the documents in one block. Their token sets take about 4 bytes for each byte of text."""

_TILE_BYTES = _BLOCK_BYTES // 4
"""Text of the left documents that are processed together, with all documents that they are compared with."""

_MOST_PAIRS = 4096
"""The largest number of pairs in a block, unless there are very many."""

_FEWEST_BLOCKS = 16
"""Very many pairs are cut into at least this number of blocks: enough for all workers, and so large that the documents
of a block have many pairs each."""

TokenSources = Sequence[tuple[BlockPlaces, SetSource]]
"""The sources of the token sets of some documents, each with the places of its sets among the documents."""


def verify_block(
    block: tuple[TokenSources, BlockPlaces, BlockPlaces], state: WorkerState, shingling: Shingling
) -> tuple[Floats, list[Skip]]:
    """The Jaccard similarity of each pair, or NaN if a document is missing or has changed, and the skips of those.

    block: the sources of the token sets of some documents, each of which is loaded once; and pairs of their places.
    """
    sources, left, right = block
    sets, rows, loaded, skips = _load(sources, state, shingling)
    known = loaded[left] & loaded[right]
    similarity = np.full(len(left), np.nan)
    similarity[known] = jaccard.exact(sets, rows[left[known]], rows[right[known]])
    return similarity, skips


def make_bitmaps(
    sources: TokenSources, state: WorkerState, shingling: Shingling, bits: int
) -> tuple[Keys, Index, Mask, list[Skip]]:
    """The bitmaps of documents, in order: uint64 (N, words); the sizes of their token sets; which were found; skips.

    sources: the sources of their token sets. bits: of each bitmap.
    """
    sets, order, loaded, skips = _load(sources, state, shingling)
    sets = sets.take(order)
    return jaccard.bitmaps(sets, bits), sets.lengths, loaded, skips


def _load(sources: TokenSources, state: WorkerState, shingling: Shingling) -> tuple[Ragged, Index, Mask, list[Skip]]:
    """Token sets; of each document the row of its set, and whether it was found; and the skips of the others."""
    parts, masks, skips = [], [], list[Skip]()
    for _, source in sources:
        sets, loaded, lost = load_token_sets(source, state, shingling)
        parts.append(sets)
        masks.append(loaded)
        skips += lost
    order = np.argsort(np.concatenate([places for places, _ in sources]))
    return Ragged.concat(parts, np.uint32), order, np.concatenate(masks)[order], skips


def blocks_of_pairs(lefts: BlockPlaces, rights: BlockPlaces, sizes: Index) -> list[Index]:
    """The pairs of each block, as numbers of pairs. sizes: the bytes of each document.

    The documents of a block hold at most _BLOCK_BYTES, unless it is one larger pair. Few documents are read twice: a
    few left ones are read at a time, with all their partners.
    """
    documents, place = numbered(lefts, len(sizes))
    tile = np.cumsum(sizes[documents]) // _TILE_BYTES
    order = np.lexsort((lefts, rights, tile[place]))
    blocks, start = list[Index](), 0
    most, first_place = max(_MOST_PAIRS, len(order) // _FEWEST_BLOCKS), np.empty(len(sizes), np.int64)
    while start < len(order):
        some = order[start : start + most]
        both = np.column_stack((lefts[some], rights[some])).ravel()
        every = np.arange(len(both))
        first_place[both[::-1]] = every[::-1]  # the last that is written stays
        held = np.cumsum(np.where(first_place[both] == every, sizes[both], 0))[1::2]
        blocks.append(some[: max(1, int(np.searchsorted(held, _BLOCK_BYTES, side="right")))])
        start += len(blocks[-1])
    return blocks


def numbered(values: Index, size: int) -> tuple[Index, BlockPlaces]:
    """The distinct values, ascending, and the place of each value among them: np.unique. All are below `size`."""
    if size > len(values):
        distinct_values, places = np.unique(values, return_inverse=True)
        return distinct_values, places
    there = np.zeros(size, bool)
    there[values] = True
    place = np.cumsum(there)
    return np.flatnonzero(there), place[values] - 1


_TRIES = 2
"""Comparisons without a match after which the bitmap of a document is made."""

_MOST_BYTES = 64 << 20
"""Bytes of all bitmaps: those of 32,000 documents with 4,000 tokens each at a threshold of 0.8."""

_AT_ONCE = 1 << 20
"""Bytes of bitmaps that are compared at once, while they are in cache."""

_NONE, _LOST = -1, -2
"""The place of the bitmap of a document that has none, and of one that could not be read."""


class BitmapFilter:
    """Which pairs of the documents of a corpus certainly stay below the threshold.

    measure: what is compared with the threshold, Jaccard similarity or the larger containment.
    bits: of each bitmap; 0 until there are any.
    """

    def __init__(self, documents: int, threshold: float, measure: str = "jaccard") -> None:
        self._threshold, self._measure, self.bits = threshold, measure, 0
        self._unmatched = np.zeros(documents, np.uint8)
        self._place = np.full(documents, _NONE, np.int32)
        self._sizes, self._maps = GrowingArray(np.int64), GrowingArray(np.uint64)

    def learn(self, left: Rows, right: Rows) -> None:
        """Record pairs that an exact comparison found not to be similar."""
        rows, counts = np.unique(np.concatenate((left, right)), return_counts=True)
        self._unmatched[rows] = np.minimum(self._unmatched[rows] + counts, _TRIES)

    def lacking(self, left: Rows, right: Rows) -> Rows:
        """The documents of these pairs that should get a bitmap; ascending."""
        if len(self._sizes) * self.bits >= 8 * _MOST_BYTES:
            return np.empty(0, np.int64)
        both = (self._unmatched[left] >= _TRIES) & (self._unmatched[right] >= _TRIES)
        rows = np.concatenate((left[both], right[both]))
        return distinct(rows[self._place[rows] == _NONE])

    def add(self, rows: Rows, maps: Keys, sizes: Index, loaded: Mask) -> None:
        """Add the bitmaps of these documents, which have `bits` bits: see `make_bitmaps`."""
        self._place[rows] = _LOST
        self._place[rows[loaded]] = len(self._sizes) + np.arange(np.count_nonzero(loaded))
        self._sizes.add(sizes[loaded])
        self._maps.add(maps[loaded].reshape(-1))

    def below(self, left: Rows, right: Rows) -> Mask:
        """Which pairs are certainly below the threshold. A pair without two bitmaps is not."""
        out = np.zeros(len(left), bool)
        if not self.bits:
            return out
        words = self.bits // WORD
        sizes, maps, per = self._sizes.all(), self._maps.all().reshape(-1, words), max(1, _AT_ONCE // (16 * words))
        both = np.flatnonzero((self._place[left] >= 0) & (self._place[right] >= 0))
        for at in range(0, len(both), per):
            one, other = (self._place[rows[both[at : at + per]]] for rows in (left, right))
            common = most_common(maps[one], maps[other], sizes[one], sizes[other])
            if self._measure == "jaccard":
                score = of_overlaps(common, sizes[one], sizes[other])
            else:
                score = containments(common, np.minimum(sizes[one], sizes[other]))
            out[both[at : at + per]] = score < self._threshold
        return out


_TOGETHER = 1 << 16
"""Pairs that are verified before the bitmap filter checks the next ones."""


@dataclass(frozen=True, slots=True)
class Verifier:
    """Decides which candidate pairs of a corpus are similar. It counts and reports in its run.

    measure: what is compared with the threshold; containment needs the token sets in memory.
    exact: the exact similarity decides; otherwise the estimate.
    no_prefilter: compute the exact similarity of every candidate, however low its estimate is.
    """

    corpus: Corpus
    threshold: float
    run: Run
    _: KW_ONLY
    measure: str = "jaccard"
    exact: bool = True
    no_prefilter: bool = False
    _bitmaps: BitmapFilter = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_bitmaps", BitmapFilter(len(self.corpus), self.threshold, self.measure))

    def for_corpus(self, corpus: Corpus) -> Verifier:
        """A verifier with the same rules, in the same run, for another corpus."""
        return replace(self, corpus=corpus)

    def similar(self, left: Rows, right: Rows) -> Pairs:
        """The candidate pairs at the threshold or above, in the order given."""
        tally, found = self.run.tally, list[Pairs]()
        for at in range(0, max(1, len(left)), _TOGETHER):
            lefts, rights = left[at : at + _TOGETHER], right[at : at + _TOGETHER]
            tally.candidates += len(lefts)
            if self.exact:
                pairs = self._measured(self._compared(lefts, rights))
                tally.verified += len(pairs)
                enough = pairs.score >= self.threshold
                self._bitmaps.learn(pairs.left[~enough], pairs.right[~enough])
            else:
                pairs = Pairs(lefts, rights, np.full(len(lefts), np.nan), self.corpus.estimates(lefts, rights))
                enough = pairs.score >= self.threshold
            tally.similar += int(np.count_nonzero(enough))
            if tally.watch is not None:
                tally.watch(tally)
            found.append(pairs if enough.all() else pairs.take(np.flatnonzero(enough)))
        return found[0] if len(found) == 1 else type(found[0]).concat(found)

    def _compared(self, left: Rows, right: Rows) -> Pairs:
        """Those of these pairs that may be similar and whose documents are as they were, with their exact similarity.

        In a crowd, most are dropped by bitmaps, in less time than an estimate takes.
        """
        self._make_bitmaps(self._bitmaps.lacking(left, right))
        likely = np.flatnonzero(~self._bitmaps.below(left, right))
        left, right = left[likely], right[likely]
        estimate = self.corpus.estimates(left, right)
        if not self.no_prefilter:
            likely = np.flatnonzero(~jaccard.below_prefilter(estimate, self.threshold, self.corpus.num_perm))
            left, right, estimate = left[likely], right[likely], estimate[likely]
        similarity = self.exact_jaccard(left, right)
        pairs = Pairs(left, right, similarity, estimate)
        return pairs.take(np.flatnonzero(~np.isnan(similarity)))

    def of_copies(self, left: Rows, right: Rows) -> Pairs:
        """Pairs of copies of a text."""
        pairs = Pairs.of_copies(left, right, exact=self.exact)
        if self.measure == "jaccard":
            return pairs
        ones = pairs.jaccard
        return NestedPairs(left, right, ones, pairs.estimate, ones, ones)

    def _measured(self, pairs: Pairs) -> Pairs:
        """The pairs with the measure that is compared with the threshold, computed from their exact similarity."""
        if self.measure == "jaccard":
            return pairs
        assert self.corpus.sets_in_memory is not None
        sets, place = self.corpus.sets_in_memory
        left, right = (sets.lengths[place[rows]] for rows in (pairs.left, pairs.right))
        common = jaccard.overlaps_of(np.nan_to_num(pairs.jaccard), left, right)
        both = containments(common, left), containments(common, right)
        return NestedPairs(pairs.left, pairs.right, pairs.jaccard, pairs.estimate, *both)

    def exact_jaccard(self, left: Rows, right: Rows) -> Floats:
        """The exact Jaccard similarity of pairs of rows, or NaN if a document is missing or has changed.

        Missing and changed documents are reported. Copies of a text have 1. They are checked again only if an earlier
        run read them.
        """
        similarity = np.ones(len(left))
        rows, places = numbered(np.concatenate((left, right)), len(self.corpus))
        facts = self.corpus.facts(rows)
        sizes, digests = facts["size"].copy(), facts["digest"].copy()
        del facts  # they would take as much memory as all that is looked up for the blocks below
        # From here on, documents are numbered by their places among the rows.
        lefts, rights = places[: len(left)], places[len(left) :]
        alike = digests[lefts, 0] == digests[rights, 0]
        some = np.flatnonzero(alike)
        alike[some] = (digests[lefts[some]] == digests[rights[some]]).all(axis=1)
        copies = distinct(np.concatenate((lefts[alike], rights[alike])))
        lost = copies[~self.unchanged(rows[copies])]
        similarity[alike & (np.isin(lefts, lost) | np.isin(rights, lost))] = np.nan
        unlike = np.flatnonzero(~alike)
        lefts, rights = lefts[unlike], rights[unlike]
        read = distinct(np.concatenate((lefts, rights)))  # copies were looked up above
        self.copy(rows[read])
        blocks = blocks_of_pairs(lefts, rights, sizes)
        work = partial(verify_block, shingling=self.corpus.recipe.shingling)

        def wanted() -> Iterator[tuple[TokenSources, BlockPlaces, BlockPlaces]]:
            for block in blocks:
                documents, places = numbered(np.concatenate((lefts[block], rights[block])), len(rows))
                yield self.corpus.sources(rows[documents]), places[: len(block)], places[len(block) :]

        missing = set[tuple[bytes, bytes]]()
        for block, (values, skips) in zip(blocks, self.run.engine.map(work, wanted()), strict=True):
            similarity[unlike[block]] = values
            missing |= self.report(skips)
        self.looked_for(int(self.corpus.recorded(rows[read]).sum()), missing)
        return similarity

    def confirmed(self, pairs: Pairs) -> Pairs:
        """The pairs without those of documents that are missing or have changed since an earlier run read them.

        Copies of a text need this check, because they are not read again.
        """
        if not self.exact:
            return pairs
        rows, _ = numbered(np.concatenate((pairs.left, pairs.right)), len(self.corpus))
        lost = rows[~self.unchanged(rows)]
        if not len(lost):
            return pairs
        return pairs.take(np.flatnonzero(~(np.isin(pairs.left, lost) | np.isin(pairs.right, lost))))

    def unchanged(self, rows: Rows) -> Mask:
        """Which documents are unchanged since an earlier run read them. The others are reported.

        Documents that this run has read count as unchanged.
        """
        good, missing, recorded = np.ones(len(rows), bool), set[tuple[bytes, bytes]](), 0
        for places, request in self._recorded(rows):
            good[places] = of_unchanged_files(request, range(len(places)))
            recorded += len(places)
        unsure = np.flatnonzero(~good)
        self.copy(rows[unsure])
        for cut in batches(self.corpus.facts(rows[unsure])["size"]):
            some = unsure[cut.start : cut.stop]
            for places, request in self.corpus.readings(rows[some]):
                texts, skips = reload_texts(request, self.corpus.recipe.shingling)
                good[some[places[[place for place, _ in texts]]]] = True
                missing |= self.report(skips)
        self.looked_for(recorded, missing)
        return good

    def found(self, rows: Rows) -> Mask:
        """Which documents still have a file, changed or not. The others are reported. No file is read."""
        good = np.ones(len(rows), bool)
        for places, request in self._recorded(rows):
            good[places], skips = found(request)
            self.looked_for(len(places), self.report(skips))
        return good

    def _recorded(self, rows: Rows) -> Iterator[tuple[BlockPlaces, ReloadRequest]]:
        """Yield what is known of the documents among these that an earlier run has read, with their places."""
        recorded = np.flatnonzero(self.corpus.recorded(rows))
        for at in range(0, len(recorded), NAMED_AT_ONCE):
            some = recorded[at : at + NAMED_AT_ONCE]
            for places, request in self.corpus.requests(rows[some]):
                yield some[places], request

    def copy(self, rows: Rows) -> None:
        """Copy those of these documents that cannot be read again where they are, before they are compared.

        OutputError: there is no room for the copies.
        """
        if self.exact:
            self.corpus.copy(rows, self.run)

    def lost_copies(self, rows: Rows, texts: TextNumbers) -> Mask:
        """Which documents with copies are missing or have changed since an earlier run read them.

        Only texts with several documents are checked, because another copy can take the place of a lost one. Documents
        without copies are checked when they are read again. texts: the number of each row's text.
        """
        lost = np.zeros(len(rows), bool)
        if self.exact and len(rows):
            copied = np.flatnonzero(np.bincount(texts)[texts] > 1)
            lost[copied] = ~self.unchanged(rows[copied])
        return lost

    def below_prefilter(self, left: Rows, right: Rows) -> Mask:
        """Which candidate pairs are dropped because of their estimates, without reading their documents."""
        if not self.exact or self.no_prefilter:
            return np.zeros(len(left), bool)
        return jaccard.below_prefilter(self.corpus.estimates(left, right), self.threshold, self.corpus.num_perm)

    def report(self, skips: list[Skip]) -> set[tuple[bytes, bytes]]:
        """Report documents that are missing or have changed, each once. Return the roots and names of missing ones."""
        tally = self.run.tally
        for skip in skips:
            if (skip.root, skip.name) not in tally.lost:
                tally.lost.add((skip.root, skip.name))
                tally.without_file += skip.detail == WITHOUT_FILE
                if skip.root:  # or else this run has read it
                    tally.outdated += skip.detail in (GONE, ALTERED)
                    tally.missing_from |= {skip.root} if skip.detail == GONE else set()
                self.run.skipped.add(skip._replace(root=name_prefix(None, skip.root)))
        return {(skip.root, skip.name) for skip in skips if skip.detail == GONE}

    def looked_for(self, documents: int, missing: set[tuple[bytes, bytes]]) -> None:
        """Record whether any of this number of documents of an artifact was found."""
        self.run.tally.located |= documents > len(missing)

    def _make_bitmaps(self, rows: Rows) -> None:
        """Make the bitmaps of these documents. Missing and changed documents are reported."""
        if not len(rows):
            return
        self.copy(rows)
        facts = self.corpus.facts(rows)
        self._bitmaps.bits = self._bitmaps.bits or bits_for(float(facts["length"].mean()), self.threshold)
        cuts = list(batches(facts["size"]))
        work = partial(make_bitmaps, shingling=self.corpus.recipe.shingling, bits=self._bitmaps.bits)
        wanted = (self.corpus.sources(rows[cut.start : cut.stop]) for cut in cuts)
        for cut, (maps, sizes, loaded, skips) in zip(cuts, self.run.engine.map(work, wanted), strict=True):
            self._bitmaps.add(rows[cut.start : cut.stop], maps, sizes, loaded)
            self.report(skips)
