"""Blocks of documents whose token sets are loaded together, in a worker, to compare pairs or to make bitmaps."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simdocs.corpora.containers.reopened import Reopened
from simdocs.engines.engine import WorkerState
from simdocs.kernels import bitmaps, jaccard
from simdocs.model.ragged import NO_TOKENS, BlockPlaces, Floats, Index, Mask, Ragged, Tokens, distinct
from simdocs.model.skipped import Skip
from simdocs.model.texts import BATCH_BYTES, batches
from simdocs.options.file_formats import compression_of
from simdocs.options.recipes import Shingling
from simdocs.pipeline.reload import ReloadRequest, Source, reload_token_sets

_BLOCK_BYTES = 4 * BATCH_BYTES
"""Text of the documents in one block. Their token sets take about 4 bytes for each byte of text."""

_TILE_BYTES = _BLOCK_BYTES // 4
"""Text of the left documents that are processed together, with all documents that they are compared with."""

_MOST_PAIRS = 4096
"""The largest number of pairs in a block, unless there are very many."""

_FEWEST_BLOCKS = 16
"""Very many pairs are cut into at least this number of blocks: enough for all workers, and so large that the documents
of a block have many pairs each."""

_TIMES_IN_PASSES = 4
"""How many times larger blocks are if a file is read from its beginning for each. Then only the left documents count,
whose token sets are held, 32 MB in all, while the others are loaded and compared, 2 MB at a time."""

_SETS_OF_PIECE = 2 << 20
"""Bytes of the token sets of a piece of such a block, about. The cache of the worker takes them only if it has room for
all pieces, or else it would hold those that were loaded last, and not those that the next block begins with."""

TokenSources = Sequence[tuple[BlockPlaces, Source]]
"""The sources of the token sets of some documents, each with the places of its sets among the documents."""


class VerificationBlock(NamedTuple):
    """Pairs to verify together, in one worker, which loads each document once.

    pieces: the sources of the token sets of some documents at a time, in the order of the documents.
    left, right: the pairs, as places of documents in all pieces.
    """

    pieces: Sequence[TokenSources]
    left: BlockPlaces
    right: BlockPlaces


def verify_block(block: VerificationBlock, state: WorkerState, shingling: Shingling) -> tuple[Floats, list[Skip]]:
    """The Jaccard similarity of each pair, or NaN if a document is missing or has changed, and the skips of those."""
    similarity, skips = np.full(len(block.left), np.nan), list[Skip]()
    earlier, later = np.minimum(block.left, block.right), np.maximum(block.left, block.right)
    order = np.argsort(later, kind="stable")
    held, found = _HeldSets(earlier[order], later[order]), list[Floats]()
    keep = len(block.pieces) == 1 or len(block.pieces) * _SETS_OF_PIECE <= _cache_bytes(state)
    for sources in block.pieces:
        sets, rows, loaded, lost = _load(sources, state, shingling, keep=keep)
        found.append(held.compared(sets, np.where(loaded, rows, -1)))
        skips += lost
    similarity[order] = np.concatenate(found)
    return similarity, skips


class _HeldSets:
    """Compares documents piece by piece, and holds the token sets of those that later ones are compared with."""

    def __init__(self, earlier: BlockPlaces, later: BlockPlaces) -> None:
        """earlier, later: the pairs, by the places of their documents. The later places ascend."""
        self._earlier, self._later = earlier, later
        self._last = np.zeros(int(later.max(initial=-1)) + 1, np.int64)
        """For each place, the last one that it is compared with."""
        np.maximum.at(self._last, earlier, later)
        self._sets: dict[int, Tokens] = {}
        self._begin = self._done = 0
        """The documents and the pairs of the pieces before."""

    def compared(self, sets: Ragged, rows: Index) -> Floats:
        """The similarity of the next pairs, those whose later document is in the next piece: float64 (P,).

        It is NaN if a document was not found. sets: the token sets of the piece. rows: for each of its documents the
        row of its set, or -1 if it was not found.
        """
        begin, end = self._begin, self._begin + len(rows)
        some = slice(self._done, int(np.searchsorted(self._later, end)))
        earlier, later = self._earlier[some], self._later[some]
        needed = [place for place in distinct(earlier[earlier < begin]).tolist() if place in self._sets]
        row = np.full(end, -1)
        row[begin:] = rows
        row[needed] = len(sets) + np.arange(len(needed))
        known = (row[earlier] >= 0) & (row[later] >= 0)
        similarity = np.full(len(earlier), np.nan)
        every = [sets, *([Ragged.from_rows([self._sets[place] for place in needed], np.uint32)] if needed else [])]
        similarity[known] = jaccard.exact(Ragged.concat(every, np.uint32), row[earlier[known]], row[later[known]])
        for place in needed:
            if self._last[place] < end:
                del self._sets[place]
        for place in (begin + np.flatnonzero((rows >= 0) & (self._last[begin:end] >= end))).tolist():
            self._sets[place] = sets[row[place]].copy()
        self._begin, self._done = end, some.stop
        return similarity


def make_bitmaps(
    wanted: tuple[TokenSources, Index], state: WorkerState, shingling: Shingling, threshold: float
) -> tuple[Ragged, Index, Mask, list[Skip]]:
    """The bitmaps of documents, in order: Ragged uint64; the sizes of their token sets; which were found; and skips.

    wanted: the sources of their token sets, and `large` of `bits_of`.
    """
    sources, large = wanted
    sets, order, loaded, skips = _load(sources, state, shingling)
    sets = sets.take(order)
    return bitmaps.bitmaps(sets, bitmaps.bits_of(sets.lengths, threshold, large)), sets.lengths, loaded, skips


def _load(
    sources: TokenSources, state: WorkerState, shingling: Shingling, *, keep: bool = True
) -> tuple[Ragged, Index, Mask, list[Skip]]:
    """Token sets; of each document the row of its set, and whether it was found; and the skips of the others."""
    parts, masks, skips = [], [], list[Skip]()
    for _, source in sources:
        sets, loaded, lost = load_token_sets(source, state, shingling, keep=keep)
        parts.append(sets)
        masks.append(loaded)
        skips += lost
    order = np.argsort(np.concatenate([places for places, _ in sources]))
    return Ragged.concat(parts, np.uint32), order, np.concatenate(masks)[order], skips


def read_in_passes(facts: NDArray[np.void], names: Callable[[Index], Sequence[bytes]]) -> bool:
    """Whether some of these documents, (n,) FACTS, can be read again only with most of what is before them in the file.

    These are rows of tables, which count documents because they are compressed in their file, and the documents of
    files that are compressed as a whole. Documents that came from no file are in memory. names: returns the names of
    some of the documents.
    """
    inside = np.flatnonzero((facts["container"] > 0) & ((facts["inode"] != 0) | (facts["ctime_ns"] != 0)))
    if (facts["extent"][inside] == 1).any():
        return True
    some = inside[np.unique(facts["inode"][inside], return_index=True)[1]]
    ends = facts["container"][some].tolist()
    return any(compression_of(name[:end]) for name, end in zip(names(some), ends, strict=True))


def blocks_of_pairs(lefts: BlockPlaces, rights: BlockPlaces, sizes: Index, *, in_passes: bool = False) -> list[Index]:
    """The pairs of each block, as numbers of pairs. sizes: the bytes of each document. in_passes: see `read_in_passes`.

    Few documents are read twice: a few left ones are read at a time, with all their partners.
    """
    if in_passes:
        lefts, rights = np.minimum(lefts, rights), np.maximum(lefts, rights)
        order = np.lexsort((rights, lefts))
        cuts = cuts_of_pairs(lefts[order], lefts[order], sizes, _TIMES_IN_PASSES)
    else:
        documents, place = numbered(lefts, len(sizes))
        tile = np.cumsum(sizes[documents]) // _TILE_BYTES
        order = np.lexsort((lefts, rights, tile[place]))
        cuts = cuts_of_pairs(lefts[order], rights[order], sizes)
    return [order[cut] for cut in cuts]


def numbered(values: Index, size: int) -> tuple[Index, BlockPlaces]:
    """The distinct values, ascending, and the place of each value among them: np.unique. All are below `size`."""
    if size > len(values):
        distinct_values, places = np.unique(values, return_inverse=True)
        return distinct_values, places
    there = np.zeros(size, bool)
    there[values] = True
    place = np.cumsum(there)
    return np.flatnonzero(there), place[values] - 1


def pieces_of_block(sizes: Index, *, in_passes: bool = False) -> list[slice]:
    """The documents that are loaded at a time, if those of a block have these sizes, in bytes."""
    most = _BLOCK_BYTES // _TIMES_IN_PASSES if in_passes else _BLOCK_BYTES
    piece = (np.cumsum(sizes) - 1) // max(most, 1)
    begins = np.flatnonzero(np.append(True, piece[1:] != piece[:-1])[: len(piece)])
    return [slice(begin, end) for begin, end in pairwise([*begins.tolist(), len(sizes)])]


def cuts_of_pairs(lefts: BlockPlaces, rights: BlockPlaces, sizes: Index, times: int = 1) -> list[slice]:
    """Blocks of consecutive pairs whose documents hold at most `times` _BLOCK_BYTES; a block may be one larger pair."""
    cuts, start = list[slice](), 0
    most, first_place = max(_MOST_PAIRS, len(lefts) // _FEWEST_BLOCKS) * times, np.empty(len(sizes), np.int64)
    while start < len(lefts):
        end = min(start + most, len(lefts))
        both = np.column_stack((lefts[start:end], rights[start:end])).ravel()
        every = np.arange(len(both))
        first_place[both[::-1]] = every[::-1]  # the last that is written stays
        held = np.cumsum(np.where(first_place[both] == every, sizes[both], 0))[1::2]
        end = min(end, start + max(1, int(np.searchsorted(held, _BLOCK_BYTES * times, side="right"))))
        cuts.append(slice(start, end))
        start = end
    return cuts


_CACHE_BYTES = 4 << 20
"""Bytes of token sets that a worker caches at least. If every document is compared with many others, round after round,
reading them again each time would cost more than all comparisons. So the cache also takes the room that the worker has
to spare: with 64 MB instead of 16, 5,000 licences take 0.86 of the CPU by characters."""

_ENTRY = 600
"""Bytes that an entry takes in addition to its tokens, for the name, the facts and the objects of a document."""


def _cache_bytes(state: WorkerState) -> int:
    """How many bytes of token sets the cache of a worker takes now."""
    return _CACHE_BYTES + state.spare


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
        self, wanted: ReloadRequest, shingling: Shingling, state: WorkerState, *, keep: bool = True
    ) -> tuple[Ragged, Mask, list[Skip]]:
        """Token sets of documents, which of the documents are unchanged, and the skips of the others.

        Each document has a row (Ragged uint32, ascending). The row of a missing or changed document is empty. keep:
        whether the cache takes them.
        """
        if shingling != self._shingling or not np.array_equal(wanted.ignored, self._ignored):
            self.close()
            self._shingling, self._ignored = shingling, wanted.ignored
        self._most = _cache_bytes(state)
        keys = [(wanted.root, name, fact.tobytes()) for name, fact in zip(wanted.names, wanted.facts, strict=True)]
        rows = [self._sets.get(key) for key in keys]
        missing = [place for place, row in enumerate(rows) if row is None]
        skips: list[Skip] = []
        for cut in batches(wanted.facts["size"][missing]):
            places = [missing[at] for at in cut]
            found, lost = reload_token_sets(wanted, places, shingling, state.get(Reopened), state.shared)
            skips += lost
            for place, tokens in found:
                rows[place] = tokens
        for key, row in zip(keys, rows, strict=True):
            if keep and row is not None:
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


def load_token_sets(
    source: Source, state: WorkerState, shingling: Shingling, *, keep: bool = True
) -> tuple[Ragged, Mask, list[Skip]]:
    """Token sets of a source, which of its documents are unchanged, and the skips of the others.

    Documents that must be read again go through the cache of the worker: see TokenCache.token_sets.
    """
    if isinstance(source, ReloadRequest):
        return state.get(TokenCache).token_sets(source, shingling, state, keep=keep)
    return source, np.ones(len(source), bool), []
