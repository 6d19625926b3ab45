"""query: which documents of an index are nearly the same as these."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from simdocs.commands import answer_rows
from simdocs.engines.run import Run
from simdocs.kernels.lsh.banding import candidate_probability
from simdocs.matching.corpus import Corpus
from simdocs.matching.index_matches import MatchBlock, find_matches
from simdocs.matching.prepared import Prepared, of_same_documents, prepared, threshold_warning
from simdocs.matching.verify import Verifier
from simdocs.model.answers import Answer
from simdocs.model.artifact import Artifact
from simdocs.model.documents import EMPTY
from simdocs.model.groups import Pairs
from simdocs.model.ragged import Ragged
from simdocs.model.skipped import Skipped
from simdocs.parameters import Sequences
from simdocs.pipeline.prepare import Intake
from simdocs.pipeline.reading import ragged_bytes


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of an index. top: at most so many matches a document (0: all). itself: a document that is in the
    index matches itself, too. shingles, root: as of an Intake, for the documents of the index."""

    index: Artifact
    intake: Intake
    sequences: Sequences
    threshold: float
    by_exact: bool = True
    top: int = 0
    itself: bool = False
    shingles: Artifact | None = None
    root: bytes | None = None


class Query:
    """Documents that are read and signed, ready to be looked up; and a tally of what came of it."""

    def __init__(self, question: Question, run: Run) -> None:
        self.question, self.run = question, run
        index = question.index
        recipe = replace(index.recipe, sequences=question.sequences)
        self.asking: Prepared = prepared(question.intake, recipe, run)
        sets = of_same_documents(question.shingles, index)
        self.corpus = Corpus.on(index, index["signatures"], sets, question.root)
        how = index.recipe.shingling
        self.verifier = Verifier(self.corpus, how, question.threshold, run, exact=question.by_exact)
        self.matched = self.found = 0

    @property
    def skipped(self) -> Skipped:
        """The documents that were not compared."""
        return self.run.skipped

    def answer(self) -> Answer:
        """Every document with its matches in the index: as given, then by falling similarity, then by name."""
        blocks = (rows for found in self._found() for rows in answer_rows.rows_of(found.corpus, found.pairs))
        return Answer(answer_rows.pair_columns(("query", "match")), blocks, grouped=True)

    def matches(self) -> Answer:
        """The names of all matches, each once, in the order of the index."""
        rows = [found.matches for found in self._found()]
        unique = np.unique(np.concatenate(rows)) if rows else np.empty(0, np.int64)
        return answer_rows.names_answer(self.corpus, unique)

    def named_pairs(self) -> tuple[Pairs, Ragged]:
        """All matches: left, rows of the documents asked about; right, rows of the index; and the names of those."""
        parts, names = [Pairs.none()], list[bytes]()
        for found in self._found():
            names += found.corpus.names(found.pairs.right)
            parts.append(replace(found.pairs, left=found.asked, right=found.matches))
        return Pairs.concat(parts), ragged_bytes(names)

    def _found(self) -> Iterator[MatchBlock]:
        """All matches, for some documents after the other."""
        question = self.question
        for block in find_matches(
            question.index, self.corpus, self.asking, self.verifier, top=question.top, itself=question.itself
        ):
            self.found += len(block.pairs)
            self.matched += len(np.unique(block.pairs.left))
            yield block

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
            "probability": candidate_probability(self.question.threshold, bands, rows),
            "candidates": self.run.tally.candidates,
            "verified": self.run.tally.verified,
            "matches": self.found,
            "matched": self.matched,
            "parameters": asdict(recipe),
        }
