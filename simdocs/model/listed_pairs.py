"""What comes back with pairs that nothing was decided about: all similar pairs, and the matches of a query."""

from __future__ import annotations

from dataclasses import dataclass

from simdocs.model.search_result import SearchResult


@dataclass(frozen=True, eq=False, repr=False)
class SimilarPairs(SearchResult):
    """Every pair of near-duplicates. pairs, names: as of Deduplication, empty if the pairs were handed over in blocks.

    found: how many pairs are listed. left_out: how many similar pairs are not, because copies of one text are listed
    as a chain. advice: as of Deduplication.
    """

    found: int
    left_out: int = 0
    advice: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<SimilarPairs: documents={len(self.documents)}, pairs={self.found}>"


@dataclass(frozen=True, eq=False, repr=False)
class Matches(SearchResult):
    """What a query found.

    documents: those that were asked about. pairs: left, their rows; right, rows of the index; in the order of the
    answer; empty if they were handed over in blocks. names: of both documents of each pair. indexed: documents in the
    index. found: matches. matched: documents that have one. similar: matches at the threshold or above. nearest: how
    many of the most similar documents were asked for, whatever the threshold (0: those at the threshold). advice: as
    of Deduplication. left_out: how many copies of the nearest documents are not listed.
    """

    indexed: int
    found: int
    matched: int
    similar: int
    nearest: int = 0
    advice: tuple[str, ...] = ()
    left_out: int = 0

    def __repr__(self) -> str:
        return f"<Matches: documents={len(self.documents)}, matched={self.matched}, matches={self.found}>"
