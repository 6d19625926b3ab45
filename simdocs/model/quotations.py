"""The result of a query with `passages`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from simdocs.model.answers import Block, Look, Tabular
from simdocs.model.common_passages import PASSAGE_PLACES, PASSAGE_TEXTS
from simdocs.model.documents import Documents
from simdocs.model.figures import counted
from simdocs.model.run_result import LooksLike, RunResult, facts_left_out, left_out_in_words
from simdocs.model.skipped import Skipped
from simdocs.options.families import UNITS
from simdocs.options.recipes import IndexRecipe


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Quotations(RunResult, Tabular[tuple[Any, ...]]):
    """The passages that documents have in common with the documents of an index.

    documents: the queries, which are the documents that were looked up.
    places: the rows of the answer, each with its text; empty if they were handed over in blocks.
    recipe: how the index was built.
    least: the number of units that each passage has at least.
    indexed: the number of documents in the index.
    found: the number of passages.
    matched: the number of queries with a passage.
    candidates: the number of pairs of a query and a text that the sketch of the index found.
    undecided: the number of queries of which the sketch has too few tokens, so that each was compared with all texts;
        None: candidates were not found by a sketch, and all texts were compared.
    verified: the number of texts that were read again.
    skipped: the documents that were not compared.
    looks_like: see LooksLike.
    ignored: the number of tokens that are left out of all documents.
    """

    documents: Documents
    places: tuple[tuple[Any, ...], ...]
    recipe: IndexRecipe
    least: int
    indexed: int
    found: int
    matched: int
    candidates: int
    undecided: int | None
    verified: int
    skipped: Skipped
    looks_like: LooksLike = ()
    ignored: int = 0

    @property
    def is_found(self) -> bool:
        """Whether any passage was found."""
        return self.found > 0

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """Yield a row for each passage: the names of query and match, begin, end and line in each; number of units."""
        yield from (row[:-1] for row in self.places)

    def blocks(self, look: Look) -> Iterator[Block]:
        """Yield the passages, with their texts if there is room for them."""
        yield Block(PASSAGE_TEXTS, list(self.places)) if look.nested else Block(PASSAGE_PLACES, list(self.rows()))

    def summary(self, seconds: float | None = None) -> dict[str, Any]:
        """The summary as values that JSON has."""
        facts = self._facts_of_documents() | {"skipped": self.skipped.counts}
        facts |= facts_left_out(self.documents, self.ignored)
        facts |= {"indexed": self.indexed, "min_passage": self.least}
        facts |= {"candidates": self.candidates, "read_again": self.verified}
        if self.undecided is not None:
            facts["compared_with_all"] = self.undecided
        facts |= {"passages": self.found, "matched": self.matched}
        return facts | {"parameters": self.recipe.as_dict(), "seconds": seconds, "looks_like": dict(self.looks_like)}

    def lines(self, seconds: float, *, verbose: bool = False) -> Iterator[str]:  # noqa: ARG002
        """Yield the lines of the summary."""
        if why := self._why_so_few(1):
            yield f"nothing was compared: {why}"
        yield f"{self._read()}, against {counted(self.indexed, 'document')}"
        yield from left_out_in_words(self.documents, self.ignored)
        if not why:
            yield f"{self._how_found()}; {counted(self.verified, 'text')} read again"
        passages = f"{counted(self.found, 'passage')}" if self.found else "no passages"
        least = f"of {self.least:,} {UNITS[self.recipe.shingling.unit].plural} or more"
        matched = f" for {counted(self.matched, 'document')}" * bool(self.found)
        shorter = "" if self.found or why else "; --min-passage finds shorter ones"
        yield f"{passages} {least}{matched}, in {seconds:.2f} s{shorter}"

    def _how_found(self) -> str:
        """A phrase about how candidates were found."""
        if self.undecided is None or self.undecided == len(self.documents):
            return "every passage is found"
        every = f"; {counted(self.undecided, 'document')} compared with every text" * bool(self.undecided)
        return f"the sketch may miss short passages, --exact misses none{every}"

    def __repr__(self) -> str:
        return f"<Quotations: documents={len(self.documents)}, matched={self.matched}, passages={self.found}>"
