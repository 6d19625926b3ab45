"""Blocks of documents whose token sets are loaded together, in a worker, to compare pairs or to make bitmaps;
and the filter of bitmaps, which drops pairs that are certainly not similar."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

import numpy as np

from simdocs.engines.engine import WorkerState
from simdocs.kernels import jaccard
from simdocs.kernels.jaccard import WORD, containments, most_common, of_overlaps
from simdocs.model.ragged import (
    BATCH_BYTES,
    NO_TOKENS,
    BlockPlaces,
    Floats,
    GrowingArray,
    Index,
    Keys,
    Mask,
    Ragged,
    Rows,
    Tokens,
    batches,
    distinct,
)
from simdocs.model.skipped import Skip
from simdocs.options.recipes import Shingling
from simdocs.pipeline.again import ReloadRequest
from simdocs.pipeline.reload import SetSource, reload_token_sets

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

    Few documents are read twice: a few left ones are read at a time, with all their partners.
    """
    documents, place = numbered(lefts, len(sizes))
    tile = np.cumsum(sizes[documents]) // _TILE_BYTES
    order = np.lexsort((lefts, rights, tile[place]))
    return [order[cut] for cut in cuts_of_pairs(lefts[order], rights[order], sizes)]


def numbered(values: Index, size: int) -> tuple[Index, BlockPlaces]:
    """The distinct values, ascending, and the place of each value among them: np.unique. All are below `size`."""
    if size > len(values):
        distinct_values, places = np.unique(values, return_inverse=True)
        return distinct_values, places
    there = np.zeros(size, bool)
    there[values] = True
    place = np.cumsum(there)
    return np.flatnonzero(there), place[values] - 1


def cuts_of_pairs(lefts: BlockPlaces, rights: BlockPlaces, sizes: Index) -> list[slice]:
    """Blocks of consecutive pairs whose documents hold at most _BLOCK_BYTES; a block may be one larger pair."""
    cuts, start = list[slice](), 0
    most, first_place = max(_MOST_PAIRS, len(lefts) // _FEWEST_BLOCKS), np.empty(len(sizes), np.int64)
    while start < len(lefts):
        end = min(start + most, len(lefts))
        both = np.column_stack((lefts[start:end], rights[start:end])).ravel()
        every = np.arange(len(both))
        first_place[both[::-1]] = every[::-1]  # the last that is written stays
        held = np.cumsum(np.where(first_place[both] == every, sizes[both], 0))[1::2]
        end = min(end, start + max(1, int(np.searchsorted(held, _BLOCK_BYTES, side="right"))))
        cuts.append(slice(start, end))
        start = end
    return cuts


_CACHE_BYTES = 4 << 20
"""Bytes of token sets that a worker caches at least. If every document is compared with many others, round after round,
reading them again each time would cost more than all comparisons. So the cache also takes the room that the worker has
to spare: with 64 MB instead of 16, 5,000 licences take 0.86 of the CPU by characters."""

_ENTRY = 600
"""Bytes that an entry takes in addition to its tokens, for the name, the facts and the objects of a document."""


class TokenCache:
    """Token sets by document, for one shingling and the same ignored tokens.

    When it is full, the least recently used set is dropped.
    """

    def __init__(self) -> None:
        self._held, self._most = 0, _CACHE_BYTES
        self._sets: OrderedDict[tuple[bytes, bytes, bytes], Tokens] = OrderedDict()
        self._shingling: Shingling | None = None
        self._ignored = NO_TOKENS

    def token_sets(
        self, wanted: ReloadRequest, shingling: Shingling, state: WorkerState
    ) -> tuple[Ragged, Mask, list[Skip]]:
        """Token sets of documents, which of the documents are unchanged, and the skips of the others.

        Each document has a row (Ragged uint32, ascending). The row of a missing or changed document is empty.
        """
        if shingling != self._shingling or not np.array_equal(wanted.ignored, self._ignored):
            self.close()
            self._shingling, self._ignored = shingling, wanted.ignored
        self._most = _CACHE_BYTES + state.spare
        keys = [(wanted.root, name, fact.tobytes()) for name, fact in zip(wanted.names, wanted.facts, strict=True)]
        rows = [self._sets.get(key) for key in keys]
        missing = [place for place, row in enumerate(rows) if row is None]
        skips: list[Skip] = []
        for cut in batches(wanted.facts["size"][missing]):
            places = [missing[at] for at in cut]
            found, lost = reload_token_sets(wanted, places, shingling, state.shared)
            skips += lost
            for place, tokens in found:
                rows[place] = tokens
        for key, row in zip(keys, rows, strict=True):
            if row is not None:
                self._keep(key, row)
        had = np.array([row is not None for row in rows], bool)
        return Ragged.from_rows([NO_TOKENS if row is None else row for row in rows], np.uint32), had, skips

    def close(self) -> None:
        """Drop all token sets."""
        self._sets.clear()
        self._held = 0

    def _keep(self, key: tuple[bytes, bytes, bytes], row: Tokens) -> None:
        if key in self._sets:
            self._sets.move_to_end(key)
            return
        if row.nbytes > self._most // 4:
            return
        self._sets[key] = row
        self._held += row.nbytes + _ENTRY
        while self._held > self._most:
            _, oldest = self._sets.popitem(last=False)
            self._held -= oldest.nbytes + _ENTRY


def load_token_sets(source: SetSource, state: WorkerState, shingling: Shingling) -> tuple[Ragged, Mask, list[Skip]]:
    """Token sets of a source, which of its documents are unchanged, and the skips of the others.

    Documents that must be read again go through the cache of the worker: see TokenCache.token_sets.
    """
    if isinstance(source, ReloadRequest):
        return state.get(TokenCache).token_sets(source, shingling, state)
    return source, np.ones(len(source), bool), []


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
