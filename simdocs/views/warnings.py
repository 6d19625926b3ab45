"""Lines about an answer that a person should know of before trusting it."""

from __future__ import annotations

from collections.abc import Iterator

from simdocs.model.documents import EMPTY
from simdocs.model.results import Deduplication, Matches, SimilarPairs


def too_few(result: Deduplication | SimilarPairs | Matches) -> Iterator[str]:
    """That there was nothing to compare with anything."""
    compared = int(((result.documents.facts["flags"] & EMPTY) == 0).sum())
    against = isinstance(result, Matches) or (isinstance(result, Deduplication) and result.against_index)
    if compared < (1 if against else 2):
        yield "nothing was compared: there is no document" if not compared else "nothing was compared: one document"
