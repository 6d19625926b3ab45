"""query: which documents of an index are nearly the same as these."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from simdocs.artifacts.reader import Artifact
from simdocs.commands import answer_rows
from simdocs.engines.run import Run
from simdocs.kernels.lsh.banding import candidate_probability
from simdocs.kernels.lsh.buckets import equal_runs
from simdocs.matching.concatenated import ConcatenatedCorpus
from simdocs.matching.corpus import Corpus
from simdocs.matching.lookup import candidates, copies_of, same_files
from simdocs.matching.prepared import Prepared, of_same_documents, prepared, threshold_warning
from simdocs.matching.verify import Verifier
from simdocs.model.answers import Answer
from simdocs.model.documents import EMPTY
from simdocs.model.groups import Pairs
from simdocs.model.ragged import Index, Ragged, ranges
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
        self.judge = Verifier(self.corpus, how, question.threshold, question.by_exact, run)
        self.matched = self.found = 0

    @property
    def skipped(self) -> Skipped:
        """The documents that were not compared."""
        return self.run.skipped

    def answer(self) -> Answer:
        """Every document with its matches in the index: as given, then by falling similarity, then by name."""
        blocks = (rows for found in self._found() for rows in answer_rows.rows_of(found.both, found.pairs))
        return Answer(answer_rows.pair_columns(("query", "match")), blocks, grouped=True)

    def matches(self) -> Answer:
        """The names of all matches, each once, in the order of the index."""
        rows = [found.rows[found.pairs.right] for found in self._found()]
        unique = np.unique(np.concatenate(rows)) if rows else np.empty(0, np.int64)
        return answer_rows.names_answer(self.corpus, unique)

    def named_pairs(self) -> tuple[Pairs, Ragged]:
        """All matches: left, rows of the documents asked about; right, rows of the index; and the names of those."""
        parts, names = [Pairs.none()], list[bytes]()
        for found in self._found():
            names += found.both.names(found.pairs.right)
            left, right = found.pairs.left - len(found.rows), found.rows[found.pairs.right]
            parts.append(replace(found.pairs, left=left, right=right))
        return Pairs.concat(parts), ragged_bytes(names)

    def _found(self) -> Iterator[_Found]:
        """All matches, for some documents after the other."""
        index = self.question.index
        asking = np.flatnonzero((self.asking.documents.facts["flags"] & EMPTY) == 0)
        for part, asked, near in candidates(index, self.asking.signatures, asking):
            firsts = np.unique(near)
            place, rows = copies_of(index["same_as"].all(), firsts)
            kept = self.corpus.some(rows)
            both = self.judge.corpus = ConcatenatedCorpus(kept, self.asking.corpus)
            left, right = self._judged(kept, part[asked], np.searchsorted(firsts, near), place)
            pairs = _with_copies(self.judge.similar(len(kept) + left, right), place)
            if not self.question.itself:
                mine = pairs.left - len(kept)
                pairs = pairs.take(np.flatnonzero(~same_files(self.asking.corpus, mine, kept, pairs.right)))
            pairs = self._ranked(both, self.judge.confirmed(pairs))
            self.found += len(pairs)
            self.matched += len(np.unique(pairs.left))
            self.run.progress("looking up", int(part[-1]) + 1, len(self.asking.documents))
            yield _Found(both, pairs, rows)

    def _judged(self, kept: Corpus, left: Index, text: Index, place: Index) -> tuple[Index, Index]:
        """Which copy (a row of kept) of each text is to be judged: the first that is still there, or the next such
        where that is the file asked about, which may have been edited since; no pair at all where there is no other.
        place: as of _with_copies."""
        first, second = self._still_there(len(kept) + left, text, place)
        if self.question.itself:
            return left, first[text]
        right = np.where(same_files(self.asking.corpus, left, kept, first[text]), second[text], first[text])
        others = np.flatnonzero(right >= 0)
        return left[others], right[others]

    def _still_there(self, asked: Index, text: Index, place: Index) -> tuple[Index, Index]:
        """For every text its first copy that is what it was, or the first, if none is; and the next such, or -1."""
        first = np.searchsorted(place, np.arange(place.max(initial=-1) + 1))
        second = np.full(len(first), -1)
        near = text[~self.judge.hopeless(asked, first[text])]
        rows = np.flatnonzero(np.isin(place, near))
        rows = rows[~self.judge.lost_copies(rows, place[rows])]
        begins, sizes = equal_runs(place[rows])
        first[place[rows[begins]]] = rows[begins]
        more = begins[sizes > 1]
        second[place[rows[more]]] = rows[more + 1]
        return first, second

    def _ranked(self, both: ConcatenatedCorpus, pairs: Pairs) -> Pairs:
        """By document, then falling similarity, then name; of each document no more than are wanted."""
        rows, place = np.unique(pairs.right, return_inverse=True)
        names = both.names(rows)
        by_name = np.empty(len(rows), np.int64)
        by_name[sorted(range(len(rows)), key=names.__getitem__)] = np.arange(len(rows))
        pairs = pairs.take(np.lexsort((by_name[place], -pairs.score, pairs.left)))
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
            "probability": candidate_probability(self.question.threshold, bands, rows),
            "candidates": self.run.tally.candidates,
            "verified": self.run.tally.verified,
            "matches": self.found,
            "matched": self.matched,
            "parameters": asdict(recipe),
        }


@dataclass(frozen=True, slots=True)
class _Found:
    """Matches of some documents: pairs of one asked about (left) and one of the index (right), as rows of both; and
    the row in the index of each document that both begins with."""

    both: ConcatenatedCorpus
    pairs: Pairs
    rows: Index


def _with_copies(similar: Pairs, place: Index) -> Pairs:
    """The pairs, and those with all other copies of the text on the right. place: (n,) the text of each document,
    ascending."""
    text = place[similar.right]
    begins, ends = np.searchsorted(place, text), np.searchsorted(place, text, side="right")
    which = np.repeat(np.arange(len(similar)), ends - begins)
    pairs = similar.take(which)
    return replace(pairs, right=ranges(begins, ends - begins))
