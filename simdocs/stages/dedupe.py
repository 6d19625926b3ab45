"""dedupe: which documents are nearly the same, and which of them to keep."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from simdocs.corpora.arguments import Sources, find
from simdocs.engines.local import Local
from simdocs.errors import UsageError
from simdocs.kernels.banding import choose, probability
from simdocs.kernels.collide import band_keys, buckets
from simdocs.model.answers import Answer
from simdocs.model.documents import EMPTY, Documents
from simdocs.model.groups import Components, Groups, Pairs
from simdocs.model.names import shown
from simdocs.model.skipped import Skipped
from simdocs.parameters import Banding, Grouping, Shingling, Sketching, Walking
from simdocs.stages import answers
from simdocs.stages.components import connected
from simdocs.stages.greedy import greedy
from simdocs.stages.ordering import in_keep_order
from simdocs.stages.pairs import similar_pairs
from simdocs.stages.signature import Progress, sign
from simdocs.stages.verify import Judge


@dataclass(frozen=True, slots=True)
class Job:
    """What is asked of dedupe: documents, and every parameter that decides the answer."""

    sources: Sources
    walking: Walking
    shingling: Shingling
    sketching: Sketching
    banding: Banding
    grouping: Grouping


@dataclass(slots=True)
class Sketched:
    """Documents that are read and signed, ready to be compared; and a tally of what came of it."""

    job: Job
    documents: Documents
    judge: Judge
    bands: int
    rows: int
    skipped: Skipped
    progress: Progress
    found: int = 0
    """Duplicates, or similar pairs, so far."""
    kept: int | None = None
    components: Components | None = None

    def groups(self, listed: str | None) -> Answer:
        """Every duplicate with the document kept in its stead; or the names alone of the kept, or the duplicates."""
        groups = self._groups()
        duplicates = groups.pairs.right
        self.found, self.kept = len(duplicates), len(np.unique(groups.pairs.left))
        self.components = groups.components
        if listed is None:
            return answers.pairs_answer(self.documents, ("kept", "duplicate"), [groups.pairs], grouped=True)
        is_kept = np.ones(len(self.documents), bool)
        is_kept[duplicates] = False
        return answers.names_answer(self.documents, np.flatnonzero(is_kept if listed == "kept" else ~is_kept))

    def _groups(self) -> Groups:
        grouping = self.job.grouping
        nodes = in_keep_order(self.documents, grouping.keep)
        shared = buckets(band_keys(self.judge.signatures, nodes.first, self.bands, self.rows))
        if grouping.cluster == "components":
            return connected(nodes, shared, self.judge, grouping.max_candidates, self.progress)
        pairs, capped = greedy(nodes, shared, self.judge, grouping.max_candidates, self.progress)
        for row in capped.tolist():
            self.skipped.add("capped", self.documents.name(row))
        return Groups(pairs)

    def pairs(self, all_copies: bool) -> Answer:
        """Every similar pair, in row order, made as it is read."""
        return answers.pairs_answer(self.documents, ("document", "other"), self._pairs(all_copies), grouped=True)

    def _pairs(self, all_copies: bool) -> Iterator[Pairs]:
        for pairs in similar_pairs(self.documents, self.judge, self.bands, self.rows, all_copies=all_copies):
            self.found += len(pairs)
            self.progress("comparing", self.judge.candidates, 0)
            yield pairs

    def facts(self) -> dict[str, Any]:
        """What was done, in numbers and parameters: of JSON's kinds."""
        banding = self.job.banding
        facts: dict[str, Any] = {
            "documents": len(self.documents),
            "bytes": int(self.documents.facts["size"].sum()),
            "empty": int(((self.documents.facts["flags"] & EMPTY) != 0).sum()),
            "skipped": self.skipped.counts,
            "bands": self.bands,
            "rows": self.rows,
            "probability": probability(banding.threshold, self.bands, self.rows),
            "candidates": self.judge.candidates,
            "verified": self.judge.verified,
        }
        if self.kept is None:
            facts["pairs"] = self.found
        else:
            facts |= {"duplicates": self.found, "groups": self.kept, "kept": len(self.documents) - self.found}
        if self.components is not None:
            facts["components"] = list(answers.component_facts(self.documents, self.components))
        facts["parameters"] = {
            name: asdict(getattr(self.job, name))
            for name in ("walking", "shingling", "sketching", "banding", "grouping")
        }
        return facts


def sketch(job: Job, engine: Local, progress: Progress, outputs: Sequence[str | None] = ()) -> Sketched:
    """Find, read and sign the documents of a job.

    UsageError: bands and rows that cannot be; a document that is one of the outputs and would be overwritten.
    InputError: an argument that cannot be read.
    """
    bands, rows = choose(job.banding, job.sketching.num_perm)
    skipped = Skipped()
    found = find(job.sources, job.walking, skipped)
    for path in filter(None, outputs):
        if found.holds(path):
            raise UsageError(
                f"{shown(os.fsencode(path))}: is one of the documents, or a list of them, and would be overwritten"
            )
    limit = job.walking.max_size
    documents, signatures = sign(found, limit, job.shingling, job.sketching, engine, skipped, progress)
    exact = job.grouping.verify == "exact"
    judge = Judge(documents, signatures, job.shingling, job.banding.threshold, exact, limit, engine, skipped)
    return Sketched(job, documents, judge, bands, rows, skipped, progress)
