"""Why each document is kept, or a duplicate of another one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

CHOSEN, UNMATCHED, INDEXED = "chosen", "unmatched", "indexed"
"""Why a document is kept: the first of its group in keep order; not similar to another kept one; in the index."""

EMPTY, IGNORED, CAPPED, UNVERIFIED = "empty", "ignored", "capped", "unverified"
"""Why a document is kept that was not compared with all others: it has no shingles; all its tokens are left out; too
many kept ones share a bucket with it; its text is gone or has changed since this run read it."""

IDENTICAL, SIMILAR, LINKED = "identical", "similar", "linked"
"""Why a document is a duplicate: the same text as the kept one; similar to it; linked to it by similar documents."""

MOST_LINKS = 100
"""Links of a chain that are listed at most: the chains of n documents in a line have n(n+1)/2 links."""


class Link(NamedTuple):
    """A document of a chain, and how similar it is to the one before it. jaccard: None if it was not computed."""

    document: str
    jaccard: float | None
    estimate: float


@dataclass(frozen=True, slots=True)
class ExplainedDocument:
    """Why one document is kept, or a duplicate of another one.

    kept: the kept document of its group, which may be the document itself. reason: one of those above. compared_with:
    the kept document of a duplicate; for a kept one, of its candidates that are kept before it, the one whose signature
    agrees most, if there is one. jaccard, estimate: how similar the document and that one are, exactly (None: not
    computed) and by their signatures. bands_met: the numbers of the bands, from 1, in which their signatures agree.
    bands: how many bands there are, if any. documents: the number of documents in the group. smallest_to_kept: the
    smallest similarity of one of them to the kept one.

    Of connected components: smallest_of_two, the smallest similarity of any two documents; all_compared, whether all
    pairs were compared for it, or only some, so that there may be a smaller one; links, the chain of similar documents
    after the kept one, up to this document; of a very long chain, the last MOST_LINKS.
    """

    kept: str
    document: str
    reason: str
    compared_with: str | None
    jaccard: float | None
    estimate: float | None
    bands_met: tuple[int, ...] | None
    bands: int | None
    documents: int
    smallest_to_kept: float | None
    smallest_of_two: float | None = None
    all_compared: bool | None = None
    links: tuple[Link, ...] | None = None
