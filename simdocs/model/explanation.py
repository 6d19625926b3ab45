"""Why documents are kept or duplicates: the explanations of dedupe."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from simdocs.model.answers import EXPLAINING, LINKS, NAME, NUMBER, NUMBERS, SIMILARITY, Row, table_head

CHOSEN, UNMATCHED, INDEXED = "chosen", "unmatched", "indexed"
"""Why a document is kept: the first of its group in keep order; not similar to another kept one; in the index."""

EMPTY, IGNORED, CAPPED, UNVERIFIED = "empty", "ignored", "capped", "unverified"
"""Why a document is kept that was not compared with all others: it has no shingles; all its tokens are left out; too
many kept ones share a bucket with it; its text is gone or has changed since this run read it."""

IDENTICAL, SIMILAR, LINKED = "identical", "similar", "linked"
"""Why a document is a duplicate: the same text as the kept one; similar to it; linked to it by similar documents."""

EXPLAINED = table_head(
    EXPLAINING,
    kept=NAME,
    document=NAME,
    reason=NAME,
    compared_with=NAME,
    jaccard=SIMILARITY,
    estimate=SIMILARITY,
    bands_met=NUMBERS,
    bands=NUMBER,
    documents=NUMBER,
    smallest_to_kept=SIMILARITY,
)
EXPLAINED_COMPONENTS = EXPLAINED.but(EXPLAINING, smallest_of_two=SIMILARITY, all_compared=NAME, links=LINKS)


class Link(NamedTuple):
    """A document of a chain, and its similarity to the one before it: exact (None: not computed), and estimated."""

    document: str
    jaccard: float | None
    estimate: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainedDocument:
    """Why one document is kept, or a duplicate of another one.

    kept: the kept document of its group, which may be the document itself.
    reason: one of those above.
    compared_with: the kept document of a duplicate; for a kept one, of its candidates that are kept before it, the one
        whose signature agrees most, if there is one.
    jaccard, estimate: how similar the document and that one are, exactly (None: not computed) and by their signatures.
    bands_met: the numbers of the bands, from 1, in which their signatures agree.
    bands: the number of bands, if there are any.
    documents: the number of documents in the group.
    smallest_to_kept: the smallest similarity of one of them to the kept one.

    Of connected components:

    smallest_of_two: the smallest similarity of any two documents.
    all_compared: whether all pairs were compared for it, or only some, so that there may be a smaller one.
    links: the chain of similar documents after the kept one, up to this document; of a very long chain, the last
        MOST_LINKS (see simdocs.model.groups).
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

    def row(self, columns: int) -> Row:
        """This number of cells, in the order of the fields."""
        complete = None if self.all_compared is None else "yes" if self.all_compared else "no"
        cells = (
            *(self.kept, self.document, self.reason, self.compared_with, self.jaccard, self.estimate, self.bands_met),
            *(self.bands, self.documents, self.smallest_to_kept, self.smallest_of_two, complete, self.links),
        )
        return cells[:columns]
