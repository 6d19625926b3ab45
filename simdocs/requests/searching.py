"""Questions that look for near-duplicates: among documents, and in an index."""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar

from simdocs.errors import Problem, mention, suggested
from simdocs.parameters.answers import (
    Comparing,
    DedupeAnswer,
    Grouping,
    PairsAnswer,
    QueryAnswer,
    Reporting,
    RowOutputs,
    Summarising,
)
from simdocs.parameters.families import CLUSTERS, FIGURES
from simdocs.parameters.recipes import BandingRequest, Shingling, Templates
from simdocs.parameters.texts import Known, OnlyChanged, PassageAnswer, Rereading, Sequences
from simdocs.parameters.values import ArtifactName, PathName
from simdocs.requests.request import Exclusion, Need, Request, RequestRules, not_together, only
from simdocs.requests.sources import OF_WALKS, BandsRequest, DocumentTokensRequest, ReadRequest

_EVERY_PAIR = f"{mention('exact')} finds and compares every pair"

_NOT_FOR_CONTAINMENT: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("recall", "rule", "bands", "rows"), "containment is computed for every pair in any case"),
        "verify": "signatures do not tell the containment",
    }
)

_NOT_FOR_COMPONENTS: Mapping[str, str] = MappingProxyType(
    {
        "against": f"{mention('against')} keeps every document of the index, and a component keeps one",
        "max_candidates": "components have no such limit",
    }
)

_NOT_FOR_NEAREST: Mapping[str, str] = MappingProxyType(
    {
        "threshold": f"{mention('nearest')} ignores the threshold",
        "top": f"{mention('nearest')} limits the number of matches already",
        "max_memory": "only a few token sets are in memory at once",
    }
)

_NOT_FOR_PASSAGES: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("threshold", "verify", "measure"), "passages do not depend on it"),
        **dict.fromkeys(("top", "nearest", "list"), "all passages are listed, the longest first"),
        "changed": "name the documents whose passages are looked for",
        "shingles": "passages are found in texts, not in token sets",
    }
)

_CONTAINMENT = "measure containment"

_OF_MEMORY = Need("max_memory", "exact", unless=(_CONTAINMENT, "passages"))


class SimilarRequest(BandsRequest):
    """A question about near-duplicates among documents."""

    upstream = ("shingles", "signatures", "index")

    comparing: Comparing = only("max_memory")
    grouping: Grouping = only("exact", "verify")
    only_changed: OnlyChanged
    rereading: Rereading

    rules: ClassVar[RequestRules] = (
        *BandsRequest.rules,
        _OF_MEMORY,
        *(
            Exclusion(name, "exact", _EVERY_PAIR, unless=_CONTAINMENT)
            for name in ("recall", "rule", "bands", "rows", "verify")
        ),
    )

    def problems_beside_documents(self) -> Iterator[Problem]:
        """Yield a problem for each parameter that documents that are read now do not allow."""
        yield from super().problems_beside_documents()
        if self.only_changed.changed:
            news = suggested(self.question, "X.index", changed=True)
            text = f"{mention('changed')} needs an index, not documents: build one, and use {news}"
            yield Problem(text, "changed")


class DedupeRequest(SimilarRequest):
    """Find near-duplicates: groups, or lists of names."""

    question = "dedupe"
    of_paths = (*BandsRequest.of_paths, *RowOutputs.parameters)

    grouping: Grouping
    known: Known
    answer: DedupeAnswer
    row_outputs: RowOutputs

    def _without_chains(self) -> Iterator[Problem]:
        """Groups of documents that chains of pairs link are no groups around a kept document."""
        chains = [name for name, cluster in CLUSTERS.items() if cluster.by_chains]
        for name, why in _NOT_FOR_COMPONENTS.items():
            for cluster in chains:
                yield from Exclusion(name, f"cluster {cluster}", why)(self)

    def _rows_once(self) -> Iterator[Problem]:
        """Standard output takes the rows of one output."""
        piped = [name for name in RowOutputs.parameters if self.given.get(name) == b"-"]
        if len(piped) > 1:
            yield not_together(*piped, why="only one of them can go to standard output")

    rules: ClassVar[RequestRules] = (
        *SimilarRequest.rules,
        _without_chains,
        _rows_once,
        *(Exclusion(name, "exact", _EVERY_PAIR) for name in ("max_candidates", "against")),
        Exclusion("changed", "against", f"{mention('changed')} is about one index"),
    )


class PairsRequest(SimilarRequest):
    """Find all pairs of similar documents."""

    question = "pairs"

    comparing: Comparing
    answer: PairsAnswer

    rules: ClassVar[RequestRules] = (
        *SimilarRequest.rules,
        *(
            Exclusion("measure", name, why, when=(_CONTAINMENT,), unless="verify exact" if name == "verify" else "")
            for name, why in _NOT_FOR_CONTAINMENT.items()
        ),
    )


class PassagesRequest(DocumentTokensRequest):
    """Find the passages that occur in several documents."""

    question = "passages"

    shingling: Shingling = only("unit", "k", "language", "ignore_stop_words")
    templates: Templates
    in_common: PassageAnswer = only("min_passage")


class ReportRequest(Request):
    """Look at the groups of a saved answer. answer: its path, or what dedupe has found, or an answer that was read."""

    question = "report"

    answer: Any = b""
    reporting: Reporting
    summarising: Summarising

    def _check(self) -> Iterator[Problem]:
        if not hasattr(self.answer, "pairs"):
            yield from self._checked_argument("answer", PathName())

    def _group_of_a_figure(self) -> Iterator[Problem]:
        """Only some figures show one group."""
        figure = self.reporting.figure
        if self.has("group") and (figure is None or not FIGURES[figure].of_group):
            wanted = " or ".join(name for name, each in FIGURES.items() if each.of_group)
            yield Problem(f"{mention('group')} needs {mention('figure')} {wanted}", "group", "figure")

    rules: ClassVar[RequestRules] = (_group_of_a_figure,)


class QueryRequest(ReadRequest):
    """Find the documents of an index that are nearly the same as these."""

    question = "query"
    upstream = ("shingles", "signatures")
    first_arguments = ("X.index",)

    index: Any = None
    banding: BandingRequest = only("threshold")
    comparing: Comparing
    grouping: Grouping = only("exact", "verify")
    only_changed: OnlyChanged
    answer: QueryAnswer
    in_common: PassageAnswer
    rereading: Rereading

    def _check(self) -> Iterator[Problem]:
        yield from self._checked_argument("index", ArtifactName(("index",)))
        yield from super()._check()

    def ways(self) -> Sequence[str]:
        """The ways in which documents are named."""
        return [*super().ways(), "changed"] if self.only_changed.changed else super().ways()

    def _not_contained(self) -> Iterator[Problem]:
        """The nearest documents are the most similar ones."""
        if self.answer.nearest is not None and self.has(_CONTAINMENT):
            yield not_together("nearest", "measure", why=containment_instead(self.answer.nearest))

    def _without_reading(self) -> Iterator[Problem]:
        """Changed documents are not read."""
        for name in self.given if self.only_changed.changed else ():
            if name in (*OF_WALKS, "max_size", *Sequences.parameters):
                text = f"{mention(name)} needs documents, and cannot be combined with {mention('changed')}"
                yield Problem(text, name, "changed")

    rules: ClassVar[RequestRules] = (
        *ReadRequest.rules,
        *(Exclusion("nearest", name, why) for name, why in _NOT_FOR_NEAREST.items()),
        Need("all_copies", "nearest"),
        Exclusion("verify", "exact", _EVERY_PAIR),
        _OF_MEMORY,
        _not_contained,
        Exclusion("measure", "verify", _NOT_FOR_CONTAINMENT["verify"], when=(_CONTAINMENT, "verify estimate")),
        Exclusion("measure", "max_memory", _NOT_FOR_NEAREST["max_memory"], when=(_CONTAINMENT,)),
        Exclusion("changed", "itself", "a document of the index would always match itself"),
        _without_reading,
        *(Exclusion("passages", name, why) for name, why in _NOT_FOR_PASSAGES.items()),
        Exclusion("passages", "max_memory", _NOT_FOR_NEAREST["max_memory"]),
        Need("min_passage", "passages"),
    )

    def problems_beside_documents(self) -> Iterator[Problem]:
        """Yield nothing: token sets and a root belong to the index."""
        yield from ()


def containment_instead(nearest: int) -> str:
    """The advice to use containment instead of `nearest`, with the same number of documents."""
    containment = f"{mention('measure')} containment {mention('top')} {nearest}"
    return f"use {containment} instead of {mention('nearest')} {nearest}"
