"""What query and dedupe return in Python."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from simdocs.model.documents import Documents
from simdocs.model.groups import Pairs
from simdocs.model.ragged import Index, Ragged
from simdocs.model.skipped import Skipped


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Matches:
    """What a query found.

    pairs: left, rows of `documents` (those asked about); right, rows of the index; in the order of the answer.
    names: the names of the matches in the index, one for each pair.
    """

    documents: Documents
    pairs: Pairs
    names: Ragged
    skipped: Skipped = field(default_factory=Skipped)

    def __repr__(self) -> str:
        return f"<Matches documents={len(self.documents)}, pairs={len(self.pairs)}>"

    def rows(self) -> Iterator[tuple[bytes, bytes, float, float]]:
        """Yield for each match: name asked about, name found, exact similarity (NaN: not computed), estimate."""
        for at, (left, jaccard, estimate) in enumerate(_figures(self.pairs)):
            yield self.documents.name(left), self.names[at].tobytes(), jaccard, estimate


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Deduplication:
    """What dedupe decided.

    pairs: left, the row of the kept document; right, the row of its duplicate; ascending by both.
    kept: the rows of all documents that are not duplicates, ascending.
    """

    documents: Documents
    pairs: Pairs
    kept: Index
    skipped: Skipped = field(default_factory=Skipped)

    def __repr__(self) -> str:
        return f"<Deduplication documents={len(self.documents)}, kept={len(self.kept)}, pairs={len(self.pairs)}>"

    def rows(self) -> Iterator[tuple[bytes, bytes, float, float]]:
        """Yield for each duplicate: the name kept, its own name, exact similarity (NaN: not computed), estimate."""
        name = self.documents.name
        for right, (left, jaccard, estimate) in zip(self.pairs.right.tolist(), _figures(self.pairs), strict=True):
            yield name(left), name(right), jaccard, estimate


def _figures(pairs: Pairs) -> Iterator[tuple[int, float, float]]:
    return zip(pairs.left.tolist(), pairs.jaccard.tolist(), pairs.estimate.tolist(), strict=True)
