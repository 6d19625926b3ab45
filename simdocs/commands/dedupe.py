"""dedupe: which documents are nearly the same, and which of them to keep."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from simdocs.commands import answer_rows
from simdocs.corpora.jsonl_lookup import LineReader
from simdocs.engines.run import Run
from simdocs.kernels.lsh.banding import candidate_probability
from simdocs.matching.against import decide_against
from simdocs.matching.corpus import Corpus, Documented
from simdocs.matching.decision import Decision, decide
from simdocs.matching.prepared import Prepared, of_same_documents, prepared, threshold_warning
from simdocs.matching.self_join import SelfJoin, self_join, verifier_of
from simdocs.matching.similar_pairs import similar_pairs
from simdocs.model.answers import Answer
from simdocs.model.artifact import Artifact
from simdocs.model.documents import EMPTY
from simdocs.model.groups import Components, Pairs
from simdocs.model.names import shown
from simdocs.model.numbering import Rows
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
    run: Run
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
        decision = self._decision()
        return answer_rows.pairs_answer(decision.corpus, ("kept", "duplicate"), [decision.pairs], grouped=True)

    def names(self, listed: str) -> Answer:
        """The names alone of the kept, or the duplicates."""
        return answer_rows.names_answer(*self._listed(listed))

    def lines(self, listed: str) -> Answer:
        """The lines themselves of the kept, or the duplicates, where every document is a line of a sequence."""
        reader = self.run.engine.state.get(LineReader)
        return answer_rows.lines_answer(*self._listed(listed), self.prepared.recipe.shingling, reader)

    def _listed(self, listed: str) -> tuple[Documented, Rows]:
        """The documents, and the rows of the kept, or of the duplicates."""
        decision = self._decision()
        return decision.corpus, decision.duplicates() if listed == "duplicates" else decision.kept()

    @property
    def not_lines(self) -> Rows:
        """The rows of documents that are no lines of a sequence."""
        return np.flatnonzero(self.prepared.documents.facts["container"] == 0)

    def decided(self) -> Pairs:
        """Every duplicate (right) with the document kept in its place (left), by row, ascending by both."""
        return self._decision().pairs

    def _decision(self) -> Decision:
        decision = self._decide()
        self.found, self.kept = len(decision.pairs), decision.groups
        if decision.largest is not None:
            row, count = decision.largest
            self.largest = decision.corpus.names(np.array([row]))[0], count
        self.components = decision.components
        return decision

    def _decide(self) -> Decision:
        job = self.job
        if job.kept is None:
            return decide(self._self_join(), job.grouping)
        sets = of_same_documents(job.kept_shingles, job.kept)
        indexed = Corpus.on(job.kept, job.kept["signatures"], sets, job.kept_root)
        verifier = verifier_of(self.prepared, job.threshold, job.grouping, self.run)
        return decide_against(job.kept, indexed, self.prepared, verifier, job.grouping)

    def _self_join(self) -> SelfJoin:
        return self_join(self.prepared, self.job.threshold, self.job.grouping, self.run)

    def pairs(self, all_copies: bool) -> Answer:
        """Every similar pair, in row order, made as it is read."""
        return answer_rows.pairs_answer(
            self.prepared.corpus, ("document", "other"), self._pairs(all_copies), grouped=True
        )

    def _pairs(self, all_copies: bool) -> Iterator[Pairs]:
        for pairs in similar_pairs(self._self_join(), all_copies=all_copies):
            self.found += len(pairs)
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
    return Sketched(job, prepared(job.intake, job.recipe, run, bands=not job.grouping.exact), run)
