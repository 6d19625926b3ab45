"""Lines about an answer that a person should know of before trusting it."""

from __future__ import annotations

from collections.abc import Iterator

from simdocs.errors import mention
from simdocs.model.audited import Audit
from simdocs.model.deduplication import Deduplication
from simdocs.model.documents import IGNORED, WITHOUT_TOKENS, Documents
from simdocs.model.listed_pairs import Matches, SimilarPairs
from simdocs.model.tuning import Tuning

_LINES = {"kept": "kept-lines", "duplicates": "duplicate-lines"}


def too_few(result: Deduplication | SimilarPairs | Matches) -> Iterator[str]:
    """That there was nothing to compare with anything."""
    if result.comparison.changed == 0:
        yield "nothing was compared: no document is new or changed"
        return
    against = isinstance(result, Matches) or (isinstance(result, Deduplication) and result.against_index)
    if why := _why_so_few(result.documents, 1 if against else 2):
        yield f"nothing was compared: {why}"


def no_pair(result: Tuning | Audit) -> Iterator[str]:
    """That there are no two texts, so that nothing is known of their pairs. Nothing if tune was given no documents."""
    if isinstance(result, Audit):
        documents, nothing, lacking = result.documents, result.texts < 2, "recall to measure"
    elif result.corpus is not None and result.documents is not None:
        documents, nothing, lacking = result.documents, not result.corpus.compared, "distribution of similarities"
    else:
        return
    if nothing:
        why = _why_so_few(documents, 2) or "no two different texts can be read"
        yield f"nothing was compared: {why}, so there is no {lacking}"


def _why_so_few(documents: Documents, needed: int) -> str:
    """Why fewer documents than are needed can be compared; empty if there are enough."""
    flags = documents.facts["flags"]
    compared = int(((flags & WITHOUT_TOKENS) == 0).sum())
    if compared >= needed:
        return ""
    if compared:
        return "there is only one document"
    without = "all tokens of all documents are left out" if (flags & IGNORED).any() else "all documents are empty"
    return without if len(documents) else "there is no document"


def lines_meant(result: Deduplication | SimilarPairs | Matches, listing: str | None) -> Iterator[str]:
    """That names are listed, where all documents are lines of JSONL files, which somebody may have meant instead.

    Said in every format: `--list kept > kept.jsonl` writes TSV and means lines, too.
    """
    if listing in _LINES and len(result.documents) and result.documents.facts["container"].all():
        option = mention("list")
        yield f"{option} {listing} writes names: {option} {_LINES[listing]} writes the lines themselves"
