"""The result of dedupe with `passages`: the passages that occur in several documents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from simdocs.model.answers import EXCERPTS, NAME, NUMBER, PLAIN, REPEATING, Block, Look, Row, Tabular, table_head
from simdocs.model.common_passages import Excerpt, counted_units
from simdocs.model.documents import Documents
from simdocs.model.figures import counted
from simdocs.model.run_result import LooksLike, RunResult
from simdocs.model.skipped import Skipped
from simdocs.options.families import UNITS
from simdocs.options.recipes import Recipe

REPEATS = table_head(
    passage=NUMBER, documents=NUMBER, units=NUMBER, own=NUMBER, document=NAME, begin=NUMBER, end=NUMBER, line=NUMBER
)
"""The columns of passages that occur in several documents: a row for each place."""

REPEATED_TEXTS = REPEATS.but(PLAIN, text=NAME)
"""The same with the text of each passage, in the row of its first place."""

QUOTED_REPEATS = table_head(
    REPEATING,
    passage=NUMBER,
    length=NAME,
    own=NUMBER,
    documents=NUMBER,
    places=NUMBER,
    first=EXCERPTS,
    excerpt=EXCERPTS,
)
"""The columns for people: a row for each passage, with its first places and its text."""


class RepeatPlace(NamedTuple):
    """A place of a passage: the name of the document, and begin, end and line in it."""

    document: Any
    begin: int
    end: int
    line: int


class RepeatedPassage(NamedTuple):
    """A passage with its places.

    number: from 1. documents: how many documents have it. units: how many characters, words or lines it has.
    own: how many of these are in no passage with more places.
    total: how many places there are. places: these; if it is handed over in parts, some of them.
    excerpt: its text at the first place, with what is around it there; None in the parts after the first one.
    """

    number: int
    documents: int
    units: int
    own: int
    total: int
    places: tuple[RepeatPlace, ...]
    excerpt: Excerpt | None

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """Yield a row for each place."""
        for place in self.places:
            yield self.number, self.documents, self.units, self.own, *place

    def rows_with_text(self) -> Iterator[tuple[Any, ...]]:
        """Yield the same rows. The row of the first place also has the text."""
        text = None if self.excerpt is None else self.excerpt.passage
        for row in self.rows():
            yield *row, text
            text = None

    def quoted(self) -> Row:
        """The row for people."""
        assert self.excerpt is not None
        own = None if self.own == self.units else self.own
        return self.number, self.excerpt.length, own, self.documents, self.total, self.places, self.excerpt


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class RepeatedPassages(RunResult, Tabular[tuple[Any, ...]]):
    """The passages that occur in several documents.

    documents: the documents that were read.
    passages: the passages, those first that take most text beside their first place; empty if they were handed over in
        blocks.
    recipe: how texts are normalised and cut into units.
    least: the number of units that each passage has at least.
    found: the number of passages. places: the number of their places. matched: the number of documents with a passage.
    covered: the number of units that are in a passage, each once. total: the number of units of all documents.
    skipped: the documents that were not compared.
    looks_like: see LooksLike.
    ignored: the number of tokens that are left out.
    """

    documents: Documents
    passages: tuple[RepeatedPassage, ...]
    recipe: Recipe
    least: int
    found: int
    places: int
    matched: int
    covered: int
    total: int
    skipped: Skipped
    looks_like: LooksLike = ()
    ignored: int = 0

    @property
    def is_found(self) -> bool:
        """Whether any passage was found."""
        return self.found > 0

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """Yield a row for each place of each passage: number of the passage, of its documents, its units and those that
        are its own; name of the document, begin, end and line."""
        for passage in self.passages:
            yield from passage.rows()

    def blocks(self, look: Look) -> Iterator[Block]:
        """Yield the passages."""
        yield block_of(self.passages, look)

    def summary(self, seconds: float | None = None) -> dict[str, Any]:
        """The summary as values that JSON has."""
        facts = self._facts_of_documents() | {"skipped": self.skipped.counts}
        facts |= {"ignored_tokens": self.ignored, "min_passage": self.least}
        facts |= {"passages": self.found, "places": self.places, "matched": self.matched}
        facts |= {"units": self.total, "in_passages": self.covered}
        return facts | {"parameters": self.recipe.as_dict(), "seconds": seconds, "looks_like": dict(self.looks_like)}

    def lines(self, seconds: float, *, verbose: bool = False) -> Iterator[str]:  # noqa: ARG002
        """Yield the lines of the summary."""
        if why := self._why_so_few(2):
            yield f"nothing was compared: {why}"
        yield self._read()
        if self.ignored:
            yield f"{self.ignored:,} tokens of templates are left out: passages of hardly anything else are not listed"
        plural = UNITS[self.recipe.shingling.unit].plural
        least = f"of {counted_units(self.least, self.recipe.shingling.unit)} or more in several documents"
        if not self.found:
            shorter = "; --min-passage finds shorter ones" if self.total and not why else ""
            yield f"no passages {least}, in {seconds:.2f} s{shorter}"
            return
        share = self.covered / max(1, self.total)
        places = f"{counted(self.places, 'place')} in {counted(self.matched, 'document')}"
        yield f"{counted(self.found, 'passage')} {least}: {places}, {share:.1%} of all {plural}, in {seconds:.2f} s"

    def __repr__(self) -> str:
        return f"<RepeatedPassages: documents={len(self.documents)}, passages={self.found}, places={self.places}>"


def block_of(passages: Sequence[RepeatedPassage], look: Look) -> Block:
    """Some passages as a block of the answer: for people, or for programs, with texts if there is room for them."""
    if look.for_people:
        return Block(QUOTED_REPEATS, [passage.quoted() for passage in passages])
    if look.nested:
        return Block(REPEATED_TEXTS, [row for passage in passages for row in passage.rows_with_text()])
    return Block(REPEATS, [row for passage in passages for row in passage.rows()])
