"""Lines about an answer that a person should know of before trusting it."""

from __future__ import annotations

from collections.abc import Iterator

from simdocs.errors import mention
from simdocs.model.deduplication import Deduplication
from simdocs.model.documents import IGNORED, WITHOUT_TOKENS
from simdocs.model.listed_pairs import Matches, SimilarPairs

_LINES = {"kept": "kept-lines", "duplicates": "duplicate-lines"}


def too_few(result: Deduplication | SimilarPairs | Matches) -> Iterator[str]:
    """That there was nothing to compare with anything."""
    if result.comparison.changed == 0:
        yield "nothing was compared: no document is new or changed"
        return
    compared = int(((result.documents.facts["flags"] & WITHOUT_TOKENS) == 0).sum())
    against = isinstance(result, Matches) or (isinstance(result, Deduplication) and result.against_index)
    if compared < (1 if against else 2):
        ignored = bool((result.documents.facts["flags"] & IGNORED).any())
        without = "all tokens of all documents are left out" if ignored else "all documents are empty"
        why = without if len(result.documents) else "there is no document"
        yield f"nothing was compared: {'there is only one document' if compared else why}"


def lines_meant(result: Deduplication | SimilarPairs | Matches, listing: str | None) -> Iterator[str]:
    """That names are listed, where all documents are lines of JSONL files, which somebody may have meant instead.

    Said in every format: `--list kept > kept.jsonl` writes TSV and means lines, too.
    """
    if listing in _LINES and len(result.documents) and result.documents.facts["container"].all():
        option = mention("list")
        yield f"{option} {listing} writes names: {option} {_LINES[listing]} writes the lines themselves"
