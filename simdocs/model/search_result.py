"""The result of every search for similar documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from simdocs.model.answers import (
    GROUPED,
    NAME,
    NUMBER,
    SIMILARITY,
    Block,
    Look,
    TableHead,
    Tabular,
    table_head,
)
from simdocs.model.byte_strings import ByteStrings
from simdocs.model.documents import Documents
from simdocs.model.figures import at_least, counted, found_by
from simdocs.model.groups import Pairs
from simdocs.model.ragged import Ragged
from simdocs.model.run_result import LooksLike, RunResult, facts_left_out, left_out_in_words
from simdocs.model.skipped import Skipped
from simdocs.names import name_to_text
from simdocs.options.answers import Grouping
from simdocs.options.recipes import Banding, Bands, Recipe
from simdocs.options.texts import Walking

GROUPS, PAIRS, MATCHES = (
    table_head(GROUPED, **{left: NAME, right: NAME, "jaccard": SIMILARITY, "estimate": SIMILARITY})
    for left, right in (("kept", "duplicate"), ("document", "other"), ("query", "match"))
)
MEMBERS = table_head(document=NAME, group=NUMBER, kept=NAME, jaccard=SIMILARITY)
CONTAINING = MATCHES.but(GROUPED, containment=SIMILARITY)
NESTED = PAIRS.but(GROUPED, containment=SIMILARITY, contained=NAME)

PairRow = tuple[Any, ...]
"""A row of an answer: two names, exact similarity, estimate; and if containment was measured, what is said of it.

Its length depends on the measure. Type checkers refuse to unpack a tuple of unknown length unless all its values have
the type Any.
"""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SearchFacts:
    """The parameters of a search, and its counts.

    documents: the documents that were given.
    recipe: how they became tokens and signatures.
    walking, grouping: the parameters of these groups.
    banding: the bands by which candidates were found; None: not by bands.
    threshold: the threshold in force.
    probability: the least probability that a pair at the threshold becomes a candidate.
    candidates: the number of candidate pairs.
    verified: the number of pairs whose exact similarity was computed, including copies of one text.
    skipped: the documents that were not compared.
    changed: the number of documents that are new or changed, if only pairs with one of them count; else None.
    measure: the measure that is compared with the threshold.
    ignored: the number of tokens that are left out of all documents.
    undecided: the number of documents that were too short for the sketch of the index, so that each was compared with
        all documents; None: candidates were not found by a sketch.
    looks_like: see LooksLike.
    """

    documents: Documents
    recipe: Recipe
    walking: Walking
    grouping: Grouping
    banding: Banding | None
    threshold: float
    probability: float
    candidates: int
    verified: int
    skipped: Skipped
    changed: int | None = None
    measure: str = "jaccard"
    ignored: int = 0
    undecided: int | None = None
    looks_like: LooksLike = ()

    @property
    def bands(self) -> Bands | None:
        """The bands and rows by which candidates were found; None: not by bands."""
        return None if self.banding is None else self.banding.cut

    @property
    def parameters(self) -> dict[str, Any]:
        """All parameters in groups, as JSON has them."""
        recipe = self.recipe.as_dict()
        of_recipe = ("sequences", "shingling", "sketching", "ignoring")
        return {
            "walking": self.walking.as_dict(),
            "grouping": self.grouping.as_dict(),
            "banding": None if self.banding is None else self.banding.as_dict(),
        } | {name: value for name, value in recipe.items() if name in of_recipe}

    def __repr__(self) -> str:
        counts = f"documents={len(self.documents)}, candidates={self.candidates}, verified={self.verified}"
        return f"<SearchFacts: {counts}, threshold={self.threshold:g}>"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SearchResult(RunResult, Tabular[PairRow]):
    """Pairs of similar documents, complete when it is returned.

    documents: the documents that were given.
    pairs: the rows of each pair, in the order of the answer; empty if they were handed over in blocks.
    names: the names of both documents of each pair.
    comparison: the parameters and counts of the search.
    index_names: the names of documents of the index that are neither str nor bytes, by row.
    advice: lines for people about what may suit the documents better.
    """

    documents: Documents
    pairs: Pairs
    names: tuple[Ragged, Ragged]
    comparison: SearchFacts
    advice: tuple[str, ...] = ()
    index_names: Mapping[int, Any] = field(default_factory=dict)

    NEEDED = 2
    """Documents without which nothing is compared."""

    @property
    def head(self) -> TableHead:
        """The columns of the pairs."""
        return PAIRS

    @property
    def skipped(self) -> Skipped:
        """The documents that were not compared."""
        return self.comparison.skipped

    @property
    def looks_like(self) -> LooksLike:
        """The kinds of container that documents look like, and the number of documents for each."""
        return self.comparison.looks_like

    def rows(self) -> Iterator[PairRow]:
        """The names of the two documents of each pair, exact similarity (NaN: not computed), estimate.

        If containment was measured, that comes next; among similar pairs, it is the larger of both, and the last is
        which of the two documents is contained: document, other or both.
        """
        yield from self.pairs.named(*(self._named(side) for side in (0, 1)))

    def __len__(self) -> int:
        return len(self.pairs)

    def _named(self, side: int, pairs: Iterable[int] | None = None) -> Iterator[Any]:
        """Yield the name of the left (0) or right (1) document of these pairs, by default of all.

        A name is as it was given for a text in memory, or else a str.
        """
        names, rows = ByteStrings(self.names[side]), (self.pairs.left, self.pairs.right)[side]
        given, given_index = self.documents.given_names, self.index_names
        if pairs is None and not (given or given_index):
            yield from map(name_to_text, names)
            return
        for pair in range(len(names)) if pairs is None else pairs:
            row, of_index = self._place(side, int(rows[pair]))
            text = name_to_text(names[pair])
            yield (given_index if of_index else given).get(row, text)

    def _place(self, side: int, row: int) -> tuple[int, bool]:  # noqa: ARG002
        """The row of a document of a pair, and whether it is one of the index."""
        beyond = row - len(self.documents)
        return (beyond, True) if beyond >= 0 else (row, False)

    def names_of_matched(self) -> Iterator[Any]:
        """Yield the names of the second documents of all pairs, each once, in the order of their rows."""
        yield from self._named(1, np.unique(self.pairs.right, return_index=True)[1].tolist())

    def blocks(self, look: Look) -> Iterator[Block]:  # noqa: ARG002
        """Yield the pairs."""
        yield Block(self.head, list(self.rows()))

    def summary(self, seconds: float | None = None) -> dict[str, Any]:
        """The summary as values that JSON has."""
        compared = self.comparison
        facts = self._facts_of_documents() | {"skipped": self.skipped.counts}
        facts |= facts_left_out(self.documents, compared.ignored)
        if compared.changed is not None:
            facts["changed"] = compared.changed
        facts |= self._facts_of_others()
        facts |= {
            "bands": None if compared.bands is None else compared.bands.bands,
            "rows": None if compared.bands is None else compared.bands.rows,
            "measure": compared.measure,
            "threshold": compared.threshold,
            "probability": compared.probability,
            "candidates": compared.candidates,
            "verified": compared.verified,
        }
        if compared.undecided is not None:
            facts["compared_with_all"] = compared.undecided
        facts |= self._facts_of_answer() | {"parameters": compared.parameters, "seconds": seconds}
        return facts | {"looks_like": dict(self.looks_like), "advice": list(self.advice)}

    def _facts_of_others(self) -> dict[str, Any]:
        """Facts about what the documents were compared with, for the summary."""
        return {}

    def _facts_of_answer(self) -> dict[str, Any]:
        """Facts about what was found, for the summary."""
        raise NotImplementedError

    def lines(self, seconds: float, *, verbose: bool = False) -> Iterator[str]:
        """Yield the lines of the summary."""
        compared = self.comparison
        why = "no document is new or changed" if compared.changed == 0 else self._why_so_few(self.NEEDED)
        if why:
            yield f"nothing was compared: {why}"
        yield self._read()
        yield from left_out_in_words(self.documents, compared.ignored)
        if compared.changed:
            documents = f"{compared.changed:,} document{' is' if compared.changed == 1 else 's are'}"
            yield f"{documents} new or changed; only pairs with one of them were looked for"
        if not why:
            # If containment is computed for every pair, there are no candidates to count.
            proposed = compared.candidates or not compared.verified
            counts = [counted(compared.candidates, "candidate")] if proposed else []
            counts += [f"{compared.verified:,} verified"] if verbose or not proposed else []
            yield f"{self._how_found()}; {', '.join(counts)}"
        yield from self._outcome(f"in {seconds:.2f} s")
        yield from self.advice

    def _how_found(self) -> str:
        """A phrase about how candidates were found."""
        compared = self.comparison
        if compared.undecided is not None:
            every = f"; {counted(compared.undecided, 'document')} compared with every text" * bool(compared.undecided)
            return f"the sketch finds {at_least(compared.probability, compared.threshold)}{every}"
        if compared.bands is None:
            return "every pair is found"
        return found_by(compared.bands.bands, compared.bands.rows, compared.threshold, compared.probability)

    def _outcome(self, took: str) -> Iterator[str]:
        """Yield the lines of the summary about what was found. took: the time that it took, in words."""
        raise NotImplementedError
