"""Token sets of documents that are read a second time; those used last are remembered for the next block."""

from __future__ import annotations

from collections import OrderedDict

import numpy as np

from simdocs.corpora.batches import batches
from simdocs.corpora.jsonl_lookup import let_go
from simdocs.model.ragged import Mask, Ragged, Tokens
from simdocs.model.skipped import Skip
from simdocs.parameters import Shingling
from simdocs.pipeline.reload import ReloadRequest, Source, reload_token_sets

_REMEMBERED = 32 << 20
"""Bytes of token sets that a process remembers. Where every document meets many, one round after the other, reading
them again and again would cost more than all comparisons."""

_ENTRY = 600
"""Bytes that one takes beside its tokens: its name, facts and objects."""


class Memory:
    """Token sets by document, as long as they fit; the one not used for longest goes first."""

    def __init__(self, limit: int) -> None:
        self._limit, self._held = limit, 0
        self._sets: OrderedDict[tuple[bytes, bytes, bytes], Tokens] = OrderedDict()
        self._how: Shingling | None = None

    def token_sets(self, wanted: ReloadRequest, how: Shingling) -> tuple[Ragged, Mask, list[Skip]]:
        """Token sets of documents (Ragged uint32, one row each, ascending), which of them could be had again as they
        were (the others' rows are empty), and the skips of those that could not."""
        if how != self._how:
            self.clear()
            self._how = how
        keys = [(wanted.root, name, fact.tobytes()) for name, fact in zip(wanted.names, wanted.facts, strict=True)]
        rows = [self._sets.get(key) for key in keys]
        missing = [place for place, row in enumerate(rows) if row is None]
        skips: list[Skip] = []
        for cut in batches(wanted.facts["size"][missing].tolist()):
            places = [missing[at] for at in cut]
            found, lost = reload_token_sets(wanted, places, how)
            skips += lost
            for place, tokens in found:
                rows[place] = tokens
        for key, row in zip(keys, rows, strict=True):
            if row is not None:
                self._remember(key, row)
        had = np.array([row is not None for row in rows], bool)
        nothing = np.empty(0, np.uint32)
        return Ragged.from_rows([nothing if row is None else row for row in rows], np.uint32), had, skips

    def clear(self) -> None:
        """Forget all of them."""
        self._sets.clear()
        self._held = 0

    def _remember(self, key: tuple[bytes, bytes, bytes], row: Tokens) -> None:
        if key in self._sets:
            self._sets.move_to_end(key)
            return
        if row.nbytes > self._limit // 4:
            return
        self._sets[key] = row
        self._held += row.nbytes + _ENTRY
        while self._held > self._limit:
            _, oldest = self._sets.popitem(last=False)
            self._held -= oldest.nbytes + _ENTRY


_memory = Memory(_REMEMBERED)


def forget() -> None:
    """Remember nothing, and keep no file open: files may have changed since."""
    _memory.clear()
    let_go()


def again(source: Source, how: Shingling) -> tuple[Ragged, Mask, list[Skip]]:
    """Token sets of a source, which of them could be had, and the skips of the others: see Memory.token_sets. This
    process's memory serves all that are read."""
    if isinstance(source, ReloadRequest):
        return _memory.token_sets(source, how)
    return source, np.ones(len(source), bool), []
