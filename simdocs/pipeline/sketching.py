"""The containment sketch of an index: collected while documents are signed, or taken over from an earlier index."""

from __future__ import annotations

import numpy as np

from simdocs.kernels.sketch.sketch_table import sketch_table
from simdocs.model.artifact import Artifact, BandIndex
from simdocs.model.documents import Documents
from simdocs.model.growing import GrowingArray
from simdocs.model.numbering import Rows
from simdocs.model.ragged import NO_TOKENS, Index, Ragged, Tokens


class Sketches:
    """Collects the sketches of documents in row order. Those of documents that are taken over are empty."""

    def __init__(self) -> None:
        self._tokens, self._lengths = GrowingArray(np.uint32), GrowingArray(np.int64)

    def add(self, sketches: Ragged) -> None:
        """Add the sketches of the next documents."""
        self._tokens.add(sketches.values)
        self._lengths.add(sketches.lengths)

    def add_known(self, documents: int) -> None:
        """Add so many documents that are taken over."""
        self._lengths.add(np.zeros(documents, np.int64))

    def all(self) -> Ragged:
        """All sketches: N rows."""
        return Ragged.from_lengths(self._tokens.all(), self._lengths.all())


def stored_sketch(
    sketches: Ragged, documents: Documents, firsts: Rows, earlier: Artifact | None
) -> tuple[Tokens, Tokens]:
    """The two columns of the sketch in an index: uint32 (S,).

    sketches: those of all documents, but empty for those that are taken over from `earlier`. firsts: the first document
    of each distinct text. Only these are in the sketch.
    """
    old_tokens, old_rows = NO_TOKENS, np.empty(0, np.int64)
    if documents.earlier is None or not isinstance(earlier, BandIndex):
        return sketch_table(sketches.take(firsts), firsts, old_tokens, old_rows)
    taken_from = documents.earlier[firsts]
    taken = np.flatnonzero(taken_from >= 0)
    old_tokens, old_rows = _taken_over(earlier, taken_from[taken], firsts[taken])
    new = firsts[taken_from < 0]
    return sketch_table(sketches.take(new), new, old_tokens, old_rows)


def _taken_over(earlier: BandIndex, then: Rows, now: Rows) -> tuple[Tokens, Index]:
    """The entries of an earlier sketch that are about its rows `then`, with the rows `now` in place of these.

    Two documents of different texts, but with equal token sets, may be taken over from one.
    """
    firsts = earlier["same_as"].all()[then]
    order = np.argsort(firsts, kind="stable")
    become = Ragged.from_lengths(now[order], np.bincount(firsts, minlength=earlier.n_documents))
    rows = become.take(earlier["sketch_rows"].all())
    return np.repeat(earlier["sketch_tokens"].all(), rows.lengths), rows.values
