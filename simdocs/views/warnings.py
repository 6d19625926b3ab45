"""Lines about an answer that a person should know of before trusting it."""

from __future__ import annotations

from collections.abc import Iterator

from simdocs.model.documents import EMPTY
from simdocs.model.names import shown
from simdocs.model.results import Deduplication, Matches, SimilarPairs

_MANY, _LARGE = 100, 0.1
"""From how many documents on a group is worth a line if it is so large a part of them."""


def too_few(result: Deduplication | SimilarPairs | Matches) -> Iterator[str]:
    """That there was nothing to compare with anything."""
    compared = int(((result.documents.facts["flags"] & EMPTY) == 0).sum())
    against = isinstance(result, Matches) or (isinstance(result, Deduplication) and result.against_index)
    if compared < (1 if against else 2):
        yield "nothing was compared: there is no document" if not compared else "nothing was compared: one document"


def widespread_group(result: Deduplication) -> Iterator[str]:
    """What a template that many documents share looks like: one group that is a large part of all."""
    documents = len(result.documents)
    if result.largest is not None and documents >= _MANY and result.largest[1] > _LARGE * documents:
        name, duplicates = result.largest
        part = duplicates / documents
        yield f"largest group: {duplicates:,} duplicates of {shown(name)}, {part:.0%} of all documents"
