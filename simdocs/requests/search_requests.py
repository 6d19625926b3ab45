"""Questions that look for near-duplicates: among documents, and in an index."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from simdocs.errors import mention, suggested
from simdocs.parameters.answers import QueryAnswer
from simdocs.parameters.families import CLUSTERS
from simdocs.parameters.texts import Sequences
from simdocs.parameters.values import ArtifactName, Path
from simdocs.requests.checked_request import (
    NOT_FOR_COMPONENTS,
    NOT_FOR_CONTAINMENT,
    NOT_FOR_EXACT,
    NOT_FOR_EXACT_QUERY,
    NOT_FOR_EXPLANATIONS,
    NOT_FOR_NEAREST,
    NOT_FOR_PAIRS,
    containment_instead,
    not_together,
)
from simdocs.requests.read_request import OF_WALKS, ReadRequest
from simdocs.requests.token_requests import BandsRequest


@dataclass(frozen=True, init=False, eq=False, repr=False)
class DedupeRequest(BandsRequest):
    """Find near-duplicates: groups, all similar pairs, or lists of names or lines."""

    question: ClassVar[str] = "dedupe"
    upstream: ClassVar[tuple[str, ...]] = ("shingles", "signatures", "index")

    measure: str | None = None
    exact: bool | None = None
    max_memory: int | None = None
    verify: str | None = None
    cluster: str | None = None
    keep: str | None = None
    max_candidates: int | None = None
    against: Any = None
    changed: bool | None = None
    renamed: bool | None = None
    pairs: bool | None = None
    all_copies: bool | None = None
    explain: bool | None = None
    list: str | None = None
    shingles: Any = None
    root: Path | None = None

    def _rules(self) -> Iterator[str]:
        yield from super()._rules()
        yield from self._rules_of_answer()
        if self.cluster is not None and CLUSTERS[self.cluster].by_chains:
            for name, why in NOT_FOR_COMPONENTS.items():
                if getattr(self, name):
                    yield f"{mention(name)} and {mention('cluster')} {self.cluster} cannot be combined: {why}"
        yield from self._rules_of_comparison()
        if self.changed and self.against is not None:
            yield not_together("changed", "against", why=f"{mention('changed')} is about one index")

    def _rules_of_comparison(self) -> Iterator[str]:
        """What is wrong with how documents are to be compared."""
        yield from _memory_without_exact(self)
        if self.measure == "containment":
            if self.against is not None:
                find = suggested("query", "Y.index", "DOCS", measure="containment")
                yield not_together("measure", "against", why=f"{find} finds what contains them")
            elif not self.pairs:
                yield f"{mention('measure')} containment needs {mention('pairs')}"
            for name, why in NOT_FOR_CONTAINMENT.items():
                if getattr(self, name) not in (None, "exact"):
                    yield not_together("measure", name, why=why)
        elif self.exact:
            for name, why in NOT_FOR_EXACT.items():
                if getattr(self, name) is not None:
                    yield not_together(name, "exact", why=why)

    def _rules_of_answer(self) -> Iterator[str]:
        """What is wrong with what is to be listed."""
        if self.pairs and self.list:
            yield not_together("pairs", "list", why=f"{mention('list')} lists documents, not pairs")
        for name, why in NOT_FOR_PAIRS.items():
            if self.pairs and getattr(self, name) is not None:
                yield not_together("pairs", name, why=why)
        if self.all_copies and not self.pairs:
            yield f"{mention('all_copies')} needs {mention('pairs')}"
        if self.renamed and not self.changed:
            yield f"{mention('renamed')} needs {mention('changed')}"
        if self.explain:
            for name, why in NOT_FOR_EXPLANATIONS.items():
                if getattr(self, name):
                    yield not_together(name, "explain", why=why)

    def problems_beside_documents(self) -> Iterator[str]:
        """What cannot be combined with documents that are read now."""
        yield from super().problems_beside_documents()
        if self.changed:
            news = suggested("dedupe", "X.index", changed=True)
            yield f"{mention('changed')} needs an index, not documents: build one, and use {news}"


def _memory_without_exact(request: DedupeRequest | QueryRequest) -> Iterator[str]:
    """Yield the problem that memory is limited, and nothing would need it."""
    if request.max_memory is not None and not request.exact and request.measure != "containment":
        yield f"{mention('max_memory')} needs {mention('exact')}"


@dataclass(frozen=True, init=False, eq=False, repr=False)
class QueryRequest(ReadRequest):
    """Find the documents of an index that are nearly the same as these."""

    question: ClassVar[str] = "query"
    own = (QueryAnswer,)
    upstream: ClassVar[tuple[str, ...]] = ("shingles", "signatures")
    first_arguments: ClassVar[tuple[str, ...]] = ("X.index",)

    index: Any = None
    threshold: float | None = None
    measure: str | None = None
    exact: bool | None = None
    max_memory: int | None = None
    verify: str | None = None
    top: int | None = None
    nearest: int | None = None
    all_copies: bool | None = None
    changed: bool | None = None
    renamed: bool | None = None
    itself: bool | None = None
    list: str | None = None
    shingles: Any = None
    root: Path | None = None

    def _rules(self) -> Iterator[str]:
        yield from self._checked_argument("index", ArtifactName(("index",)))
        yield from super()._rules()
        if self.nearest is not None:
            for name, why in NOT_FOR_NEAREST.items():
                if getattr(self, name) is not None:
                    yield not_together("nearest", name, why=why)
        elif self.all_copies:
            yield f"{mention('all_copies')} needs {mention('nearest')}"
        yield from self._rules_of_comparison()
        if self.renamed and not self.changed:
            yield f"{mention('renamed')} needs {mention('changed')}"
        if self.changed and self.itself:
            yield not_together("changed", "itself", why="a document of the index would always match itself")
        for name in self.given() if self.changed else ():
            if name in (*OF_WALKS, "max_size", *Sequences.parameters):
                yield f"{mention(name)} needs documents, and cannot be combined with {mention('changed')}"

    def _rules_of_comparison(self) -> Iterator[str]:
        """What is wrong with how documents are to be compared."""
        if self.exact:
            for name, why in NOT_FOR_EXACT_QUERY.items():
                if getattr(self, name) is not None:
                    yield not_together(name, "exact", why=why)
        yield from _memory_without_exact(self)
        if self.measure == "containment":
            if self.nearest is not None:
                yield not_together("nearest", "measure", why=containment_instead(self.nearest))
            if self.verify == "estimate":
                yield not_together("measure", "verify", why="signatures do not tell the containment")
            if self.max_memory is not None:
                yield not_together("measure", "max_memory", why="only a few token sets are in memory at once")

    def _ways(self) -> Sequence[str]:
        return [*super()._ways(), "changed"] if self.changed else super()._ways()

    def problems_beside_documents(self) -> Iterator[str]:
        """Nothing: token sets and a root are those of the index."""
        yield from ()
