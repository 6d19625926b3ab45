"""The cache of a worker for token sets of documents that were read again."""

from __future__ import annotations

from collections import OrderedDict

import numpy as np

from simdocs.corpora.containers.reopened import Reopened
from simdocs.engines.engine import WorkerState
from simdocs.model.ragged import NO_TOKENS, Mask, Ragged, Tokens
from simdocs.model.skipped import Skip
from simdocs.model.texts import batches
from simdocs.parameters.recipes import Shingling
from simdocs.pipeline.reload import ReloadRequest, Source, reload_token_sets

_CACHE_BYTES = 16 << 20
"""Bytes of token sets that a worker caches. If every document is compared with many others, round after round, reading
them again each time would cost more than all comparisons."""

_CACHE_BYTES_ALONE = 40 << 20
"""The same if there are no other workers: 5,000 licences (27 MB) are then read again 1.2 times, and not 1.8 times."""

_ENTRY = 600
"""Bytes that an entry takes in addition to its tokens, for the name, the facts and the objects of a document."""


class TokenCache:
    """Token sets by document, for one shingling and the same ignored tokens.

    When it is full, the least recently used set is dropped.
    """

    def __init__(self) -> None:
        self._limit, self._held = _CACHE_BYTES, 0
        self._sets: OrderedDict[tuple[bytes, bytes, bytes], Tokens] = OrderedDict()
        self._shingling: Shingling | None = None
        self._ignored = NO_TOKENS

    def token_sets(
        self, wanted: ReloadRequest, shingling: Shingling, files: Reopened, *, keep: bool = True, alone: bool = False
    ) -> tuple[Ragged, Mask, list[Skip]]:
        """Token sets of documents, which of the documents are unchanged, and the skips of the others.

        Each document has a row (Ragged uint32, ascending). The row of a missing or changed document is empty. keep:
        whether the cache takes them. alone: whether there are no other workers, so that it may take more.
        """
        self._limit = _CACHE_BYTES_ALONE if alone else _CACHE_BYTES
        if shingling != self._shingling or not np.array_equal(wanted.ignored, self._ignored):
            self.close()
            self._shingling, self._ignored = shingling, wanted.ignored
        keys = [(wanted.root, name, fact.tobytes()) for name, fact in zip(wanted.names, wanted.facts, strict=True)]
        rows = [self._sets.get(key) for key in keys]
        missing = [place for place, row in enumerate(rows) if row is None]
        skips: list[Skip] = []
        for cut in batches(wanted.facts["size"][missing].tolist()):
            places = [missing[at] for at in cut]
            found, lost = reload_token_sets(wanted, places, shingling, files)
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
        if row.nbytes > self._limit // 4:
            return
        self._sets[key] = row
        self._held += row.nbytes + _ENTRY
        while self._held > self._limit:
            _, oldest = self._sets.popitem(last=False)
            self._held -= oldest.nbytes + _ENTRY


def load_token_sets(
    source: Source, state: WorkerState, shingling: Shingling, *, keep: bool = True
) -> tuple[Ragged, Mask, list[Skip]]:
    """Token sets of a source, which of its documents are unchanged, and the skips of the others.

    Documents that must be read again go through the cache of the worker: see TokenCache.token_sets.
    """
    if isinstance(source, ReloadRequest):
        cache = state.get(TokenCache)
        return cache.token_sets(source, shingling, state.get(Reopened), keep=keep, alone=state.alone)
    return source, np.ones(len(source), bool), []
