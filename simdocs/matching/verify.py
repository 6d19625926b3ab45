"""Exact similarities of pairs: their documents are read again, in blocks of bounded memory."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from simdocs.corpora.batches import BATCH_BYTES
from simdocs.corpora.jsonl_lookup import LineReader
from simdocs.engines.run import Run
from simdocs.engines.worker_state import WorkerState
from simdocs.kernels.compare import jaccard
from simdocs.matching.corpus import Documented
from simdocs.model.groups import Pairs
from simdocs.model.names import shown
from simdocs.model.ragged import Floats, Index, Mask, Ragged
from simdocs.model.skipped import Skip
from simdocs.parameters import Shingling
from simdocs.pipeline.reload import GONE, ReloadRequest, Source, there
from simdocs.pipeline.token_cache import load_token_sets

_BLOCK_BYTES = 4 * BATCH_BYTES
"""Text of the documents in one block of pairs: its token sets take about 4 bytes for each."""

_TILE_BYTES = _BLOCK_BYTES // 4
"""Text of the left documents that the others meet together."""

_MOST_PAIRS = 4096


@dataclass(frozen=True, slots=True)
class Block:
    """Pairs to verify: their documents, as places and sources of the token sets of those; and the pairs as places."""

    sources: list[tuple[Index, Source]]
    left: Index
    right: Index


def verify_block(block: Block, state: WorkerState, how: Shingling) -> tuple[Floats, list[Skip]]:
    """Jaccard of each pair, NaN where a document cannot be had again as it was; and the skips of those."""
    parts, masks, skips = [], [], list[Skip]()
    for _, source in block.sources:
        sets, had, lost = load_token_sets(source, state, how)
        parts.append(sets)
        masks.append(had)
        skips += lost
    order = np.argsort(np.concatenate([places for places, _ in block.sources]))
    sets, had = Ragged.concat(parts, np.uint32), np.concatenate(masks)[order]
    out = np.full(len(block.left), np.nan)
    known = had[block.left] & had[block.right]
    out[known] = jaccard.exact(sets, order[block.left[known]], order[block.right[known]])
    return out, skips


class Verifier:
    """Decides which candidate pairs are similar, and counts them in its run. certain: drops none on its estimate."""

    def __init__(
        self,
        corpus: Documented,
        how: Shingling,
        threshold: float,
        exact: bool,
        run: Run,
        *,
        certain: bool = False,
    ) -> None:
        self.corpus, self.how = corpus, how
        self.threshold, self.by_exact, self.certain = threshold, exact, certain
        self.run = run
        self._lost: set[bytes] = set()

    def similar(self, left: Index, right: Index) -> Pairs:
        """Those of these candidate pairs of rows that are at the threshold or above, in the order given."""
        estimate = self.corpus.estimates(left, right)
        self.run.tally.candidates += len(left)
        if self.by_exact:
            hopeless = jaccard.below_prefilter(estimate, self.threshold, self.corpus.places)
            hopeful = np.flatnonzero(~hopeless | self.certain)
            left, right, estimate = left[hopeful], right[hopeful], estimate[hopeful]
            exact = self.exact(left, right)
            enough = np.nan_to_num(exact, nan=-1.0) >= self.threshold
        else:
            exact = np.full(len(left), np.nan)
            enough = estimate >= self.threshold
        return Pairs(left[enough], right[enough], exact[enough], estimate[enough])

    def exact(self, left: Index, right: Index) -> Floats:
        """Exact Jaccard of pairs of rows; NaN where a document is missing or has changed, which is noted.

        Copies of one text have 1, and are looked at only if it was an earlier run that read them.
        """
        out = np.ones(len(left))
        rows, places = np.unique(np.concatenate((left, right)), return_inverse=True)
        facts = self.corpus.facts(rows)
        sizes, digests = facts["size"], facts["digest"]
        one, other = places[: len(left)], places[len(left) :]
        alike = (digests[one] == digests[other]).all(axis=1)
        copies = np.unique(np.concatenate((one[alike], other[alike])))
        lost = copies[~self.sure(rows[copies])]
        out[alike & (np.isin(one, lost) | np.isin(other, lost))] = np.nan
        unlike = np.flatnonzero(~alike)
        # From here on documents go by their places among the rows.
        order = unlike[_order(one[unlike], other[unlike], sizes)]
        one, other = one[order], other[order]
        cuts = _cuts(one, other, sizes)
        work = partial(verify_block, how=self.how)
        results = self.run.engine.map_with_state(work, (self._block(rows, one[cut], other[cut]) for cut in cuts))
        for cut, (values, skips) in zip(cuts, results, strict=True):
            out[order[cut]] = values
            self.note(skips)
        self.run.tally.verified += len(left) - int(np.isnan(out).sum())
        return out

    def confirmed(self, pairs: Pairs) -> Pairs:
        """These pairs without those of documents that an earlier run has noted and that are not there any more, or not
        as they were: copies of one text are pairs by that run's word."""
        if not self.by_exact:
            return pairs
        rows = np.unique(np.concatenate((pairs.left, pairs.right)))
        lost = rows[~self.sure(rows)]
        return pairs.take(np.flatnonzero(~(np.isin(pairs.left, lost) | np.isin(pairs.right, lost))))

    def sure(self, rows: Index) -> Mask:
        """Which of these rows are still what they were when they were noted, if that was an earlier run; the others are
        noted now."""
        sure = np.ones(len(rows), bool)
        recorded = np.flatnonzero(self.corpus.recorded(rows))
        for places, source in self.corpus.sources(rows[recorded]) if len(recorded) else ():
            if isinstance(source, ReloadRequest):
                sure[recorded[places]], skips = there(source, self.how, self.run.engine.state.get(LineReader))
                self.note(skips)
        return sure

    def lost_copies(self, rows: Index, text: Index) -> Mask:
        """Which of these rows, of texts that are numbered, are not any more what an earlier run noted; they are noted
        now. Other copies can stand in for those, so only texts of several rows are looked at: a single one is found
        out when it is read again."""
        lost = np.zeros(len(rows), bool)
        if self.by_exact and len(rows):
            copied = np.flatnonzero(np.bincount(text)[text] > 1)
            lost[copied] = ~self.sure(rows[copied])
        return lost

    def hopeless(self, left: Index, right: Index) -> Mask:
        """Which candidate pairs need no look at their documents, going by their estimates."""
        if not self.by_exact or self.certain:
            return np.zeros(len(left), bool)
        return jaccard.below_prefilter(self.corpus.estimates(left, right), self.threshold, self.corpus.places)

    def _block(self, rows: Index, one: Index, other: Index) -> Block:
        documents, places = np.unique(np.concatenate((one, other)), return_inverse=True)
        return Block(self.corpus.sources(rows[documents]), places[: len(one)], places[len(one) :])

    def note(self, skips: list[Skip]) -> None:
        """Count documents that cannot be had again, each once; and say where they were looked for."""
        for skip in skips:
            if skip[1] not in self._lost:
                self._lost.add(skip[1])
                self.run.skipped.add(*skip)
                if skip[2] == GONE and self.corpus.root:
                    where = f"what is gone was looked for from {shown(self.corpus.root)}: --root looks elsewhere"
                    if where not in self.run.skipped.remarks:
                        self.run.skipped.remarks.append(where)


def _order(left: Index, right: Index, sizes: Index) -> Index:
    """An order in which few documents are read twice: some left ones at a time, with all that they meet."""
    lefts, place = np.unique(left, return_inverse=True)
    tile = np.cumsum(sizes[lefts]) // _TILE_BYTES
    return np.lexsort((left, right, tile[place]))


def _cuts(left: Index, right: Index, sizes: Index) -> list[slice]:
    """Blocks of pairs in a row whose documents hold _BLOCK_BYTES at most, or are but two."""
    cuts, start, held, total = [], 0, set[int](), 0
    size = sizes.tolist()
    for at, pair in enumerate(zip(left.tolist(), right.tolist(), strict=True)):
        more = sum(size[row] for row in pair if row not in held)
        if at > start and (total + more > _BLOCK_BYTES or at - start == _MOST_PAIRS):
            cuts.append(slice(start, at))
            start, held, total = at, set(), 0
            more = sum(size[row] for row in pair)
        held.update(pair)
        total += more
    if len(left):
        cuts.append(slice(start, len(left)))
    return cuts
