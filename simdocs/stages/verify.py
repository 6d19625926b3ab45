"""Exact similarities of pairs: their documents are read again, in blocks of bounded memory."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from simdocs.corpora.batches import BATCH_BYTES
from simdocs.engines.local import Local
from simdocs.kernels import jaccard
from simdocs.model.documents import Documents
from simdocs.model.groups import Pairs
from simdocs.model.ragged import Floats, Index, Tokens
from simdocs.model.skipped import Skip, Skipped
from simdocs.parameters import Shingling
from simdocs.stages.reread import Wanted, again
from simdocs.stages.shingle import Batch

_BLOCK_BYTES = 4 * BATCH_BYTES
"""Text of the documents in one block of pairs: its token sets take about 4 bytes for each."""

_TILE_BYTES = _BLOCK_BYTES // 4
"""Text of the left documents that the others meet together."""

_MOST_PAIRS = 4096


@dataclass(frozen=True, slots=True)
class Block:
    """Pairs to verify: their documents, and the pairs as places among them."""

    documents: Wanted
    left: Index
    right: Index


def verify_block(block: Block, how: Shingling) -> tuple[Floats, list[Skip]]:
    """Jaccard of each pair, NaN where a document cannot be had again as it was; and the skips of those."""
    sets, had, skips = again(block.documents, how)
    out = np.full(len(block.left), np.nan)
    known = had[block.left] & had[block.right]
    out[known] = jaccard.exact(sets, block.left[known], block.right[known])
    return out, skips


class Judge:
    """Decides which candidate pairs of documents are similar; counts what it did."""

    def __init__(
        self,
        documents: Documents,
        signatures: Tokens,
        how: Shingling,
        threshold: float,
        exact: bool,
        limit: int,
        engine: Local,
        skipped: Skipped,
    ) -> None:
        self.documents, self.signatures, self.how = documents, signatures, how
        self.threshold, self.by_exact, self.limit = threshold, exact, limit
        self.engine, self.skipped = engine, skipped
        self.candidates = self.verified = 0
        self._lost: set[bytes] = set()

    def similar(self, left: Index, right: Index) -> Pairs:
        """Those of these candidate pairs of rows that are at the threshold or above, in the order given."""
        estimate = jaccard.estimates(self.signatures, left, right)
        self.candidates += len(left)
        if self.by_exact:
            hopeful = np.flatnonzero(~jaccard.hopeless(estimate, self.threshold, self.signatures.shape[1]))
            left, right, estimate = left[hopeful], right[hopeful], estimate[hopeful]
            exact = self.exact(left, right)
            enough = np.nan_to_num(exact, nan=-1.0) >= self.threshold
        else:
            exact = np.full(len(left), np.nan)
            enough = estimate >= self.threshold
        return Pairs(left[enough], right[enough], exact[enough], estimate[enough])

    def exact(self, left: Index, right: Index) -> Floats:
        """Exact Jaccard of pairs of rows; NaN where a document is missing or has changed, which is noted."""
        out = np.empty(len(left))
        order = self._order(left, right)
        left, right = left[order], right[order]
        cuts = self._cuts(left, right)
        work = partial(verify_block, how=self.how)
        results = self.engine.map(work, (self._block(left[cut], right[cut]) for cut in cuts))
        for cut, (values, skips) in zip(cuts, results, strict=True):
            out[order[cut]] = values
            self._note(skips)
        self.verified += len(left) - int(np.isnan(out).sum())
        return out

    def _order(self, left: Index, right: Index) -> Index:
        """An order in which few documents are read twice: some left ones at a time, with all that they meet."""
        lefts, place = np.unique(left, return_inverse=True)
        tile = np.cumsum(self.documents.facts["size"][lefts]) // _TILE_BYTES
        return np.lexsort((left, right, tile[place]))

    def _cuts(self, left: Index, right: Index) -> list[slice]:
        """Blocks of pairs in a row whose documents hold _BLOCK_BYTES at most, or are but two."""
        sizes = self.documents.facts["size"]
        cuts, start, held, total = [], 0, set[int](), 0
        for at, pair in enumerate(zip(left.tolist(), right.tolist(), strict=True)):
            new = [row for row in pair if row not in held]
            more = int(sizes[new].sum()) if new else 0
            if at > start and (total + more > _BLOCK_BYTES or at - start == _MOST_PAIRS):
                cuts.append(slice(start, at))
                start, held, total = at, set(), 0
                new, more = list(pair), int(sizes[list(pair)].sum())
            held.update(new)
            total += more
        if len(left):
            cuts.append(slice(start, len(left)))
        return cuts

    def _block(self, left: Index, right: Index) -> Block:
        rows, places = np.unique(np.concatenate((left, right)), return_inverse=True)
        names = [self.documents.name(row) for row in rows.tolist()]
        every = self.documents.held
        held = {place: every[row] for place, row in enumerate(rows.tolist()) if row in every} if every else {}
        facts = self.documents.facts[rows]
        return Block(Wanted(Batch(names, held, self.limit), facts), places[: len(left)], places[len(left) :])

    def _note(self, skips: list[Skip]) -> None:
        for skip in skips:
            if skip[1] not in self._lost:
                self._lost.add(skip[1])
                self.skipped.add(*skip)
