"""Token sets of documents that are read a second time; those used last are kept in memory for the next block."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simdocs.corpora.batches import batches
from simdocs.model.ragged import Mask, Ragged, Tokens
from simdocs.model.skipped import Skip
from simdocs.parameters import Shingling
from simdocs.stages.shingle import Batch, read_batch, token_sets

_REMEMBERED = 32 << 20
"""Bytes of token sets that a process remembers. Where every document meets many, one round after the other, reading
them again and again would cost more than all comparisons."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Documents to be had again, and what was noted of them when they were first read."""

    batch: Batch
    facts: NDArray[np.void]


class Memory:
    """Token sets by document, as long as they fit; the one not used for longest goes first."""

    def __init__(self, limit: int) -> None:
        self._limit, self._held = limit, 0
        self._sets: OrderedDict[tuple[bytes, bytes], Tokens] = OrderedDict()
        self._how: Shingling | None = None

    def token_sets(self, wanted: Wanted, how: Shingling) -> tuple[Ragged, Mask, list[Skip]]:
        """Token sets of documents (Ragged uint32, one row each, ascending), which of them could be had again as they
        were (the others' rows are empty), and the skips of those that could not."""
        if how != self._how:
            self._sets.clear()
            self._held, self._how = 0, how
        names = wanted.batch.names
        keys = [(name, fact.tobytes()) for name, fact in zip(names, wanted.facts, strict=True)]
        rows = [self._sets.get(key) for key in keys]
        missing = [place for place, row in enumerate(rows) if row is None]
        skips: list[Skip] = []
        for cut in batches(wanted.facts["size"][missing].tolist()):
            places = [missing[at] for at in cut]
            read, lost = _read(wanted, places, how)
            skips += lost
            for place, tokens in read:
                rows[place] = tokens
        for key, row in zip(keys, rows, strict=True):
            if row is not None:
                self._remember(key, row)
        had = np.array([row is not None for row in rows], bool)
        nothing = np.empty(0, np.uint32)
        return Ragged.from_rows([nothing if row is None else row for row in rows], np.uint32), had, skips

    def _remember(self, key: tuple[bytes, bytes], row: Tokens) -> None:
        if key in self._sets:
            self._sets.move_to_end(key)
            return
        if row.nbytes > self._limit // 4:
            return
        self._sets[key] = row
        self._held += row.nbytes
        while self._held > self._limit:
            _, oldest = self._sets.popitem(last=False)
            self._held -= oldest.nbytes


def _read(wanted: Wanted, places: list[int], how: Shingling) -> tuple[list[tuple[int, Tokens]], list[Skip]]:
    """The token sets of the documents at these places, by place, and skips."""
    batch = wanted.batch
    held = {at: batch.held[place] for at, place in enumerate(places) if place in batch.held}
    read = read_batch(Batch([batch.names[place] for place in places], held, batch.limit))
    own = np.array(places, np.int64)[read.places]
    same = _unchanged(read.facts, wanted.facts[own])
    skips: list[Skip] = [("unverified", name, "gone" if why == "vanished" else why) for why, name, _ in read.skips]
    skips += [("unverified", batch.names[place], "changed") for place in own[~same].tolist()]
    sets, row_of = token_sets([raw for raw, ok in zip(read.raws, same.tolist(), strict=True) if ok], how)
    # Copies: a slice would hold the tokens of its whole batch in memory.
    return [(place, sets[row].copy()) for place, row in zip(own[same].tolist(), row_of.tolist(), strict=True)], skips


def _unchanged(now: NDArray[np.void], then: NDArray[np.void]) -> Mask:
    same = np.ones(len(now), bool)
    for field in ("size", "mtime_ns", "ctime_ns", "inode"):
        same &= now[field] == then[field]
    return same


_memory = Memory(_REMEMBERED)


def again(wanted: Wanted, how: Shingling) -> tuple[Ragged, Mask, list[Skip]]:
    """Token sets of documents read a second time: see Memory.token_sets. This process's memory serves them all."""
    return _memory.token_sets(wanted, how)
