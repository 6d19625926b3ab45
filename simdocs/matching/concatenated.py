"""Two corpora as one: those of an index and new ones, or an index and what it is asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simdocs.corpora.jsonl_lookup import LineReader
from simdocs.kernels.compare import jaccard
from simdocs.matching.corpus import Corpus
from simdocs.model.documents import DOCUMENT
from simdocs.model.ragged import Array, Floats, Index, Mask
from simdocs.parameters import Shingling
from simdocs.pipeline.reload import Source


@dataclass(frozen=True, slots=True)
class ConcatenatedCorpus:
    """Two corpora as one: the rows of the first, then those of the second."""

    first: Corpus
    second: Corpus

    def __len__(self) -> int:
        return len(self.first) + len(self.second)

    @property
    def root(self) -> bytes:
        """The directory from which the first, if they are of an earlier run, are found."""
        return self.first.root

    @property
    def places(self) -> int:
        """Places of a signature."""
        return self.first.places

    def _split(self, rows: Array) -> tuple[Index, Index]:
        """Places among rows of those of the first, and of those of the second."""
        of_second = np.asarray(rows) >= len(self.first)
        return np.flatnonzero(~of_second), np.flatnonzero(of_second)

    def facts(self, rows: Array) -> NDArray[np.void]:
        """Their facts, (n,) DOCUMENT."""
        ours, theirs = self._split(rows)
        out = np.empty(len(rows), DOCUMENT)
        out[ours] = self.first.facts(rows[ours])
        out[theirs] = self.second.facts(rows[theirs] - len(self.first))
        return out

    def names(self, rows: Array) -> list[bytes]:
        """Their names."""
        return self._each(rows, Corpus.names)

    def _each(self, rows: Array, names: Callable[[Corpus, Array], list[bytes]]) -> list[bytes]:
        """The names of these rows, as this method of the corpora gives them."""
        ours, theirs = self._split(rows)
        named = dict(zip(ours.tolist(), names(self.first, rows[ours]), strict=True))
        named |= zip(theirs.tolist(), names(self.second, rows[theirs] - len(self.first)), strict=True)
        return [named[place] for place in range(len(rows))]

    def printed_names(self, rows: Array) -> list[bytes]:
        """Their names as they work in the working directory."""
        return self._each(rows, Corpus.printed_names)

    def lines(self, rows: Array, shingling: Shingling, reader: LineReader) -> list[bytes]:
        """The lines of their sequences that they are: of the second alone."""
        return self.second.lines(rows - len(self.first), shingling, reader)

    def estimates(self, left: Index, right: Index) -> Floats:
        """The estimated similarity of left[i] and right[i]."""
        rows, places = np.unique(np.concatenate((left, right)), return_inverse=True)
        ours, theirs = self._split(rows)
        signatures = np.empty((len(rows), self.places), np.uint32)
        signatures[ours] = self.first.signatures.rows(rows[ours])
        signatures[theirs] = self.second.signatures.rows(rows[theirs] - len(self.first))
        return jaccard.estimates(signatures, places[: len(left)], places[len(left) :])

    def sources(self, rows: Index) -> list[tuple[Index, Source]]:
        """Where the token sets of these rows are to be had."""
        ours, theirs = self._split(rows)
        found = [(ours[places], source) for places, source in self.first.sources(rows[ours])]
        return found + [(theirs[at], source) for at, source in self.second.sources(rows[theirs] - len(self.first))]

    def recorded(self, rows: Index) -> Mask:
        """Which were noted by an earlier run."""
        ours, theirs = self._split(rows)
        out = np.empty(len(rows), bool)
        out[ours] = self.first.recorded(rows[ours])
        out[theirs] = self.second.recorded(rows[theirs] - len(self.first))
        return out
