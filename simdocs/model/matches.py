"""The result of a query."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from simdocs.model.answers import NAMES, Block, Look, TableHead
from simdocs.model.figures import counted
from simdocs.model.search_result import CONTAINING, MATCHES, SearchResult
from simdocs.options.families import MATCH_LISTS


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Matches(SearchResult):
    """The documents of an index that are similar to others.

    documents: the queries, which are the documents that were looked up.
    pairs: the rows of each query (left) and, in the index, its match (right), in the order of the answer; empty if they
        were handed over in blocks.
    names: the names of both documents of each pair.
    indexed: the number of documents in the index.
    found: the number of matches.
    matched: the number of queries that have a match.
    similar: the number of matches at the threshold or above.
    nearest: the number of most similar documents that were asked for; 0 if those at the threshold were.
    left_out: the number of copies of the nearest documents that are not listed.
    """

    LISTINGS = tuple(MATCH_LISTS)
    COMMAND = "query"

    indexed: int
    found: int
    matched: int
    similar: int
    nearest: int = 0
    left_out: int = 0

    NEEDED = 1

    @property
    def head(self) -> TableHead:
        """The columns of the matches."""
        return CONTAINING if self.comparison.measure == "containment" else MATCHES

    def _place(self, side: int, row: int) -> tuple[int, bool]:
        return row, side == 1

    def blocks(self, look: Look) -> Iterator[Block]:
        """Yield the matches, or the names of all of them, if those are listed."""
        if look.listing in MATCH_LISTS:
            yield Block(NAMES, [(name,) for name in self.names_of_matched()])
        else:
            yield from super().blocks(look)

    @property
    def is_found(self) -> bool:
        """Whether a match is at the threshold or above."""
        return self.similar > 0

    def _facts_of_others(self) -> dict[str, Any]:
        return {"indexed": self.indexed}

    def _facts_of_answer(self) -> dict[str, Any]:
        nearest = {"nearest": self.nearest, "copies_left_out": self.left_out} if self.nearest else {}
        return nearest | {"matches": self.found, "matched": self.matched}

    def _parameters(self) -> dict[str, Any]:
        return self.comparison.recipe.as_dict()

    def _read(self) -> str:
        return f"{super()._read()}, against {counted(self.indexed, 'document')}"

    def _how_found(self) -> str:
        if not self.nearest:
            return super()._how_found()
        texts = "text" if self.nearest == 1 else f"{self.nearest:,} texts"
        every = "; every text was compared" if self.comparison.grouping.exact else ""
        return f"the most similar {texts}, whatever the threshold{every}"

    def _outcome(self, took: str) -> Iterator[str]:
        if not self.found:
            yield f"no matches, {took}"
        else:
            matches = counted(self.found, "match", "matches")
            yield f"{matches} for {counted(self.matched, 'document')}, {took}"
        if self.left_out:
            more = "1 more match is a copy" if self.left_out == 1 else f"{self.left_out:,} more matches are copies"
            yield f"{more} of these (--all-copies lists every copy)"

    def __repr__(self) -> str:
        return f"<Matches: documents={len(self.documents)}, matched={self.matched}, matches={self.found}>"
