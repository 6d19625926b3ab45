"""Blocks of documents whose token sets are loaded together, in a worker, to compare pairs or to make bitmaps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simdocs.engines.engine import WorkerState
from simdocs.kernels.compare import bitmaps, jaccard
from simdocs.model.ragged import BlockPlaces, Floats, Index, Mask, Ragged
from simdocs.model.skipped import Skip
from simdocs.model.texts import BATCH_BYTES
from simdocs.parameters.recipes import Shingling
from simdocs.pipeline.reload import Source, load_token_sets

_BLOCK_BYTES = 4 * BATCH_BYTES
"""Text of the documents in one block. Their token sets take about 4 bytes for each byte of text."""

_TILE_BYTES = _BLOCK_BYTES // 4
"""Text of the left documents that are processed together, with all documents that they are compared with."""

_MOST_PAIRS = 4096
"""The largest number of pairs in a block."""

_TIMES_FOR_TABLES = 4
"""How many times larger blocks of rows of tables are. A block's token sets then take 32 MB."""

TokenSources = Sequence[tuple[BlockPlaces, Source]]
"""The sources of the token sets of some documents, each with the places of its sets among the documents."""


class VerificationBlock(NamedTuple):
    """Pairs to verify together: the sources of their documents' token sets, and the pairs as places of documents."""

    sources: TokenSources
    left: BlockPlaces
    right: BlockPlaces


class BitmapsToMake(NamedTuple):
    """Documents of which bitmaps are made together: the sources of their token sets, and `large` of `bits_of`."""

    sources: TokenSources
    large: Index


class MadeBitmaps(NamedTuple):
    """Bitmaps of documents, in order: Ragged uint64; the sizes of their token sets, and which documents were found."""

    maps: Ragged
    sizes: Index
    loaded: Mask


def verify_block(block: VerificationBlock, state: WorkerState, shingling: Shingling) -> tuple[Floats, list[Skip]]:
    """The Jaccard similarity of each pair, or NaN if a document is missing or has changed, and the skips of those."""
    sets, order, loaded, skips = _load(block.sources, state, shingling)
    similarity = np.full(len(block.left), np.nan)
    known = loaded[block.left] & loaded[block.right]
    similarity[known] = jaccard.exact(sets, order[block.left[known]], order[block.right[known]])
    return similarity, skips


def make_bitmaps(
    wanted: BitmapsToMake, state: WorkerState, shingling: Shingling, threshold: float
) -> tuple[MadeBitmaps, list[Skip]]:
    """The bitmaps of documents, and the skips of those that are missing or have changed."""
    sets, order, loaded, skips = _load(wanted.sources, state, shingling)
    sets = sets.take(order)
    bits = bitmaps.bits_of(sets.lengths, threshold, wanted.large)
    return MadeBitmaps(bitmaps.bitmaps(sets, bits), sets.lengths, loaded), skips


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


def times_larger(facts: NDArray[np.void]) -> int:
    """How many times larger blocks of these documents are, (n,) FACTS, than others.

    Rows of tables count documents, because they are compressed in their file. To read any of them again, most of the
    file is read, so this is done less often.
    """
    return _TIMES_FOR_TABLES if ((facts["container"] > 0) & (facts["extent"] == 1)).any() else 1


def reading_order(lefts: BlockPlaces, rights: BlockPlaces, sizes: Index, times: int = 1) -> BlockPlaces:
    """An order of pairs in which few documents are read twice: a few left ones at a time, with all their partners.

    times: see `times_larger`.
    """
    documents, place = np.unique(lefts, return_inverse=True)
    tile = np.cumsum(sizes[documents]) // (_TILE_BYTES * times)
    return np.lexsort((lefts, rights, tile[place]))


def cuts_of_pairs(lefts: BlockPlaces, rights: BlockPlaces, sizes: Index, times: int = 1) -> list[slice]:
    """Blocks of consecutive pairs whose documents hold at most _BLOCK_BYTES; a block may be one larger pair.

    times: see `times_larger`.
    """
    cuts, start = list[slice](), 0
    while start < len(lefts):
        end = min(start + _MOST_PAIRS * times, len(lefts))
        both = np.column_stack((lefts[start:end], rights[start:end])).ravel()
        first = np.zeros(len(both), bool)
        first[np.unique(both, return_index=True)[1]] = True
        held = np.cumsum(np.where(first, sizes[both], 0))[1::2]
        end = min(end, start + max(1, int(np.searchsorted(held, _BLOCK_BYTES * times, side="right"))))
        cuts.append(slice(start, end))
        start = end
    return cuts
