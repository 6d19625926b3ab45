"""dedupe: which documents are nearly the same, and which of them to keep."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from simdocs.artifacts.reader import Artifact
from simdocs.commands import answer_rows
from simdocs.corpora.jsonl_lookup import LineReader
from simdocs.engines.run import Run
from simdocs.kernels.lsh.banding import candidate_probability
from simdocs.matching.against import against
from simdocs.matching.components import connected
from simdocs.matching.concatenated import ConcatenatedCorpus
from simdocs.matching.corpus import Corpus
from simdocs.matching.distinct_texts import in_keep_order
from simdocs.matching.exact_join import every_candidate
from simdocs.matching.greedy import greedy
from simdocs.matching.prepared import Prepared, of_same_documents, prepared, threshold_warning
from simdocs.matching.similar_pairs import similar_pairs
from simdocs.matching.verify import Verifier
from simdocs.model.answers import Answer
from simdocs.model.documents import EMPTY
from simdocs.model.groups import Components, Groups, Pairs
from simdocs.model.names import shown
from simdocs.model.ragged import Index, Mask, Ragged
from simdocs.model.skipped import Skipped
from simdocs.parameters import Banding, Grouping, Recipe
from simdocs.pipeline.prepare import Intake


@dataclass(frozen=True, slots=True)
class Job:
    """What is asked of dedupe: what it is given, every parameter that decides the answer, and an index of documents
    that are kept whatever comes, if there is one, with its token sets and the directory from which its documents are
    found, where those are given."""

    intake: Intake
    recipe: Recipe
    grouping: Grouping
    threshold: float = Banding().threshold
    kept: Artifact | None = None
    kept_shingles: Artifact | None = None
    kept_root: bytes | None = None


@dataclass(slots=True)
class Sketched:
    """Documents that are read and signed, ready to be compared; and a tally of what came of it."""

    job: Job
    prepared: Prepared
    judge: Verifier
    run: Run
    lost: Mask | None = None
    """Which documents of an artifact, copies of others, are gone or have changed; None, if none are."""
    found: int = 0
    """Duplicates, or similar pairs, so far."""
    kept: int | None = None
    largest: tuple[bytes, int] | None = None
    """The document that most are duplicates of, and how many."""
    components: Components | None = None

    @property
    def skipped(self) -> Skipped:
        """The documents that were not compared."""
        return self.run.skipped

    def groups(self) -> Answer:
        """Every duplicate with the document kept in its stead."""
        documents, pairs, _ = self._decided()
        return answer_rows.pairs_answer(documents, ("kept", "duplicate"), [pairs], grouped=True)

    def names(self, listed: str) -> Answer:
        """The names alone of the kept, or the duplicates."""
        return answer_rows.names_answer(*self._listed(listed))

    def lines(self, listed: str) -> Answer:
        """The lines themselves of the kept, or the duplicates, where every document is a line of a sequence."""
        reader = self.run.engine.state.get(LineReader)
        return answer_rows.lines_answer(*self._listed(listed), self.prepared.recipe.shingling, reader)

    def _listed(self, listed: str) -> tuple[Corpus | ConcatenatedCorpus, Index]:
        """The documents, and the rows of the kept, or of the duplicates, among the new ones; of an artifact those that
        are there still, as duplicates are anyway."""
        documents, pairs, new = self._decided()
        is_duplicate = np.zeros(len(new), bool)
        is_duplicate[pairs.right] = True
        rows = np.flatnonzero(new & (is_duplicate if listed == "duplicates" else ~is_duplicate))
        return documents, rows[self.judge.sure(rows)] if self.judge.by_exact else rows

    @property
    def not_lines(self) -> Index:
        """The rows of documents that are no lines of a sequence."""
        return np.flatnonzero(self.prepared.documents.facts["container"] == 0)

    def decided(self) -> Pairs:
        """Every duplicate (right) with the document kept in its stead (left), by row, ascending by both."""
        return self._decided()[1]

    def _decided(self) -> tuple[Corpus | ConcatenatedCorpus, Pairs, Mask]:
        """Documents, the duplicates among them with the kept ones, and which are not kept from the outset."""
        documents, groups, new = self._groups()
        pairs = self.judge.confirmed(groups.pairs)
        kept, counts = np.unique(pairs.left, return_counts=True)
        self.found, self.kept = len(pairs), len(kept)
        if len(kept):
            most = int(counts.argmax())
            self.largest = documents.names(kept[most : most + 1])[0], int(counts[most])
        self.components = groups.components
        return documents, pairs, new

    def _groups(self) -> tuple[Corpus | ConcatenatedCorpus, Groups, Mask]:
        """The documents among which there are groups, the groups, and which documents are not kept from the outset."""
        grouping, corpus = self.job.grouping, self.prepared.corpus
        if self.job.kept is not None:
            sets = of_same_documents(self.job.kept_shingles, self.job.kept)
            always = Corpus.on(self.job.kept, self.job.kept["signatures"], sets, self.job.kept_root)
            found = against(self.job.kept, always, self.prepared, self.judge, grouping)
            for name in corpus.names(found.known):
                self.skipped.add("known", name)
            self._note_capped(found.documents, found.capped)
            return found.documents, Groups(found.pairs), found.new
        nodes = in_keep_order(self.prepared.documents, grouping.keep, self.lost)
        everyone = np.ones(len(corpus), bool)
        shared = self._buckets(nodes.first, nodes.of)
        if grouping.cluster == "components":
            connection = connected(nodes, shared, self.judge, grouping.max_candidates)
            return corpus, connection, everyone
        most = len(nodes) if grouping.exact else grouping.max_candidates
        pairs, capped = greedy(nodes, shared, self.judge, most)
        self._note_capped(corpus, capped)
        return corpus, Groups(pairs), everyone

    def _buckets(self, firsts: Index, numbers: Index | None) -> Ragged:
        """The buckets in which candidates meet: of bands, or such that no pair is missed."""
        if self.job.grouping.exact:
            return every_candidate(self.judge, firsts)
        return self.prepared.buckets(firsts, numbers if self.lost is None else None)

    def _note_capped(self, documents: Corpus | ConcatenatedCorpus, rows: Index) -> None:
        for name in documents.names(rows):
            self.skipped.add("capped", name)

    def pairs(self, all_copies: bool) -> Answer:
        """Every similar pair, in row order, made as it is read."""
        return answer_rows.pairs_answer(
            self.prepared.corpus, ("document", "other"), self._pairs(all_copies), grouped=True
        )

    def _pairs(self, all_copies: bool) -> Iterator[Pairs]:
        for found in similar_pairs(self.prepared, self._buckets, self.judge, self.lost, all_copies=all_copies):
            pairs = self.judge.confirmed(found)
            self.found += len(pairs)
            self.run.progress("comparing", self.run.tally.candidates, 0)
            yield pairs

    def warnings(self) -> Iterator[str]:
        """What is to be said in any case."""
        if not self.job.grouping.exact:
            yield from threshold_warning(self.job.threshold, self.prepared)

    def facts(self) -> dict[str, Any]:
        """What was done, in numbers and parameters: of JSON's kinds."""
        documents, recipe = self.prepared.documents, self.prepared.recipe
        bands, rows = (None, None) if self.job.grouping.exact else self.prepared.cut
        facts: dict[str, Any] = {
            "documents": len(documents),
            "bytes": int(documents.facts["size"].sum()),
            "empty": int(((documents.facts["flags"] & EMPTY) != 0).sum()),
            "skipped": self.skipped.counts,
            "bands": bands,
            "rows": rows,
            "threshold": self.job.threshold,
            "probability": 1.0
            if self.job.grouping.exact
            else candidate_probability(self.job.threshold, *self.prepared.cut),
            "candidates": self.run.tally.candidates,
            "verified": self.run.tally.verified,
        }
        if self.kept is None:
            facts["pairs"] = self.found
        else:
            facts |= {
                "duplicates": self.found,
                "groups": self.kept,
                "kept": len(documents) - self.found - self.skipped.counts.get("known", 0),
            }
        if self.largest is not None:
            name, count = self.largest
            facts["largest_group"] = {"kept": shown(name), "duplicates": count}
        if self.components is not None:
            facts["components"] = list(answer_rows.component_facts(self.prepared.corpus, self.components))
        facts["parameters"] = {
            "walking": asdict(self.job.intake.walking),
            "sequences": asdict(recipe.sequences),
            "shingling": asdict(recipe.shingling),
            "sketching": asdict(recipe.sketching) if recipe.sketching else None,
            "banding": asdict(recipe.banding) if recipe.banding else None,
            "grouping": asdict(self.job.grouping),
        }
        return facts


def sketch(job: Job, run: Run) -> Sketched:
    """Find, read and sign the documents of a job, or open what was made of them.

    UsageError: bands and rows that cannot be; a document that is one of the outputs and would be overwritten.
    InputError: an argument that cannot be read.
    """
    ready = prepared(job.intake, job.recipe, run, bands=not job.grouping.exact)
    exact = job.grouping.verify == "exact"
    how, certain = ready.recipe.shingling, job.grouping.exact
    judge = Verifier(ready.corpus, how, job.threshold, exact, run, certain=certain)
    lost = _lost_copies(ready, judge) if job.kept is None else None
    return Sketched(job, ready, judge, run, lost)


def _lost_copies(ready: Prepared, judge: Verifier) -> Mask | None:
    if not ready.corpus.recorded(np.arange(len(ready.documents))).any():
        return None
    _, text = ready.documents.distinct_texts()
    rows = np.flatnonzero(text >= 0)
    lost = np.zeros(len(text), bool)
    lost[rows] = judge.lost_copies(rows, text[rows])
    return lost if lost.any() else None
