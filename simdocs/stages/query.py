"""query: which documents of an index are nearly the same as these."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from simdocs.artifacts.shelf import Shelf
from simdocs.engines.local import Local
from simdocs.kernels.banding import probability
from simdocs.model.answers import Answer
from simdocs.model.documents import EMPTY
from simdocs.model.groups import Pairs
from simdocs.model.ragged import Index, ranges
from simdocs.model.skipped import Skipped
from simdocs.parameters import Sequences
from simdocs.stages import answers
from simdocs.stages.corpus import Corpus, Two
from simdocs.stages.lookup import candidates, copies_of, same_files
from simdocs.stages.prepare import Intake, Prepared, of_same_documents, prepared, threshold_warning
from simdocs.stages.shingle import Progress
from simdocs.stages.verify import Judge


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of an index. top: at most so many matches a document (0: all). itself: a document that is in the
    index matches itself, too. shingles, root: as of an Intake, for the documents of the index."""

    index: Shelf
    intake: Intake
    sequences: Sequences
    threshold: float
    by_exact: bool = True
    top: int = 0
    itself: bool = False
    shingles: Shelf | None = None
    root: bytes | None = None


class Query:
    """Documents that are read and signed, ready to be looked up; and a tally of what came of it."""

    def __init__(self, question: Question, engine: Local, progress: Progress) -> None:
        self.question, self.engine, self.progress = question, engine, progress
        self.skipped = Skipped()
        index = question.index
        recipe = replace(index.recipe, sequences=question.sequences)
        self.asking: Prepared = prepared(question.intake, recipe, engine, self.skipped, progress)
        sets = of_same_documents(question.shingles, index)
        self.corpus = Corpus.on(index, index["signatures"], sets, question.root)
        self.matched = self.found = self.candidates = self.verified = 0

    def answer(self) -> Answer:
        """Every document with its matches in the index: as given, then by falling similarity, then by name."""
        blocks = (rows for found in self._found() for rows in answers.rows_of(found.both, found.pairs))
        return Answer(answers.pair_columns(("query", "match")), blocks, grouped=True)

    def matches(self) -> Answer:
        """The names of all matches, each once, in the order of the index."""
        rows = [found.rows[found.pairs.right] for found in self._found()]
        unique = np.unique(np.concatenate(rows)) if rows else np.empty(0, np.int64)
        return answers.names_answer(self.corpus, unique)

    def pairs(self) -> Pairs:
        """All matches: left, rows of the documents asked about; right, rows of the index."""
        parts = [
            replace(found.pairs, left=found.pairs.left - len(found.rows), right=found.rows[found.pairs.right])
            for found in self._found()
        ]
        return Pairs.concat(parts) if parts else Pairs.none()

    def _found(self) -> Iterator[_Found]:
        """All matches, for some documents after the other."""
        index = self.question.index
        asking = np.flatnonzero((self.asking.documents.facts["flags"] & EMPTY) == 0)
        for part, left, right in candidates(index, self.asking.signatures, asking):
            firsts = np.unique(right)
            place, rows = copies_of(index["same_as"].all(), firsts)
            kept = self.corpus.some(rows)
            begins = np.searchsorted(place, np.arange(len(firsts)))
            # The first of each text is judged, in its own place among all its copies.
            both = Two(kept, self.asking.corpus)
            similar = self._judge(both, len(kept) + part[left], begins[np.searchsorted(firsts, right)])
            pairs = _with_copies(similar, place)
            if not self.question.itself:
                mine = pairs.left - len(kept)
                pairs = pairs.take(np.flatnonzero(~same_files(self.asking.corpus, mine, kept, pairs.right)))
            pairs = self._ranked(both, pairs)
            self.found += len(pairs)
            self.matched += len(np.unique(pairs.left))
            self.progress("looking up", int(part[-1]) + 1, len(self.asking.documents))
            yield _Found(both, pairs, rows)

    def _judge(self, both: Two, left: Index, right: Index) -> Pairs:
        question, how = self.question, self.question.index.recipe.shingling
        judge = Judge(both, how, question.threshold, question.by_exact, self.engine, self.skipped)
        similar = judge.similar(left, right)
        self.candidates += judge.candidates
        self.verified += judge.verified
        return similar

    def _ranked(self, both: Two, pairs: Pairs) -> Pairs:
        """By document, then falling similarity, then name; of each document no more than are wanted."""
        names = both.names(pairs.right)
        order = sorted(range(len(pairs)), key=lambda at: (pairs.left[at], -pairs.score[at], names[at]))
        pairs = pairs.take(np.array(order, np.int64))
        if not self.question.top:
            return pairs
        begins = np.searchsorted(pairs.left, pairs.left)
        return pairs.take(np.flatnonzero(np.arange(len(pairs)) - begins < self.question.top))

    def warnings(self) -> Iterator[str]:
        """What is to be said in any case."""
        yield from threshold_warning(self.question.threshold, self.asking)

    def facts(self) -> dict[str, Any]:
        """What was done, in numbers and parameters: of JSON's kinds."""
        documents, recipe = self.asking.documents, self.question.index.recipe
        bands, rows = self.asking.cut
        return {
            "documents": len(documents),
            "bytes": int(documents.facts["size"].sum()),
            "empty": int(((documents.facts["flags"] & EMPTY) != 0).sum()),
            "skipped": self.skipped.counts,
            "indexed": len(self.corpus),
            "bands": bands,
            "rows": rows,
            "threshold": self.question.threshold,
            "probability": probability(self.question.threshold, bands, rows),
            "candidates": self.candidates,
            "verified": self.verified,
            "matches": self.found,
            "matched": self.matched,
            "parameters": asdict(recipe),
        }


@dataclass(frozen=True, slots=True)
class _Found:
    """Matches of some documents: pairs of one asked about (left) and one of the index (right), as rows of both; and
    the row in the index of each document that both begins with."""

    both: Two
    pairs: Pairs
    rows: Index


def _with_copies(similar: Pairs, place: Index) -> Pairs:
    """The pairs, and those with all other copies of the text on the right. place: (n,) the text of each document."""
    begins = similar.right
    ends = np.searchsorted(place, place[begins], side="right")
    which = np.repeat(np.arange(len(similar)), ends - begins)
    pairs = similar.take(which)
    return replace(pairs, right=ranges(begins, ends - begins))
