"""Two corpora as one: documents of an index, and new documents that are compared with them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from simdocs.corpora.jsonl_lookup import LineReader
from simdocs.kernels.compare import jaccard
from simdocs.matching.documents.corpus import Corpus
from simdocs.model.documents import FACTS
from simdocs.model.ragged import BlockPlaces, Floats, Mask, Rows, Tokens
from simdocs.pipeline.reload import ReloadRequest, Source
from simdocs.recipes import Shingling

_Found = TypeVar("_Found")


@dataclass(frozen=True, slots=True)
class ConcatenatedCorpus:
    """Two corpora as one: the rows of the first, then those of the second."""

    first: Corpus
    second: Corpus

    def __len__(self) -> int:
        return len(self.first) + len(self.second)

    @property
    def root(self) -> bytes:
        """The directory from which the names of the first corpus are found."""
        return self.first.root

    @property
    def places(self) -> int:
        """The number of places in a signature."""
        return self.first.places

    def _split(self, rows: Rows) -> tuple[BlockPlaces, BlockPlaces]:
        """The places among `rows` of documents of the first corpus, and of those of the second."""
        of_second = np.asarray(rows) >= len(self.first)
        return np.flatnonzero(~of_second), np.flatnonzero(of_second)

    def facts(self, rows: Rows) -> NDArray[np.void]:
        """Their facts, (n,) FACTS."""
        ours, theirs = self._split(rows)
        out = np.empty(len(rows), FACTS)
        out[ours] = self.first.facts(rows[ours])
        out[theirs] = self.second.facts(rows[theirs] - len(self.first))
        return out

    def names(self, rows: Rows) -> list[bytes]:
        """Their names."""
        return self._each(rows, Corpus.names)

    def _each(self, rows: Rows, names: Callable[[Corpus, Rows], list[bytes]]) -> list[bytes]:
        """The names of these rows, by this method of the corpora."""
        ours, theirs = self._split(rows)
        named = dict(zip(ours.tolist(), names(self.first, rows[ours]), strict=True))
        named |= zip(theirs.tolist(), names(self.second, rows[theirs] - len(self.first)), strict=True)
        return [named[place] for place in range(len(rows))]

    def printed_names(self, rows: Rows) -> list[bytes]:
        """Their names, as paths that work in the working directory."""
        return self._each(rows, Corpus.printed_names)

    def lines(self, rows: Rows, shingling: Shingling, reader: LineReader) -> list[bytes]:
        """The lines of JSONL files that they are. All rows must belong to the second corpus."""
        return self.second.lines(rows - len(self.first), shingling, reader)

    def estimates(self, left: Rows, right: Rows) -> Floats:
        """The estimated similarities of documents left[i] and right[i]: float64 (n,)."""
        rows, places = np.unique(np.concatenate((left, right)), return_inverse=True)
        return jaccard.estimates(self.signature_rows(rows), places[: len(left)], places[len(left) :])

    def signature_rows(self, rows: Rows) -> Tokens:
        """Their signatures, (n, K) uint32."""
        ours, theirs = self._split(rows)
        signatures = np.empty((len(rows), self.places), np.uint32)
        signatures[ours] = self.first.signature_rows(rows[ours])
        signatures[theirs] = self.second.signature_rows(rows[theirs] - len(self.first))
        return signatures

    def sources(self, rows: Rows) -> list[tuple[BlockPlaces, Source]]:
        """Where the token sets of these rows come from: sources, each with the places of its sets among rows."""
        return self._both(rows, Corpus.sources)

    def readings(self, rows: Rows) -> list[tuple[BlockPlaces, ReloadRequest]]:
        """How these rows are read again: requests, each with the places of its documents among rows."""
        return self._both(rows, Corpus.readings)

    def _both(
        self, rows: Rows, found_by: Callable[[Corpus, Rows], list[tuple[BlockPlaces, _Found]]]
    ) -> list[tuple[BlockPlaces, _Found]]:
        """What this method of the corpora finds for these rows, with places among rows."""
        ours, theirs = self._split(rows)
        found = [(ours[places], each) for places, each in found_by(self.first, rows[ours])]
        return found + [(theirs[at], each) for at, each in found_by(self.second, rows[theirs] - len(self.first))]

    def recorded(self, rows: Rows) -> Mask:
        """Which of these documents an earlier run has read."""
        ours, theirs = self._split(rows)
        out = np.empty(len(rows), bool)
        out[ours] = self.first.recorded(rows[ours])
        out[theirs] = self.second.recorded(rows[theirs] - len(self.first))
        return out
