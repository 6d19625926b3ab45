"""Exact similarities of pairs: their documents are read again, in blocks of bounded memory."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from simdocs.corpora.batches import BATCH_BYTES, batches
from simdocs.engines.local import Local
from simdocs.kernels import jaccard
from simdocs.model.documents import Documents
from simdocs.model.groups import Pairs
from simdocs.model.ragged import Floats, Index, Mask, Ragged, Tokens
from simdocs.model.skipped import Skip, Skipped
from simdocs.parameters import Shingling
from simdocs.stages.shingle import Batch, read_batch, token_sets

_BLOCK_BYTES = 4 * BATCH_BYTES
"""Text of the documents in one block of pairs: its token sets take about 4 bytes for each."""

_MOST_PAIRS = 4096


@dataclass(frozen=True, slots=True)
class Block:
    """Pairs to verify: their documents, what these were when first read, and the pairs as places among them."""

    documents: Batch
    facts: NDArray[np.void]
    left: Index
    right: Index


def verify_block(block: Block, how: Shingling) -> tuple[Floats, list[Skip]]:
    """Jaccard of each pair, NaN where a document cannot be had again as it was; and the skips of those."""
    names = block.documents.names
    row_of = np.full(len(names), -1)
    parts: list[Ragged] = []
    skips: list[Skip] = []
    done = 0
    for cut in batches(block.facts["size"].tolist()):
        held = {place - cut.start: data for place, data in block.documents.held.items() if place in cut}
        read = read_batch(Batch(names[cut.start : cut.stop], held, block.documents.limit))
        places = np.array(read.places, np.int64) + cut.start
        same = _unchanged(read.facts, block.facts[places])
        skips += [("unverified", name, _detail(reason)) for reason, name, _ in read.skips]
        skips += [("unverified", names[place], "changed") for place in places[~same].tolist()]
        sets, rows = token_sets([raw for raw, ok in zip(read.raws, same.tolist(), strict=True) if ok], how)
        row_of[places[same]] = done + rows
        done += len(rows)
        parts.append(sets)
    out = np.full(len(block.left), np.nan)
    left, right = row_of[block.left], row_of[block.right]
    known = (left >= 0) & (right >= 0)
    out[known] = jaccard.exact(Ragged.concat(parts, np.uint32), left[known], right[known])
    return out, skips


def _unchanged(now: NDArray[np.void], then: NDArray[np.void]) -> Mask:
    same = np.ones(len(now), bool)
    for field in ("size", "mtime_ns", "ctime_ns", "inode"):
        same &= now[field] == then[field]
    return same


def _detail(reason: str) -> str:
    return "gone" if reason == "vanished" else reason


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
        order = np.lexsort((right, left))
        left, right = left[order], right[order]
        cuts = self._cuts(left, right)
        work = partial(verify_block, how=self.how)
        results = self.engine.map(work, (self._block(left[cut], right[cut]) for cut in cuts))
        for cut, (values, skips) in zip(cuts, results, strict=True):
            out[order[cut]] = values
            self._note(skips)
        self.verified += len(left) - int(np.isnan(out).sum())
        return out

    def _cuts(self, left: Index, right: Index) -> list[slice]:
        """Blocks of pairs in a row whose documents hold about _BLOCK_BYTES."""
        if not len(left):
            return []
        sizes = self.documents.facts["size"]
        new = np.ones(len(left), bool)
        new[1:] = left[1:] != left[:-1]
        cost = np.cumsum(sizes[right] + np.where(new, sizes[left], 0) + _BLOCK_BYTES // _MOST_PAIRS)
        block = cost // _BLOCK_BYTES
        begins = np.flatnonzero(np.append(True, block[1:] != block[:-1])).tolist()
        return [slice(a, b) for a, b in zip(begins, [*begins[1:], len(left)], strict=True)]

    def _block(self, left: Index, right: Index) -> Block:
        rows, places = np.unique(np.concatenate((left, right)), return_inverse=True)
        names = [self.documents.name(row) for row in rows.tolist()]
        every = self.documents.held
        held = {place: every[row] for place, row in enumerate(rows.tolist()) if row in every} if every else {}
        facts = self.documents.facts[rows]
        return Block(Batch(names, held, self.limit), facts, places[: len(left)], places[len(left) :])

    def _note(self, skips: list[Skip]) -> None:
        for skip in skips:
            if skip[1] not in self._lost:
                self._lost.add(skip[1])
                self.skipped.add(*skip)
